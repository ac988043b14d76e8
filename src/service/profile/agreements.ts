import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Environment } from '../../lib/environment.ts'
import { agreementFolder } from '../../lib/fs/user-folders.ts'

const names = z._default(z.readonly(z.array(z.string())), [])

const agreementSchema = z.object({
  /** The project's folder, or a file outside of any project; absolute, without links. */
  place: z.string(),
  variables: names,
  files: names,
  outsideFiles: names,
  commands: names,
  hosts: names,
})

/** Recorded consent: the data that a project may read, the commands that it may run, and the hosts that it may contact. */
export type Agreement = Readonly<z.infer<typeof agreementSchema>>

/** Reads the consent for a project. Without consent, or with a damaged file, all lists are empty, so the user is asked again. */
export async function readAgreement(env: Environment, path: string): Promise<Agreement> {
  const none = agreementSchema.parse({ place: path })
  try {
    const agreement = agreementSchema.parse(JSON.parse(await readFile(agreementFile(env, path), 'utf8')))
    return agreement.place === path ? agreement : none
  } catch {
    return none
  }
}

/** Absolute path of the agreement for a project or file. */
export function agreementFile(env: Environment, path: string): string {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32)
  return join(agreementFolder(env), `${name}.json`)
}
