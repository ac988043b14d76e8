import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'

/** Home folder of the user; undefined without HOME for a user id that the system does not know, as in some containers. */
export function homeFolder(read = homedir): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Value of an XDG variable; relative paths are ignored, as the XDG Base Directory Specification says. */
export function absoluteFolder(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}
