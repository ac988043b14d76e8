import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** A start of another command-line tool that npm installs. */
export interface Peer {
  /** `wrangler 4.164.0`. */
  readonly name: string
  /** The program that npm would link. */
  readonly program: string
  readonly argv: readonly string[]
}

/** Two versions of a package are installed under different names. */
const packages = [
  { folder: 'vercel', source: 'vercel@60.1.3', bin: 'vercel', command: 'deploy' },
  { folder: 'wrangler', source: 'wrangler@4.86.0', bin: 'wrangler', command: 'deploy' },
  { folder: 'elevenlabs-0', source: '@elevenlabs/cli@0.5.6', bin: 'elevenlabs', command: 'agents' },
  { folder: 'elevenlabs-1', source: '@elevenlabs/cli@1.3.0', bin: 'elevenlabs', command: 'agents' },
  { folder: 'stripe', source: '@stripe/cli@1.52.0', bin: 'stripe', command: 'listen' },
  { folder: 'hookdeck', source: 'hookdeck-cli@2.6.0', bin: 'hookdeck', command: 'listen' },
] as const

/** Installs the peers below a folder, without running what their packages would run. One that fails is left out. */
export function installPeers(folder: string): void {
  for (const { folder: name, source } of packages) {
    const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
    try {
      execFileSync('npm', ['install', ...flags, `${name}@npm:${source}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    } catch {
      console.error(`${source} cannot be installed`)
    }
  }
}

const manifestSchema = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]),
})

/** Packages that are installed in the folder and support this version of Node. */
export function findPeers(folder: string | undefined): Peer[] {
  if (folder === undefined) return []
  return packages.flatMap(({ folder: name, bin, command }) => {
    const home = join(folder, 'node_modules', name)
    const manifest = join(home, 'package.json')
    if (!existsSync(manifest)) return []
    const { version, bin: bins } = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')))
    const program = join(home, (typeof bins === 'string' ? bins : bins[bin]) ?? '')
    const starts = [['--version'], ['--help'], [command, '--help']]
    const runs = starts.filter(argv => spawnSync(process.execPath, [program, ...argv], quiet).status === 0)
    return runs.map(argv => ({ name: `${bin} ${version}`, program, argv }))
  })
}

const quiet = { stdio: 'ignore', timeout: 60_000 } as const
