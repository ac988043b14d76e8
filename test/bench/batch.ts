import { appendFile, mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runAgainstSandbox } from '../calls/batch/sandbox-batch.ts'
import { weekOf } from '../calls/batch/week.ts'
import { memoryFolder } from '../helpers/temporary-files.ts'
import { startInstantService } from './instant-service.ts'
import { megabytesOf, runNode, type Sample, secondsOf } from './processes.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench, type Figure } from './table.ts'

const all = 100_000
const [few, many] = [1000, 20_000]
const [fewFollowed, manyFollowed] = [1000, 10_000]

/** Planning and running batches of calls. */
export const batchBench = defineBench({
  name: 'batch',
  rows: {
    week: {
      work: 'batch of 2,000 people in four time zones: a week of calls to the sandbox, on a clock that is moved',
      unit: 's',
      goal: atMost(10),
    },
    plan: { work: '`batch plan` of 100,000 rows in four time zones', unit: 's', goal: atMost(3) },
    planMemory: { work: '`batch plan` of 100,000 rows: peak memory', unit: 'MB', goal: atMost(300) },
    run: {
      work: '`batch run`: time of a row at 20,000, against at 1,000',
      unit: 'times',
      goal: atMost(1.3),
    },
    follow: {
      work: '`batch run --follow`: time of a row at 10,000, against at 1,000',
      unit: 'times',
      goal: atMost(1.3),
    },
    continued: {
      work: '`batch run --follow`: start with 10,000 followed calls, against with 1,000',
      unit: 'times',
      goal: atMost(10),
    },
    runMemory: {
      work: '`batch run` with 100,000 people who were called: peak memory',
      unit: 'MB',
      goal: atMost(600),
    },
    status: { work: '`batch status` after 100,000 calls', unit: 's', goal: atMost(0.5) },
    statusLater: { work: '`batch status` 3,000 steps later', unit: 's', goal: atMost(0.5) },
    statusAnew: { work: '`batch status` without a snapshot', unit: 's', goal: atMost(3) },
    statusPerRow: {
      work: '`batch status` without a snapshot: time of a row at 100,000, against at 20,000',
      unit: 'times',
      goal: atMost(1.3),
    },
    results: { work: '`batch export` of 100,000 results', unit: 's', goal: atMost(5) },
  },
  async measure({ bin, folder, rounds }) {
    const cwd = join(folder, 'batch')
    await mkdir(join(cwd, 'assistants'), { recursive: true })
    await writeFile(join(cwd, 'assistants/desk.yaml'), 'name: Desk\n')
    const service = await startInstantService()
    const batch = (verb: string, list: string, ...flags: string[]) =>
      runNode([bin, 'batch', verb, list, '--from', '+12025550100', ...flags], {
        ...{ cwd, env: service.env, timeoutSeconds: 900 },
      })
    const limits = ['--yes', '--max-calls', '1000000', '--no-log', '--quiet']
    const run = (list: string, ...flags: string[]) => batch('run', list, ...limits, ...flags)
    const followed = ['--follow', '--assistant', 'assistants/desk.yaml', '--concurrency', '20']
    const runAnew = async (list: string, ...flags: string[]) => {
      await rm(join(cwd, '.callyard/batches', list.replace('.csv', '')), { recursive: true, force: true })
      return run(list, ...flags)
    }
    const statusAnew = async (rows: number) => {
      await rm(join(cwd, '.callyard/batches', `called-${rows}`, 'status.ndjson'), { force: true })
      return batch('status', `called-${rows}.csv`)
    }
    try {
      for (const rows of [few, many]) await writeFile(join(cwd, `list-${rows}.csv`), listOf(rows))
      for (const rows of [fewFollowed, manyFollowed])
        await writeFile(join(cwd, `followed-${rows}.csv`), listOf(rows))
      for (const rows of [many, all])
        await writeCalled(cwd, `called-${rows}`, rows, service.env.CALLYARD_BASE_URL)
      const short = await interleaved(rounds(3), {
        plan: () => batch('plan', `called-${all}.csv`, '--name', 'new', '--hours', '09:00-20:00'),
        statusAnew: () => statusAnew(all),
        statusOfMany: () => statusAnew(many),
        status: () => batch('status', `called-${all}.csv`),
        statusLater: async () => {
          const undo = await callAgain(cwd, `called-${all}`, 1000)
          return batch('status', `called-${all}.csv`).finally(undo)
        },
        results: () => batch('export', `called-${all}.csv`, '--out', 'results.csv', '--force'),
        ended: () => run(`called-${all}.csv`),
      })
      const long = await interleaved(rounds(1), {
        few: () => runAnew(`list-${few}.csv`),
        many: () => runAnew(`list-${many}.csv`),
        fewFollowed: () => runAnew(`followed-${fewFollowed}.csv`, ...followed),
        manyFollowed: () => runAnew(`followed-${manyFollowed}.csv`, ...followed),
      })
      const again = await interleaved(rounds(3), {
        few: () => run(`followed-${fewFollowed}.csv`, ...followed),
        many: () => run(`followed-${manyFollowed}.csv`, ...followed),
      })
      return {
        week: await measureWeek(rounds(3)),
        plan: secondsOf(short.plan),
        planMemory: megabytesOf(short.plan),
        run: ratioOfRows(long.many, many, long.few, few),
        follow: ratioOfRows(long.manyFollowed, manyFollowed, long.fewFollowed, fewFollowed),
        continued: ratioOfRows(again.many, 1, again.few, 1),
        runMemory: megabytesOf(short.ended),
        status: secondsOf(short.status),
        statusLater: secondsOf(short.statusLater),
        statusAnew: secondsOf(short.statusAnew),
        statusPerRow: ratioOfRows(short.statusAnew, all, short.statusOfMany, many),
        results: secondsOf(short.results),
      }
    } finally {
      service.close()
    }
  },
})

