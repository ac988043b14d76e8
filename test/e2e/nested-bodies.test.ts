import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin, startBuiltSandbox, startBuiltTail } from '../helpers/run-bin.ts'

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
  const { child, post } = await startBuiltTail(['--ui', '--record', 'calls.ndjson'], settings)
  for (const body of nested) expect(await post(body)).toBe(200)
  child.kill('SIGINT')
  expect((await child).exitCode).toBe(0)
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
})

test('the sandbox rejects deeply nested bodies and keeps running', async () => {
  const folder = await temporaryFolder()
  const settings = { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } }
  const { child, baseUrl, apiKey } = await startBuiltSandbox(['--in-memory'], settings)
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
  child.kill('SIGINT')
  expect((await child).exitCode).toBe(0)
})
