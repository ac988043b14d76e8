import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { bin, runBin, startBin } from '../helpers/run-bin.ts'
import { type ScriptedCall, startEventService } from './event-service.ts'

/** Point of a kill. Files are those of the batch; the others count at the service. */
export type KillPoint =
  | { readonly file: 'journal' | 'events' | 'results' | 'do-not-call'; readonly event: number }
  | { readonly request: number; readonly at: 'before the response' | 'after the response' }
  | { readonly delivery: number; readonly at: 'before the response' | 'after the response' }

const state = '.callyard/batches/calls'
const files = {
  journal: `${state}/journal.ndjson`,
  events: `${state}/events.ndjson`,
  results: 'batches/calls.results.csv',
  'do-not-call': 'do-not-call.csv',
} as const

/** A time that has just passed, so that the callback is placed at once. */
const past = new Date(Date.now() - 60_000).toISOString()
const optOut: ScriptedCall = { outcome: 'answered', says: 'Please take me off your list' }
/** Scripts of the people, in turn. */
export const scripts: readonly (readonly ScriptedCall[])[] = [
  [{ outcome: 'answered' }],
  [{ outcome: 'busy' }, { outcome: 'answered', says: 'Hello' }],
  [{ outcome: 'no-answer' }],
  [optOut],
  [{ outcome: 'answered', data: { callbackAt: past } }, { outcome: 'answered' }],
  [{ outcome: 'busy' }, optOut],
  [{ outcome: 'answered', data: { optOut: true, callbackAt: past } }],
  [{ outcome: 'answered', data: { callbackAt: past } }, { outcome: 'no-answer' }, { outcome: 'answered' }],
]

/** Calls to a person with `retry` of 2 attempts and 2 callbacks, and what becomes of the person. */
const expectedOf: readonly { readonly calls: number; readonly status: string }[] = [
  { calls: 1, status: 'answered' },
  { calls: 2, status: 'answered' },
  { calls: 2, status: 'no-answer' },
  { calls: 1, status: 'opted-out' },
  { calls: 2, status: 'answered' },
  { calls: 2, status: 'opted-out' },
  { calls: 1, status: 'opted-out' },
  { calls: 3, status: 'answered' },
]

export interface RunOptions {
  readonly point?: KillPoint
  /** Called at a request; its response waits for the result. */
  readonly at?: { readonly request: number; readonly act: (child: ReturnType<typeof startBin>) => unknown }
  readonly flags?: readonly string[]
  /** Default: `run`. */
  readonly verb?: 'run' | 'resume'
}

interface BatchOptions {
  readonly people?: number
  /** Default: followed calls with retries, callbacks and results. */
  readonly isFollowed?: boolean
}

/** A batch whose commands run in processes of their own, at a service that sends events. */
export async function openBatch({ people = 8, isFollowed = true }: BatchOptions = {}) {
  const folder = await temporaryFolder()
  const config = await temporaryFolder()
  /** Numbers of the people. */
  const numbers = Array.from({ length: people }, (_, index) => `+1202555${1000 + index}`)
  const patternOf = (number: string) => (Number(number.slice(-4)) - 1000) % scripts.length
  const service = await startEventService(number => scripts[patternOf(number)] ?? [])
  await mkdir(join(folder, 'batches'))
  await mkdir(join(folder, 'assistants'))
  await writeFile(join(folder, 'callyard.yaml'), '')
  await writeFile(join(folder, 'assistants/desk.yaml'), 'name: Desk\n')
  const following = [
    'assistant: ../assistants/desk.yaml',
    'concurrency: 3',
    'retry: { on: [no-answer, busy], attempts: 2, after: 0s }',
    'callback: { field: structuredData.callbackAt, attempts: 2 }',
    'results: calls.results.csv',
  ]
  await writeFile(
    join(folder, 'batches/calls.yaml'),
    ['list: list.csv', 'from: "+12025550190"', ...(isFollowed ? following : []), ''].join('\n'),
  )
  await writeFile(join(folder, 'batches/list.csv'), `phone\n${numbers.join('\n')}\n`)
  const env = {
    PATH: process.env.PATH ?? '',
    CALLYARD_BASE_URL: service.origin,
    CALLYARD_API_KEY: 'key',
    CALLYARD_CONFIG_DIR: config,
  }
  const runFlags = [...(isFollowed ? ['--follow'] : []), '--yes', '--max-calls', '100', '--no-log']
  const argvOf = (verb: string) => ['batch', verb, 'calls', ...runFlags]
  const { hooks, calls } = service
  const callsTo = (number: string) => calls.filter(call => call.number === number)

  async function run({ point, at, flags = [], verb = 'run' }: RunOptions = {}) {
    const child = startBin([...argvOf(verb), '--json', ...flags], { cwd: folder, env })
    const kill = () => child.kill('SIGKILL')
    let requests = 0
    let deliveries = 0
    hooks.onRequest = (_, respond) => {
      requests += 1
      if (at?.request === requests) return void Promise.resolve(at.act(child)).then(respond)
      if (point === undefined || !('request' in point) || point.request !== requests) return respond()
      if (point.at === 'after the response') respond()
      kill()
    }
    hooks.onDelivery = (_, isAcknowledged) => {
      if (point === undefined || !('delivery' in point)) return
      const isAfter = point.at === 'after the response'
      if (isAcknowledged === isAfter) deliveries += 1
      if (isAcknowledged === isAfter && deliveries === point.delivery) kill()
    }
    const stopWatching =
      point !== undefined && 'file' in point
        ? await killAtEvent(folder, { file: files[point.file], event: point.event }, kill)
        : () => undefined
    const { exitCode, stdout, stderr, signal } = await child
    stopWatching()
    hooks.onRequest = (_, respond) => respond()
    hooks.onDelivery = () => undefined
    return { exitCode, stdout, stderr, isKilled: signal === 'SIGKILL' }
  }

  return {
    ...{ folder, env, service, calls, callsTo, numbers, patternOf, run, argv: argvOf('run') },
    /** Runs another command of the batch. */
    ask: (verb: string, ...more: string[]) =>
      runBin(['batch', verb, 'calls', ...more, '--json'], { cwd: folder, env }),
    command: (...flags: string[]) => [process.execPath, bin, ...argvOf('run'), '--json', ...flags],
  }
}

