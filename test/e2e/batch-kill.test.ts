import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { bin, startBin, temporaryFolder } from '../helpers/run-bin.ts'

const people = 12
const journal = '.callyard/batches/calls/journal.ndjson'

/** Point of a kill: around the nth request, or at the nth event of the journal. */
type KillPoint =
  | { readonly request: number; readonly at: 'before the response' | 'after the response' }
  | { readonly event: number }

/** `npm run attack -- cases` kills at 200 points. */
const points: readonly KillPoint[] = everyCase
  ? [
      ...Array.from({ length: 2 * people }, (_, index) => ({
        request: Math.floor(index / 2) + 1,
        at: index % 2 === 0 ? ('before the response' as const) : ('after the response' as const),
      })),
      ...Array.from({ length: 176 }, (_, index) => ({ event: (index % (2 * people)) + 1 })),
    ]
  : [
      { request: 3, at: 'before the response' },
      { request: 4, at: 'after the response' },
      { event: 1 },
      { event: 9 },
    ]

test.each(points)(
  'after a kill at $event$request $at nobody is called twice, and nobody is forgotten',
  async point => {
    const bench = await openBench()
    await bench.run({ point })
    await bench.expectFinished()
  },
)

test.each(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)(
  '%s pauses the batch after the call in progress',
  async signal => {
    const bench = await openBench()
    const paused = await bench.run({ signalAt: { signal, request: 3 } })
    expect(paused.exitCode).toBe(130)
    expect(paused.stderr).toMatch(/Paused; 3 placed, 9 to call/)
    expect(bench.calls()).toHaveLength(3)
    await bench.expectFinished({ unknown: 0 })
  },
)

test('a service that resets a connection or does not respond leaves a call unknown, and nobody is called twice', async () => {
  const bench = await openBench({ fault: { 2: 'reset', 5: 'hang' } })
  const { exitCode, stderr } = await bench.run({ flags: ['--timeout', '1s'] })
  expect(exitCode).toBe(9)
  expect(stderr).toContain('2 people may have been called')
  await bench.expectFinished({ unknown: 2 })
})

test('a full disk stops the batch before the next call, and it continues later', async () => {
  const bench = await openBench()
  // With a limit on the size of files, and its signal ignored, writes fail as on a full disk.
  const full = await execa(
    'bash',
    ['-c', `trap '' XFSZ; ulimit -f 2; exec "$@"`, 'bash', ...bench.command()],
    {
      ...{ cwd: bench.folder, env: bench.env, extendEnv: false, reject: false },
    },
  )
  expect(full.exitCode).toBe(2)
  expect(full.stderr).toContain('cannot be written')
  expect(full.stderr).toContain('nobody is called without it')
  const called = bench.calls().length
  expect(called).toBeGreaterThan(0)
  expect(called).toBeLessThan(people)
  await bench.expectFinished()
})

type Fault = 'reset' | 'hang'

async function openBench({ fault = {} }: { readonly fault?: Readonly<Record<number, Fault>> } = {}) {
  const folder = await temporaryFolder()
  const config = await temporaryFolder()
  const numbers: string[] = []
  let onRequest: ((index: number, respond: () => void) => void) | undefined
  const respondTo = (response: ServerResponse, index: number) => () =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ sid: `CC-${index}` }))
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method !== 'POST') return void response.writeHead(404).end()
    numbers.push(JSON.parse(Buffer.concat(chunks).toString()).userNumber)
    const index = numbers.length
    if (fault[index] === 'reset') return void response.destroy()
    if (fault[index] === 'hang') return
    const respond = respondTo(response, index)
    if (onRequest === undefined) respond()
    else onRequest(index, respond)
  })
  const { origin } = await listenOnLoopback(server)
  onTestFinished(() => server.closeAllConnections())
  await mkdir(join(folder, 'batches'))
  await writeFile(join(folder, 'callyard.yaml'), '')
  await writeFile(join(folder, 'batches/calls.yaml'), 'list: list.csv\nfrom: "+12025550190"\n')
  const rows = Array.from(
    { length: people },
    (_, index) => `+1202555${String(100 + index).padStart(4, '0')}\n`,
  )
  await writeFile(join(folder, 'batches/list.csv'), `phone\n${rows.join('')}`)
  const env = {
    PATH: process.env.PATH,
    CALLYARD_BASE_URL: origin,
    CALLYARD_API_KEY: 'key',
    CALLYARD_CONFIG_DIR: config,
  }
  const argv = ['call', 'batch', 'run', 'calls', '--yes', '--max-calls', '100', '--no-log', '--json']

  async function run({ point, signalAt, flags = [] }: RunOptions = {}) {
    const child = startBin([...argv, ...flags], { cwd: folder, env })
    const kill = () => child.kill('SIGKILL')
    onRequest = (index, respond) => {
      if (signalAt?.request === index) child.kill(signalAt.signal)
      if (point === undefined || !('request' in point) || point.request !== index) return void respond()
      if (point.at === 'after the response') respond()
      kill()
    }
    const stop =
      point !== undefined && 'event' in point
        ? await killAtEvent(folder, { file: journal, event: point.event }, kill)
        : () => undefined
    const { exitCode, stdout, stderr, isTerminated } = await child
    stop()
    onRequest = undefined
    return { exitCode, stdout, stderr, isTerminated }
  }

  return {
    folder,
    env,
    run,
    calls: () => numbers,
    command: () => [process.execPath, bin, ...argv],
    /** Continues the batch and checks that each person was called once, or may have been. */
    async expectFinished({ unknown: expected }: { readonly unknown?: number } = {}) {
      const { exitCode, stdout } = await run()
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
      const summary = lines.find(({ kind }) => kind === 'summary')
      const { placed, unknown, due, rejected } = summary.counts
      expect({ placed: placed + unknown, due, rejected }).toEqual({ placed: people, due: 0, rejected: 0 })
      expect(exitCode).toBe(unknown === 0 ? 0 : 9)
      expect(unknown).toBeLessThanOrEqual(expected ?? 1)
      if (expected !== undefined) expect(unknown).toBe(expected)
      expect(new Set(numbers).size).toBe(numbers.length)
      // Only a person who may have been called can be missing at the service.
      expect(numbers.length).toBeGreaterThanOrEqual(people - unknown)
    },
  }
}

interface RunOptions {
  readonly point?: KillPoint
  readonly signalAt?: { readonly signal: NodeJS.Signals; readonly request: number }
  readonly flags?: readonly string[]
}
