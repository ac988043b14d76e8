import type { Environment } from '../lib/environment.ts'

/** Whose files are read, and which: what every check of a file is given. */
export interface FileRules {
  readonly cwd: string
  /** Where `${env:NAME}` looks. */
  readonly env: Environment
  /** User id of the process. Without one, as on Windows, owners of files are not compared. */
  readonly uid?: number | undefined
  /** `${file:…}` may lead out of the project. */
  readonly allowOutside?: boolean | undefined
}
