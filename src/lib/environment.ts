import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'

/** Environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** True if a folder of PATH contains the program; for a path, true if it leads to a program. */
export async function isInstalled(file: string, env: Environment, cwd: string): Promise<boolean> {
  if (/[\\/]/.test(file)) return canRun(resolve(cwd, file))
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter(folder => folder !== '')
  // Set by Windows alone.
  const endings = ['', ...(env.PATHEXT ?? '').split(delimiter).filter(ending => ending !== '')]
  for (const folder of folders) {
    for (const ending of endings) {
      if (await canRun(resolve(cwd, folder, `${file}${ending}`))) return true
    }
  }
  return false
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
