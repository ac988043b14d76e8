import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { startBuiltSandbox } from '../helpers/run-bin.ts'

const answerSchema = z.looseObject({
  _id: z.optional(z.string()),
  tools: z.optional(z.array(z.looseObject({ _id: z.string() }))),
})
const tool = { type: 'function', function: { name: 'book', description: 'x'.repeat(1000) } }

async function start(folder: string) {
  const settings = { cwd: folder, env: { CALLYARD_CONFIG_DIR: join(folder, 'config') } }
  const ready = await startBuiltSandbox(['--data', 'records.ndjson'], settings)
  const { child } = ready
  // Read on: a full pipe would stop it.
  void ready.rest()
  const send = async (method: string, path: string, body?: unknown) => {
    const token = path.startsWith('/__sandbox/') ? ready.controlToken : ready.apiKey
    const response = await fetch(ready.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect(response.status).toBe(200)
    return answerSchema.parse(await response.json())
  }
  return {
    child,
    ready,
    send,
    newTool: async () => `${(await send('POST', '/assistants/v1/tools', tool))._id}`,
    toolsHeld: async () => (await send('GET', '/__sandbox/records')).tools?.map(({ _id }) => _id) ?? [],
  }
}

const points = ['.records.ndjson.callyard-tmp', 'records.ndjson'].flatMap(file =>
  [1, 2, 3].map(event => ({ file, event })),
)

/** Both end in the same write; in attacks each is killed at each point. */
const kills = points.flatMap((point, index) =>
  (['reset', 'restore'] as const)
    .filter((_, which) => everyCase || index % 2 === which)
    .map(how => ({ how, point })),
)

test.each(kills)('a kill during $how at $point leaves the old or the new records', async ({ how, point }) => {
  const folder = await temporaryFolder()
  const first = await start(folder)
  await first.newTool()
  const saved = await first.send('POST', '/__sandbox/snapshot')
  const two = [...(await first.toolsHeld()), await first.newTool()]
  const before = await first.toolsHeld()
  expect(before).toEqual(two)
  const unwatch = await killAtEvent(folder, point, () => first.child.kill('SIGKILL'))
  const answered = await first
    .send('POST', `/__sandbox/${how}`, how === 'restore' ? saved : undefined)
    .then(() => true)
    .catch(() => false)
  // An event that comes late must not spare it.
  first.child.kill('SIGKILL')
  await first.child
  unwatch()

  const second = await start(folder)
  expect(second.ready.apiKey).toBe(first.ready.apiKey)
  const after = how === 'reset' ? [] : before.slice(0, 1)
  const held = await second.toolsHeld()
  expect(answered ? [after] : [before, after]).toContainEqual(held)
  await second.newTool()
  expect(await second.toolsHeld()).toHaveLength(held.length + 1)
  second.child.kill('SIGTERM')
  expect((await second.child).exitCode).toBe(0)
  expect((await readFile(join(folder, 'records.ndjson'), 'utf8')).endsWith('\n')).toBe(true)
})
