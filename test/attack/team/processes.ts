import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { AttackTools } from '../attack.ts'

type Line = Readonly<Record<string, unknown>> & { readonly kind: string }
export type RelayProgram = Awaited<ReturnType<typeof startRelay>>

interface ProgramOptions {
  readonly argv: readonly string[]
  /** Called with each line of `--json`, and the number of the process that printed it. */
  onLine(line: Line, process: number): void
}

/** A command that is started again with the same arguments. */
async function startProgram({ argv, onLine }: ProgramOptions, tools: AttackTools) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CALLYARD_CONFIG_DIR: await tools.folder(),
  }
  let number = 0
  let isEnding = false
  let child: ChildProcess | undefined
  const killed = new Set<number>()
  let restarts = 0
  const start = () => {
    const own = ++number
    const started = spawn(process.execPath, [tools.bin, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    createInterface({ input: started.stdout }).on('line', line => {
      // The last line of a killed process may be torn.
      if (line.endsWith('}')) onLine(JSON.parse(line), own)
    })
    let errors = ''
    started.stderr.on('data', chunk => {
      errors = (errors + chunk).slice(-2000)
    })
    started.once('exit', async (code, signal) => {
      if (signal !== null || isEnding) return
      tools.note(`${argv.slice(0, 2).join(' ')} exited with ${code}: ${errors}`)
      await delay(1000)
      if (child !== started || isEnding) return
      restarts++
      start()
    })
    return started
  }
  tools.onEnd(() => {
    isEnding = true
    child?.kill('SIGKILL')
  })
  return {
    start,
    /** Numbers of the processes that were killed. */
    killed,
    /** Times that it exited by itself and was started again, as a service manager does. */
    restarts: () => restarts,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      killed.add(number)
      const exited = once(child, 'close')
      child.kill('SIGKILL')
      await exited
    },
    /** Ends it with Ctrl-C, and resolves with the exit code when its output was read. */
    async end(): Promise<number | null> {
      isEnding = true
      if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null
      const closed = once(child, 'close')
      child.kill('SIGINT')
      await closed
      return child.exitCode
    },
    /** Resident memory in MB; 0 if it has ended. */
    memory(): number {
      if (child === undefined || child.exitCode !== null) return 0
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child?.pid}/status`, 'utf8')) ?? []
      return Math.round(Number(kilobytes) / 1024)
    },
  }
}

/** Starts a relay, which keeps its port when it is started again. */
export async function startRelay(servers: readonly string[], tools: AttackTools) {
  const ready = new Map<number, () => void>()
  const argv = [
    ...['webhook', 'relay', '--json', '--nats', servers.join(','), '--max-bytes', '1gb'],
    ...['--spool', join(await tools.folder(), 'spool'), '--status-port', '0'],
  ]
  let url = ''
  const flags = [...argv, '--port', '0']
  const program = await startProgram(
    {
      argv: flags,
      onLine(line, number) {
        if (line.kind !== 'ready') return
        url = String(line.url)
        flags.splice(-1, 1, new URL(url).port)
        ready.get(number)?.()
      },
    },
    tools,
  )
  let starts = 0
  const start = async () => {
    const isReady = new Promise<void>(resolve => ready.set(++starts, resolve))
    program.start()
    await isReady
  }
  await start()
  return { ...program, start, url: () => url }
}

/** Starts a tail that shares the name `team`; resolves when it has its partitions. */
export async function startTail(
  {
    servers,
    index,
    onLine,
  }: { readonly servers: readonly string[]; readonly index: number } & Pick<ProgramOptions, 'onLine'>,
  tools: AttackTools,
) {
  const recording = join(await tools.folder(), `tail-${index}.ndjson`)
  const argv = ['webhook', 'tail', '--json', '--relay', servers.join(','), '--share', '--as', 'team']
  const program = await startProgram({ argv: [...argv, '--record', recording], onLine }, tools)
  return { ...program, recording }
}

export type TailProgram = Awaited<ReturnType<typeof startTail>>
