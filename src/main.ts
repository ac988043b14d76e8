import manifest from '../package.json' with { type: 'json' }
import type { Host } from './cli/context.ts'
import { processHost } from './cli/host.ts'

/** The text of `callwright --help`, rendered from program.ts when the bundle is built; empty while building. */
declare const ROOT_HELP: string

/** Starts the real process. The exit code is set, not forced, so that pipes are flushed. */
export async function start(): Promise<void> {
  const host = processHost()
  host.exitCode(await main(host.argv, host))
}

/** argv (without node and script) → exit code. What needs no command is answered before anything is loaded. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const answer = quickAnswer(argv)
  if (answer !== undefined) {
    host.stdout.write(answer)
    return 0
  }
  const { runProgram } = await import('./commands/run.ts')
  return runProgram(argv, host)
}

function quickAnswer(argv: readonly string[]): string | undefined {
  const [only, ...more] = argv
  if (more.length > 0) return undefined
  if (only === '--version' || only === '-V' || only === 'version') return `${manifest.version}\n`
  if (only === undefined || only === '--help' || only === '-h' || only === 'help') {
    return typeof ROOT_HELP === 'undefined' || ROOT_HELP === '' ? undefined : ROOT_HELP
  }
  return undefined
}
