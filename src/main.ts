import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import type { Host } from './cli/shell/context.ts'
import { processHost } from './cli/shell/host.ts'

/** Starts the real process. The exit code is set, not forced, so that pipes are flushed. */
export async function start(): Promise<void> {
  const host = processHost()
  host.exitCode(await main(host.argv, host))
}

/** Runs callyard with arguments (without node and script) and returns the exit code. Prints versions and rendered help before loading commands. */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const text = isVersion(argv)
    ? `${manifest.version}\n`
    : (renderedHelp(argv, host.stdout) ?? (await completeWithoutCommands(argv)))
  if (text !== undefined) {
    host.stdout.write(text)
    return 0
  }
  // The doctor must not create the folder of the cache.
  if (!argv.includes('doctor')) await host.openCode?.('')
  const { runProgram } = await import('./cli/commands/run.ts')
  return runProgram(argv, host)
}

function isVersion([only = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && ['--version', '-V', 'version'].includes(only)
}

/** Returns the lines of a completion that needs only the command table (src/cli/commands/completion/complete.ts). */
async function completeWithoutCommands(argv: readonly string[]): Promise<string | undefined> {
  if (argv[0] !== '__complete') return undefined
  return (await import('./cli/commands/completion/complete.ts')).completeFromTable(argv)
}

/** Returns the help page or topic that the build rendered for 80 columns (scripts/build.js), or undefined for narrower terminals. */
function renderedHelp(argv: readonly string[], { columns = 80 }: Host['stdout']): string | undefined {
  const [first = 'help', ...rest] = argv
  const asksForHelp = ['-h', '--help'].includes(argv.at(-1) ?? '')
  const words = asksForHelp ? argv.slice(0, -1) : first === 'help' ? rest : undefined
  if (words === undefined || !words.every(word => /^[a-z]+(-[a-z]+)*$/.test(word))) return undefined
  const page = ['callyard', ...words].join('.')
  if (columns < 80) return undefined
  const pages = [
    ...(first === 'help' && words.length === 1 ? [`topics/${words[0]}`] : []),
    `commands/${page}`,
  ]
  for (const name of pages) {
    try {
      return readFileSync(join(import.meta.dirname, 'help', `${name}.txt`), 'utf8')
    } catch {}
  }
  return undefined
}
