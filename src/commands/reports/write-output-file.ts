import { randomUUID } from 'node:crypto'
import { realpath, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { writeDurably } from '../../durable-write.ts'

/**
 * Writes a file that a flag names: whole or not at all, through a link to what it leads to, with the permissions that it had.
 * A device or a pipe, such as /dev/stdout, is written into.
 * @throws the error of the system.
 */
export async function writeOutputFile(
  path: string,
  text: string,
  { platform, clock }: Pick<Context, 'platform' | 'clock'>,
): Promise<void> {
  const there = await stat(path).catch(() => undefined)
  if (there !== undefined && !there.isFile()) return writeFile(path, text)
  const place = there === undefined ? path : await realpath(path)
  await writeDurably(place, text, {
    temporary: join(dirname(place), `.${randomUUID()}.callwright-tmp`),
    flag: 'wx',
    mode: there === undefined ? 0o666 : there.mode & 0o777,
    machine: { platform, clock },
  })
}
