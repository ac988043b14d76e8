import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { lines, runBin, startBin, temporaryFolder } from '../helpers/run-bin.ts'

/** More than a stack holds, which is enough to end what recurses. */
const levels = everyCase ? 200_000 : 20_000
const lists = '['.repeat(levels) + ']'.repeat(levels)
const objects = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const nested = [lists, objects].flatMap(deep => [
  `{"message":${deep}}`,
  `{"message":{"type":${deep},"call":${deep}}}`,
  `{"message":{"type":"status-update","call":{"id":"c1","status":${deep},"metadata":${deep}}}}`,
  `{"message":{"type":"conversation-update","call":{"id":"c1"},"messages":[{"messageId":"m1","role":${deep},"text":"hi"},${deep}]}}`,
  `{"message":{"type":"status-update","call":{"id":"c1","status":"ongoing"},"analysis":{"summary":${deep},"structuredData":{"x":${deep}}}}}`,
])

test('accepts, shows, records and replays deeply nested events', async () => {
  const folder = await temporaryFolder()
  const settings = { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } }
  const tail = startBin(
    ['webhook', 'tail', '--port', '0', '--json', '--ui', '--record', 'calls.ndjson'],
    settings,
  )
  const events = lines(tail.stdout)
  let url = ''
  while (url === '') {
    const event = JSON.parse((await events.next()).value ?? '')
    if (event.kind === 'ready') url = event.url
  }
  for (const body of nested) expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  tail.kill('SIGINT')
  expect((await tail).exitCode).toBe(0)
  for (const argv of [
    ['replay', 'calls.ndjson', '--json'],
    ['replay', 'calls.ndjson'],
    ['show', 'calls.ndjson'],
    ['show', 'calls.ndjson', '--call', 'c1', '--json'],
  ]) {
    const { exitCode, stdout, stderr } = await runBin(['webhook', ...argv], settings)
    expect({ argv, exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('bug'),
    })
    expect(stdout).toContain('c1')
  }
}, 120_000)

test('the sandbox rejects deeply nested bodies and keeps running', async () => {
  const folder = await temporaryFolder()
  const sandbox = startBin(['sandbox', 'start', '--port', '0', '--in-memory', '--json'], {
    cwd: folder,
    env: { CALLYARD_CONFIG_DIR: folder },
  })
  const { baseUrl, apiKey } = JSON.parse((await lines(sandbox.stdout).next()).value ?? '')
  for (const path of ['/assistants/v1/tools', '/assistants/v1/assistants', '/calls/v1/conversations']) {
    for (const body of [lists, objects, `{"metadata":${objects}}`]) {
      const answer = await fetch(baseUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body,
      })
      expect(answer.status).toBe(422)
    }
  }
  sandbox.kill('SIGINT')
  expect((await sandbox).exitCode).toBe(0)
}, 120_000)
