import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path'
import type { Environment } from '../../lib/environment.ts'
import { quoteForShell } from '../../lib/text/escape.ts'

/** Start of this process; without a script, callyard runs inside another program. */
interface Start {
  readonly script?: string | undefined
  readonly env: Environment
  readonly platform?: NodeJS.Platform | undefined
}

/** Returns the command that starts callyard again in a folder, as the person started it: `callyard`, or `node bin/callyard.js`. */
export function commandAsStarted({ script, env, platform }: Start, folder: string): string {
  if (script === undefined) return 'callyard'
  // npm and others put it on the PATH of their script alone; npx finds it for the shell, too.
  if (env.npm_lifecycle_event !== undefined) return 'npx callyard'
  const isLink = basename(script) === 'callyard'
  const path = (env.PATH ?? '').split(delimiter)
  const wrapper = platform === 'win32' ? 'callyard.cmd' : 'callyard'
  // A link on the PATH, or a wrapper script that an installation has there.
  const isOnPath = isLink
    ? path.some(entry => resolve(entry) === dirname(script))
    : script.includes(`${sep}node_modules${sep}`) && path.some(entry => existsSync(join(entry, wrapper)))
  if (isOnPath) return 'callyard'
  const inFolder = relative(folder, script)
  const scriptPath = inFolder.startsWith('..')
    ? script
    : inFolder.includes(sep)
      ? inFolder
      : `.${sep}${inFolder}`
  return isLink ? quoteForShell(scriptPath) : `node ${quoteForShell(scriptPath)}`
}
