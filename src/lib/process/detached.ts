import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { platform } from 'node:process'
import type { Environment } from '../environment.ts'

/** Starts a program that outlives this process and writes its stdout to a file. A program that is not installed is ignored. */
export function startDetached(
  [file, ...words]: readonly [string, ...string[]],
  { cwd, env, stdout }: { readonly cwd: string; readonly env: Environment; readonly stdout: string },
): void {
  const output = openSync(stdout, 'w', 0o600)
  try {
    spawn(file, words, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', output, 'ignore'],
      windowsHide: true,
      // npm is a script there, which only a shell runs.
      shell: platform === 'win32',
    })
      .on('error', () => undefined)
      .unref()
  } finally {
    closeSync(output)
  }
}
