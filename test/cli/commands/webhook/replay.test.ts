import { expect, test } from 'vitest'
import type { Clock } from '../../../../src/lib/clock.ts'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { jsonLines } from '../../../helpers/json-lines.ts'
import { refusingOrigin } from '../../../helpers/ports.ts'
import { recordedLine } from '../../../helpers/recordings.ts'
import { shellPipe } from '../../../helpers/shell-pipe.ts'
import { startTarget } from '../../../helpers/target-server.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const events = [
  [0, statusUpdate('c1', 'queued')],
  [1, conversationUpdate('c1', message('m1', 'Hello', 'assistant'))],
  [4, statusUpdate('c2', 'queued')],
  [11, conversationUpdate('c1', message('m1', 'Hello', 'assistant'), message('m2', 'Hi\u009b31m'))],
  [12, statusUpdate('c1', 'finished', { analysis: { summary: 'done' } })],
] as const
const recording = events.map(([seconds, body]) => recordedLine(body, { seconds })).join('')
const bodies = events.map(([, body]) => JSON.stringify(body))

test('without --to it prints what tail would have, and the summary', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { exitCode, stdout, stderr } = await cli.run('webhook', 'replay', 'calls.ndjson', '--call', 'c1')
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: '── c1 · queued\nassistant  Hello\nuser       Hi\\x9b31m\n── c1 · finished\n   summary    done\n',
  })
  expect(stderr).toBe('1 call (1 finished), 2 messages\n')
  expect(cli.sleeps).toEqual([])
})

test('--call reads a pipe of the shell once, printing and sending', async () => {
  const server = await startServer()
  const cli = await testCli()
  const printed = await cli.run('webhook', 'replay', await shellPipe(recording), '--call', 'c2')
  expect(printed.stdout).toBe('── c2 · queued\n')
  const sending = ['--to', server.url, '--speed', 'max']
  await cli.run('webhook', 'replay', await shellPipe(recording), '--call', 'c2', ...sending)
  expect(server.bodies()).toEqual([bodies[2]])
})

test('--call accepts a unique prefix; an ambiguous one prints or sends nothing', async () => {
  const cli = await testCli({
    'calls.ndjson': [
      statusUpdate('CC-11', 'queued'),
      statusUpdate('CC-12', 'queued'),
      statusUpdate('CC-2', 'queued'),
    ]
      .map(body => recordedLine(body))
      .join(''),
  })
  const shown = (id: string) => cli.run('webhook', 'replay', 'calls.ndjson', '--call', id)
  expect((await shown('CC-12')).stdout).toBe('── CC-12 · queued\n')
  expect((await shown('CC-2')).stdout).toBe('── CC-2 · queued\n')
  expect((await shown('CC-11')).stdout).toBe('── CC-11 · queued\n')
  const { exitCode, stdout, stderr } = await shown('CC-1')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain('2 recorded calls have ids that start with CC-1')
  expect(stderr).toContain('give more of the id: CC-11, CC-12')
})

test('--debug counts the repeats that were dropped', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stderr } = await cli.run('webhook', 'replay', 'calls.ndjson', '--debug')
  expect(stderr).toContain('2 messages\n')
  expect(stderr).toContain('1 repeat dropped\n')
})

test('--json prints the lines of tail --json, which parse and contain no control characters', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const { stdout } = await cli.run('webhook', 'replay', 'calls.ndjson', '--json')
  expect(stdout).not.toContain('\u009b')
  const lines: { kind: string }[] = jsonLines(stdout)
  expect(lines.map(({ kind }) => kind)).toEqual([
    'status',
    'message',
    'status',
    'message',
    'status',
    'summary',
  ])
  expect(lines.at(-1)).toEqual({
    kind: 'summary',
    calls: 2,
    finished: 1,
    events: 5,
    messages: 2,
    edits: 0,
    repeats: 1,
    late: 0,
  })
})

test('--to sends every body unchanged and in order, and prints the count', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const server = await startServer()
  const result = await cli.run('webhook', 'replay', 'calls.ndjson', '--to', server.url, '--speed', 'max')
  expect(result).toMatchObject({ exitCode: 0, stdout: `${server.url}\n  5 events sent\n` })
  expect(server.bodies().filter(body => body.includes('"c1"'))).toEqual(
    bodies.filter(body => body.includes('"c1"')),
  )
  expect([...server.bodies()].sort()).toEqual([...bodies].sort())
})

test.each([
  [[], [1000, 3000, 7000, 1000]],
  [
    ['--speed', '10'],
    [100, 300, 700, 100],
  ],
  [['--speed', 'max'], []],
  [
    ['--type', 'status-update'],
    [4000, 8000],
  ],
])('with --to and %j, events have these intervals', async (argv, waits) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const server = await startServer()
  const clock = leapingClock()
  await cli.runWith({ clock }, 'webhook', 'replay', 'calls.ndjson', '--to', server.url, ...argv)
  expect(clock.slept).toEqual(waits)
})

test('--speed holds for printing too', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const clock = leapingClock()
  await cli.runWith({ clock }, 'webhook', 'replay', 'calls.ndjson', '--speed', '0.5', '--call', 'c2')
  await cli.runWith({ clock }, 'webhook', 'replay', 'calls.ndjson', '--speed', '2', '--from', '4s')
  expect(clock.slept).toEqual([3500, 500])
})

