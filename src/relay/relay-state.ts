import { join } from 'node:path'
import * as z from 'zod/mini'
import { CallyardError, getErrorCode } from '../lib/error.ts'
import { readSmallFile } from '../lib/fs/read-file.ts'
import { replaceFile } from '../lib/fs/replace-file.ts'
import { parseJson } from '../lib/json.ts'
import { spoolUnusable } from './errors.ts'

const stateSchema = z.object({
  version: z.literal(1),
  stream: z.string(),
  relay: z.string(),
  maxPayloadBytes: z.int(),
})

/** Facts of the last connection, with which a relay can accept events while the broker is away. */
export type RelayState = Omit<z.infer<typeof stateSchema>, 'version'>

/** @throws CallyardError `conflict` if the spool belongs to another stream, `usage` if it cannot be read */
export function readRelayState(folder: string, stream: string): RelayState | undefined {
  let text: string
  try {
    text = readSmallFile(statePath(folder)).toString()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw spoolUnusable(folder, 'relay.json cannot be read', error)
  }
  const { data } = stateSchema.safeParse(parseJson(text))
  if (data === undefined) throw spoolUnusable(folder, 'relay.json is not a state of this version')
  if (data.stream !== stream)
    throw new CallyardError('conflict', `${folder} contains events for stream ${data.stream}`, {
      code: 'spool-of-other-stream',
      hint: `publish to stream ${data.stream}, or choose another spool folder`,
      details: { folder, stream: data.stream },
    })
  return data
}

export async function saveRelayState(folder: string, state: RelayState): Promise<void> {
  await replaceFile(statePath(folder), `${JSON.stringify({ version: 1, ...state })}\n`, { mode: 0o600 })
}

function statePath(folder: string): string {
  return join(folder, 'relay.json')
}
