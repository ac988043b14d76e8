import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** Another command-line tool that npm installs: how its start compares. */
export interface Peer {
  /** `wrangler 4.164.0`. */
  readonly name: string
  /** The program that npm would link. */
  readonly program: string
  /** A command of it, for its help. */
  readonly command: string
}

/** Two versions of one package stand side by side under names of their own. */
const packages = [
  { folder: 'vercel', source: 'vercel@64.0.2', bin: 'vercel', command: 'deploy' },
  { folder: 'wrangler', source: 'wrangler@4.164.0', bin: 'wrangler', command: 'deploy' },
  { folder: 'elevenlabs-0', source: '@elevenlabs/cli@0.5.6', bin: 'elevenlabs', command: 'agents' },
  { folder: 'elevenlabs-1', source: '@elevenlabs/cli@1.3.0', bin: 'elevenlabs', command: 'agents' },
  { folder: 'stripe', source: '@stripe/cli@1.52.0', bin: 'stripe', command: 'listen' },
  { folder: 'hookdeck', source: 'hookdeck-cli@2.6.0', bin: 'hookdeck', command: 'listen' },
] as const

/** Installs the peers below a folder, without running what their packages would run. */
export function installPeers(folder: string): void {
  const sources = packages.map(({ folder: name, source }) => `${name}@npm:${source}`)
  execFileSync(
    'npm',
    ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', ...sources],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, npm_config_global: 'false' } },
  )
}

const manifestSchema = z.object({
  version: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]),
})

/** Those that stand below a folder where npm installed them. */
export function findPeers(folder: string | undefined): Peer[] {
  if (folder === undefined) return []
  return packages.flatMap(({ folder: name, bin, command }) => {
    const home = join(folder, 'node_modules', name)
    const manifest = join(home, 'package.json')
    if (!existsSync(manifest)) return []
    const { version, bin: bins } = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')))
    const program = typeof bins === 'string' ? bins : bins[bin]
    if (program === undefined) return []
    return [{ name: `${bin} ${version}`, program: join(home, program), command }]
  })
}