test('a torn last line and garbage are reported and skipped', async () => {
  const [first = '', ...rest] = recording.split(/(?<=\n)/)
  const cli = await testCli({ 'calls.ndjson': `${first}garbage\n${rest.join('').slice(0, -20)}` })
  const server = await startServer()
  const { exitCode, stderr, stdout } = await cli.run(
    ...['webhook', 'replay', 'calls.ndjson', '--to', server.url, '--speed', 'max', '--json'],
  )
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/calls\.ndjson:2:1: warning: not a recorded event/)
  expect(stderr).toMatch(/calls\.ndjson:6:1: warning: the last line is incomplete/)
  expect(JSON.parse(stdout)).toEqual({
    target: server.url,
    sent: 4,
    failed: 0,
    skippedLines: 2,
    failures: [],
  })
  const printed = await cli.run('webhook', 'replay', 'calls.ndjson')
  expect(printed.stderr).toContain('2 messages, 2 lines skipped')
})

test.each([
  ['some fail', (body: string) => (body.includes('finished') ? 500 : 200), 8],
  ['all are refused', () => 422, 5],
  ['all are redirected', () => 307, 5],
  ['the key is wrong', () => 401, 5],
  ['the server fails', () => 503, 6],
  ['some are refused and the others fail', (body: string) => (body.includes('finished') ? 500 : 404), 6],
])('%s: exit code and what failed', async (_, statusOf, exitCode) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const server = await startServer(statusOf)
  const argv = ['webhook', 'replay', 'calls.ndjson', '--to', server.url, '--speed', 'max']
  const result = await cli.run(...argv, '--json')
  expect(result.exitCode).toBe(exitCode)
  const { sent, failed, failures } = JSON.parse(result.stdout)
  expect(sent + failed).toBe(5)
  expect(failures).toHaveLength(failed)
  expect(failures.at(-1)).toEqual({
    number: 5,
    at: '2026-03-01T10:00:12.000Z',
    callId: 'c1',
    type: 'status-update',
    status: expect.any(Number),
    milliseconds: expect.any(Number),
    body: '\u001b[2Jsorry',
  })
  const shown = await cli.run(...argv)
  expect(shown.stdout).toContain('✗ event 5 (2026-03-01T10:00:12.000Z, status-update of c1) after')
  expect(shown.stdout).toContain('\\x1b[2Jsorry')
  expect(shown.stdout).not.toContain('\u001b')
})

test('reports a missing server after retries', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const origin = await refusingOrigin()
  const argv = [
    'webhook',
    'replay',
    'calls.ndjson',
    '--to',
    origin,
    '--speed',
    'max',
    '--type',
    'status-update',
  ]
  const result = await cli.run(...argv, '--call', 'c1')
  expect(result).toMatchObject({ exitCode: 6 })
  expect(result.stdout).toMatch(/connection\s+refused/)
  expect(cli.sleeps.filter(slept => slept >= 500)).toEqual([500, 1000, 2000])
})

test('--header goes out, and a query is not shown', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const server = await startServer((_, headers) => (headers['x-token'] === 't 1' ? 200 : 401))
  const result = await cli.run(
    ...['webhook', 'replay', 'calls.ndjson', '--to', `${server.url}?key=s3cret`, '--speed', 'max'],
    ...['--header', 'X-Token: t 1'],
  )
  expect(result).toMatchObject({ exitCode: 0, stdout: `${server.url}\n  5 events sent\n` })
})

test('Ctrl-C ends it between two events and prints the progress', async () => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const server = await startServer()
  const ending = new AbortController()
  const clock: Clock = {
    now: () => 0,
    async sleep(_, signal) {
      // The time that a command has to end by itself.
      if (ending.signal.aborted) return new Promise(() => {})
      while (server.bodies().length === 0) await new Promise<void>(resolve => setImmediate(resolve))
      ending.abort('SIGINT')
      signal?.throwIfAborted()
    },
  }
  const { exitCode, stderr } = await cli.runWith(
    { clock, signal: ending.signal },
    ...['webhook', 'replay', 'calls.ndjson', '--to', server.url],
  )
  expect(exitCode).toBe(130)
  expect(stderr).toMatch(/Cancelled; [01] events? sent/)
  expect(server.bodies()).toEqual([bodies[0]])
})

test.each([
  [['calls.ndjson', '--type', 'status-updat'], 'did you mean status-update?'],
  [['calls.ndjson', '--call', 'c9'], 'did you mean c'],
  [['calls.ndjson', '--from', '1m'], 'no event matches'],
  [['calls.ndjson', '--speed', '0'], 'max'],
  [['calls.ndjson', '--from', 'yesterday'], '2026-03-01T10:00:00Z'],
  [['calls.ndjson', '--from', '2026-03-01T10:00:00'], '2026-03-01T10:00:00Z'],
  [['calls.ndjson', '--to', 'ftp://example.com'], 'http'],
  [['calls.ndjson', '--header', 'a: b'], '--to'],
])('%j is wrong usage', async (argv, said) => {
  const cli = await testCli({ 'calls.ndjson': recording })
  const result = await cli.run('webhook', 'replay', ...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(said)
})

/** Time passes by sleeping alone. */
function leapingClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = []
  let now = 5_000_000
  return {
    slept,
    now: () => now,
    async sleep(milliseconds) {
      slept.push(milliseconds)
      now += milliseconds
    },
  }
}

async function startServer(
  statusOf: (body: string, headers: NodeJS.Dict<string | string[]>) => number = () => 200,
) {
  const target = await startTarget((response, { body, headers }) => {
    const status = statusOf(body.toString(), headers)
    const text = status === 200 ? '{"message":"ok"}' : '\u001b[2Jsorry'
    return response.writeHead(status, { location: '/elsewhere' }).end(text)
  })
  return { url: target.url, bodies: () => target.arrivals.map(({ body }) => body.toString()) }
}