/** Runner, sandbox and receiver of events share the process of the bench. Its journal is in memory: the figure is not that of a disk. */
async function measureWeek(rounds: number): Promise<Figure> {
  const seconds: number[] = []
  let calls = 0
  for (let round = 0; round < rounds; round += 1) {
    const opened: (() => Promise<void>)[] = []
    const started = performance.now()
    const { placed } = await runAgainstSandbox(weekOf(2000), close => opened.push(close), memoryFolder())
    seconds.push((performance.now() - started) / 1000)
    calls = placed.length
    for (const close of opened.toReversed()) await close()
  }
  return { value: median(seconds), detail: `${calls} calls` }
}

/** Ratio of the time of a row. */
function ratioOfRows(samples: readonly Sample[], rows: number, others: readonly Sample[], otherRows: number) {
  const seconds = (of: readonly Sample[]) => median(of.map(sample => sample.seconds))
  const [one, other] = [seconds(samples), seconds(others)]
  return {
    value: one / rows / (other / otherRows),
    detail: `${one.toFixed(1)} s for ${rows}, ${other.toFixed(1)} s for ${otherRows}`,
  }
}

function listOf(rows: number): string {
  const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles']
  const lines = Array.from(
    { length: rows },
    (_, index) => `c${index},Name ${index},${numberOf(index)},${zones[index % 4]}\n`,
  )
  return `customer_id,name,phone_number,tz\n${lines.join('')}`
}

function numberOf(index: number): string {
  return `+4915${100_000_000 + index}`
}

/** Writes a list, and the journal of a batch that has called everybody in it. */
async function writeCalled(cwd: string, name: string, rows: number, service: string): Promise<void> {
  const folder = join(cwd, '.callyard/batches', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(cwd, `${name}.csv`), listOf(rows))
  const lines = [JSON.stringify({ step: 'begun', at, version: 1, service, file: `${name}.csv` })]
  for (let index = 0; index < rows; index += 1) lines.push(...callTo(index, 'first'))
  await writeFile(join(folder, 'journal.ndjson'), `${lines.join('\n')}\n`)
}

/** Adds second calls to the journal of a batch. Returns a function that removes them. */
async function callAgain(cwd: string, name: string, calls: number): Promise<() => Promise<void>> {
  const path = join(cwd, '.callyard/batches', name, 'journal.ndjson')
  const { size } = await stat(path)
  const lines = Array.from({ length: calls }, (_, index) => callTo(index, 'again'))
  await appendFile(path, `${lines.flat().join('\n')}\n`)
  return () => truncate(path, size)
}

const at = '2026-11-24T09:00:00.000Z'

/** Steps of a call. */
function callTo(index: number, kind: 'first' | 'again'): string[] {
  const attempt = `00000000-0000-4000-${kind === 'first' ? '8' : '9'}000-${String(index).padStart(12, '0')}`
  const called = { person: `c${index}`, number: numberOf(index), from: '+12025550100', kind }
  const analysis = { summary: 'Fine', success: null, structuredData: { interested: index % 2 === 0 } }
  const ended = { outcome: 'answered', seconds: 30, endedBy: 'user', reason: null, analysis }
  return [
    JSON.stringify({ step: 'calling', at, attempt, ...called }),
    JSON.stringify({ step: 'placed', at, attempt, call: `CC-${index}` }),
    JSON.stringify({ step: 'ended', at, attempt, ...ended, callbackAt: null }),
  ]
}
