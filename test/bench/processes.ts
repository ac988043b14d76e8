import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { median } from './rounds.ts'
import type { Figure } from './table.ts'

/** One run of a fresh process. */
export interface Sample {
  /** Infinity where it did not end in time. */
  readonly seconds: number
  /** User and system time of the process itself; NaN where it was not probed. */
  readonly cpuSeconds: number
  /** Peak of its resident memory; NaN where it was not probed. */
  readonly megabytes: number
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Input that is written to stdin immediately. */
  readonly input?: string
  /** false: take the time alone, without the probe, which costs a start about a millisecond. Default: true. */
  readonly isProbed?: boolean
  /** The exit code that is right. Default: 0. */
  readonly exitCode?: number
  /** When it is killed: its time is infinite. Default: two minutes. */
  readonly timeoutSeconds?: number
}

/** Runs Node with these arguments; its output is thrown away. @throws where it ends with another exit code. */
export async function runNode(args: readonly string[], options: RunOptions): Promise<Sample> {
  if (options.isProbed === false) {
    return { seconds: await timed(args, options), cpuSeconds: Number.NaN, megabytes: Number.NaN }
  }
  const folder = await mkdtemp(join(tmpdir(), 'callyard-probe-'))
  try {
    const [probe, report] = [join(folder, 'probe.cjs'), join(folder, 'report.json')]
    await writeFile(probe, probeProgram(report))
    const seconds = await timed(['-r', probe, ...args], options)
    const [kilobytes, microseconds] =
      seconds === Number.POSITIVE_INFINITY ? [] : JSON.parse(await readFile(report, 'utf8'))
    return { seconds, cpuSeconds: Number(microseconds) / 1e6, megabytes: Number(kilobytes) / 1024 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function timed(args: readonly string[], options: RunOptions): Promise<number> {
  const { cwd, env = {}, input, exitCode = 0, timeoutSeconds = 120 } = options
  const started = process.hrtime.bigint()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...bareEnvironment(), CALLYARD_CONFIG_DIR: join(cwd, '.settings'), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe'],
    timeout: timeoutSeconds * 1000,
    killSignal: 'SIGKILL',
  })
  child.stdin?.end(input)
  const ended = new Promise<{ code: number | null; seconds: number }>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', code => resolve({ code, seconds: Number(process.hrtime.bigint() - started) / 1e9 }))
  })
  const [{ code, seconds }, stderr] = await Promise.all([
    ended,
    child.stderr === null ? '' : text(child.stderr),
  ])
  if (code === exitCode) return seconds
  if (code === null && seconds >= timeoutSeconds) return Number.POSITIVE_INFINITY
  throw new Error(`${args.slice(-6).join(' ')} ended with ${code}: ${stderr.slice(-500)}`)
}

/** A list of extra certificates is read at every start, and alone triples a bare one. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env
  return environment
}

/**
 * Loaded before the command: writes at its end what memory and time it took. On Linux the memory comes from /proc, because
 * what Node gives includes the process that started it where that was bigger.
 */
function probeProgram(report: string): string {
  return `const { readFileSync, writeFileSync } = require('node:fs')
const own = () => Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
const peak = () => { try { return own() } catch { return process.resourceUsage().maxRSS } }
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeFileSync(${JSON.stringify(report)}, JSON.stringify([peak(), user + system]))
})
`
}

/** The median time of runs as a figure in seconds, with what else is known of them. */
export function secondsOf(samples: readonly Sample[]): Figure {
  const [seconds, cpu, megabytes] = (['seconds', 'cpuSeconds', 'megabytes'] as const).map(name =>
    median(samples.map(sample => sample[name])),
  )
  return {
    value: seconds ?? Number.NaN,
    detail: `${cpu?.toFixed(2)} s of processor time, ${megabytes?.toFixed(0)} MB`,
  }
}

/** Median processor time, which other work on the machine affects less than the clock. */
export function cpuOf(samples: readonly Sample[]): Figure {
  const value = median(samples.map(({ cpuSeconds }) => cpuSeconds))
  return { value, detail: `${median(samples.map(({ seconds }) => seconds)).toFixed(2)} s on the clock` }
}

/** The median of their peaks of memory as a figure in MB. */
export function megabytesOf(samples: readonly Sample[]): Figure {
  return { value: median(samples.map(({ megabytes }) => megabytes)) }
}