/** A batch of followed calls that is continued to its end. */
export async function openFollowedBatch(options: Pick<BatchOptions, 'people'> = {}) {
  const batch = await openBatch(options)
  const { folder, callsTo, numbers, patternOf, run } = batch

  /** Numbers of requests that never reached the service, because a kill came between their line and them. */
  const neverSent = async () => {
    const open = new Map<string, string>()
    for (const step of await readJournal())
      if (step.step === 'calling') open.set(String(step.attempt), String(step.number))
      else open.delete(String(step.attempt))
    const knownIds = new Set(
      (await readJournal()).flatMap(({ call }) => (typeof call === 'string' ? [call] : [])),
    )
    return [...open.values()].filter(number => callsTo(number).every(({ id }) => knownIds.has(id)))
  }
  const readJournal = async (): Promise<Record<string, unknown>[]> => {
    const text = await readFile(join(folder, files.journal), 'utf8').catch(() => '')
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
  }
  /** Moves the journal into the past: a call whose response was lost is doubtful for a minute. */
  const age = async () => {
    const lines = (await readJournal()).map(step => {
      const at = typeof step.at === 'string' ? new Date(Date.parse(step.at) - 61_000).toISOString() : step.at
      return `${JSON.stringify({ ...step, at })}\n`
    })
    await writeFile(join(folder, files.journal), lines.join(''))
  }

  return {
    ...batch,
    /** Continues the batch to its end, and checks who was called how often, and what is written about it. */
    async expectFinished(options: RunOptions = {}) {
      const unsent = new Set(await neverSent())
      if (unsent.size > 0) await age()
      const flags = [...(unsent.size > 0 ? ['--retry-unknown'] : []), ...(options.flags ?? [])]
      const { exitCode, stderr } = await run({ ...options, flags })
      expect(exitCode, stderr).toBe(0)
      const rows = (await readFile(join(folder, files.results), 'utf8'))
        .replace('\ufeff', '')
        .trim()
        .split('\n')
      const byNumber = new Map(rows.slice(1).map(row => [row.split(',')[0] ?? '', row.split(',')]))
      expect([...byNumber.keys()].toSorted()).toEqual(numbers.toSorted())
      const out: string[] = []
      for (const number of numbers) {
        const expected = expectedOf[patternOf(number)] ?? { calls: 0, status: '' }
        const called = callsTo(number)
        const [, , status, attempted, , ids = ''] = byNumber.get(number) ?? []
        expect(called.length, `calls to ${number}`).toBeLessThanOrEqual(expected.calls)
        expect(called.length, `calls to ${number}`).toBeGreaterThan(0)
        const resultIds = ids.split('; ').filter(id => id !== '')
        expect(resultIds, `calls to ${number} in the results`).toEqual(called.map(({ id }) => id))
        if (!unsent.has(number)) {
          expect(called.length, `calls to ${number}`).toBe(expected.calls)
          expect({ number, status, attempted }).toEqual({
            ...{ number, status: expected.status, attempted: String(expected.calls) },
          })
        }
        if (status === 'opted-out') out.push(number)
      }
      const list = await readFile(join(folder, files['do-not-call']), 'utf8').catch(() => 'number\n')
      const lines = list.trim().split('\n').slice(1)
      const listed = lines.map(line => line.split(',')[0] ?? '')
      expect(new Set(listed).size).toBe(listed.length)
      expect(listed.toSorted()).toEqual(out.toSorted())
      return { unsent: unsent.size }
    },
  }
}
