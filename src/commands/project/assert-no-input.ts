import { dirname, join, relative, sep } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
import { kindOf, projectFileName } from '../../source/index.ts'

/** An output file that is one of the project's own. */
export class InputFile extends CallwrightError {}

/** A plan or a report must not take the place of the lockfile, of callwright.yaml or of a resource. @throws InputFile */
export function assertNoInput(
  file: string | undefined,
  flag: string,
  folder: string,
  { resolve }: Context,
): void {
  if (file === undefined) return
  const path = resolve(file)
  const inside = relative(folder, path)
  const own =
    [projectFileName, lockfileName].some(name => path === join(folder, name)) ||
    (!inside.startsWith(`..${sep}`) && dirname(inside) !== '.' && kindOf(path, folder) !== undefined)
  if (!own) return
  throw new InputFile('usage', `${flag} ${file} would write over a file of the project; nothing was sent`, {
    hint: 'give a name outside of its folders, such as plan.json or callwright.xml',
  })
}
