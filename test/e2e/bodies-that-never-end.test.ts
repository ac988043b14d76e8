import { expect, onTestFinished, test } from 'vitest'
import { startDribblers } from '../attack/dribble.ts'
import { peakMegabytes } from '../attack/dribblers.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startStream } from '../helpers/run-bin.ts'
import { post } from '../helpers/target-server.ts'

const connections = 300
const head = (path: string, ...more: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', ...more].join('\r\n')

test('300 unfinished bodies cost the receiver no event and little memory', async () => {
  const { child, rest, ready } = await start('webhook', 'tail', '--port', '0', '--json', '--quiet')
  const dribblers = startDribblers({
    port: Number(new URL(ready.url).port),
    connections,
    head: head('/'),
    bytes: 10_000_000,
  })
  onTestFinished(dribblers.end)
  await dribblers.refused(10)
  for (let index = 0; index < 10; index += 1) {
    expect(await post(ready.url, { message: { type: 'note', call: { id: `CC-${index}` } } })).toBe(200)
  }
  dribblers.end()
  expect([...dribblers.answers.keys()]).toEqual(['503'])
  await expectLittleMemory(child.pid)
  child.kill('SIGINT')
  const shown = (await rest()).filter(({ kind }) => kind === 'event')
  expect(shown.map(({ callId }) => callId)).toEqual(Array.from({ length: 10 }, (_, index) => `CC-${index}`))
  expect((await child).exitCode).toBe(0)
})

test('300 unfinished bodies cost the sandbox no request', async () => {
  const { child, ready } = await start(
    'sandbox',
    'start',
    '--port',
    '0',
    '--in-memory',
    '--pace',
    '0',
    '--json',
  )
  const authorization = `Bearer ${ready.apiKey}`
  const path = '/assistants/v1/tools'
  const dribblers = startDribblers({
    port: Number(new URL(ready.baseUrl).port),
    connections,
    head: head(path, `authorization: ${authorization}`),
    bytes: 10_000_000,
  })
  onTestFinished(dribblers.end)
  await dribblers.refused(10)
  for (let index = 0; index < 10; index += 1) {
    const answer = await fetch(ready.baseUrl + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"type":"function"}',
    })
    expect(answer.status).toBe(200)
  }
  dribblers.end()
  expect([...dribblers.answers.keys()]).toEqual(['503'])
  await expectLittleMemory(child.pid)
  child.kill('SIGINT')
  expect((await child).exitCode).toBe(0)
})

async function start(...argv: string[]) {
  const folder = await temporaryFolder()
  const stream = startStream(argv, { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } })
  return { ...stream, ready: await stream.next('ready') }
}

/** The connections together send 3 GB. */
async function expectLittleMemory(pid: number | undefined): Promise<void> {
  expect(await peakMegabytes(pid)).toBeLessThan(600)
}
