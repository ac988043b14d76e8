import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { testCli } from '../../helpers/test-cli.ts'

const numbers = ['--to', '+12025550111', '--from', '+12025550100']

test.each([
  ['webhook', 'tail', '--host', '192.0.2.1'],
  ['webhook', 'relay', '--host', '192.0.2.1'],
  ['webhook', 'replay', 'missing.ndjson', '--to', 'http://127.0.0.1:1'],
  ['webhook', 'trigger', 'call', '--to', 'nowhere'],
  ['sandbox', 'start', '--host', '192.0.2.1', '--allow-remote'],
  ['demo', '--no-such-flag'],
  ['call', 'start', ...numbers, '--follow', '--assistant', 'missing.yaml'],
  ['call', 'connect', '--follow', '--assistant', 'missing.yaml'],
  ['call', 'chat', 'missing'],
  ['batch', 'run', 'missing'],
  ['batch', 'resume', 'missing.csv'],
  ['test', 'missing'],
])('%s %s prints an error before its first event as one line with a kind', async (...argv) => {
  const { exitCode, stdout } = await (await testCli()).run(...argv, '--json')
  const [line = '', ...more] = stdout.split('\n')
  expect(JSON.parse(line)).toMatchObject({ kind: 'error', error: { exitCode } })
  expect(exitCode).not.toBe(0)
  expect(more).toEqual([''])
})

test('an error is the last line of a stream', async () => {
  const server = createServer((_, response) => response.destroy())
  const { origin } = await listenOnLoopback(server)
  const { exitCode, stdout } = await (await testCli()).run(
    'webhook',
    'trigger',
    'call',
    '--to',
    origin,
    '--json',
  )
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(exitCode).toBe(6)
  expect(lines.map(({ kind }) => kind)).toEqual(['delivery', 'error'])
})
