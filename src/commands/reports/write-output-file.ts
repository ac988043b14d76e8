import { appendFile, realpath, stat } from 'node:fs/promises'
import type { Context } from '../../cli/context.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'

/**
 * Writes a file that a flag names: whole or not at all, through a link to what it leads to, with the permissions that it had.
 * A device, a pipe and what /dev/stdout leads to are written into.
 * @throws the error of the system.
 */
export async function writeOutputFile(
  path: string,
  text: string,
  machine: Pick<Context, 'platform' | 'clock'>,
  {
    mode = 0o666,
  }: { /** Permission bits of a new file, as the umask allows them. */ readonly mode?: number } = {},
): Promise<void> {
  const there = await stat(path).catch(() => undefined)
  // /dev/stdout may lead to a file that holds what the command has printed.
  const isStream = /^\/(dev\/(std|fd\/)|proc\/)/.test(path)
  if (there !== undefined && (isStream || !there.isFile())) return appendFile(path, text)
  const place = there === undefined ? path : await realpath(path)
  await replaceFile(place, text, { mode, machine, keepsOwner: true })
}
