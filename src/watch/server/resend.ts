import type { IncomingMessage } from 'node:http'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { type ForwardTarget, postEvent, targetsOf } from '../../webhook/index.ts'
import type { Resent } from '../wire.ts'
import type { RawEvent } from './watched-call.ts'

export interface ResendOptions {
  readonly targets: readonly ForwardTarget[]
  /** Milliseconds for each target. */
  readonly timeout: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Sends an event once more, as it came, to each target that gets its type; all at once, none of them twice. */
export async function resend(
  { body, contentType, type }: RawEvent,
  { targets, timeout, clock, signal }: ResendOptions,
): Promise<Resent> {
  const results = targetsOf(type, targets).map(async ({ url, headers }) => {
    const shown = withoutQuery(url)
    const started = clock.now()
    const answer = await postEvent({ url, body, contentType, headers, timeout, signal, clock }).catch(
      error => {
        if (!(error instanceof CallwrightError)) throw error
        return { failure: { reason: error.message, milliseconds: clock.now() - started } }
      },
    )
    if ('failure' in answer) {
      const { reason, milliseconds } = answer.failure
      return { url: shown, outcome: { reason, milliseconds } }
    }
    const { status, milliseconds } = answer
    return { url: shown, outcome: { status, milliseconds, body: answer.body.slice(0, maxShownBodyLength) } }
  })
  return { results: await Promise.all(results) }
}

/** Characters. */
const maxShownBodyLength = 4000

const askSchema = z.object({ call: z.int(), event: z.int() })

/** Which event of which call a page asks about; undefined for any other body. */
export async function readAsk(request: IncomingMessage): Promise<z.infer<typeof askSchema> | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: unknown = chunk
    if (!Buffer.isBuffer(bytes)) return undefined
    size += bytes.length
    if (size <= maxBodyBytes) chunks.push(bytes)
  }
  if (size > maxBodyBytes) return undefined
  try {
    const parsed = z.safeParse(askSchema, JSON.parse(Buffer.concat(chunks).toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** Bytes. */
const maxBodyBytes = 1024
