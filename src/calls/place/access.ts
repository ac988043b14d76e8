import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type Access,
  collectAccess,
  isEmptyAccess,
  mergeAccess,
  noAccess,
  subtractAccess,
} from '../../files/access/index.ts'
import { type CheckedFile, findProjectFile } from '../../files/source/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { addToGroup } from '../../lib/group-by.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { type Agreement, readAgreement } from '../../service/profile/index.ts'
import type { CallDeps } from './deps.ts'

/**
 * Returns what `files` read of the environment and of other folders, and the commands and hosts that they name, by the place that a
 * person confirms it for: the real path of their project's folder, or of a file outside of projects.
 */
export async function accessByPath(
  files: readonly CheckedFile[],
  deps: CallDeps,
): Promise<Map<string, Access>> {
  const access = new Map<string, Access>()
  for (const [path, checkedFiles] of await filesByPath(files, deps))
    access.set(path, await accessOfFiles(checkedFiles, deps))
  return access
}

/** Returns what a person has not confirmed yet on this machine, with what they have confirmed for the same place. */
export async function unconfirmedAccess(
  accessMap: ReadonlyMap<string, Access>,
  env: Environment,
): Promise<{ readonly agreed: Agreement; readonly newAccess: Access }[]> {
  const unconfirmed: { agreed: Agreement; newAccess: Access }[] = []
  for (const [path, access] of accessMap) {
    const agreed = await readAgreement(env, path)
    const newAccess = subtractAccess(access, agreed)
    if (!isEmptyAccess(newAccess)) unconfirmed.push({ agreed, newAccess })
  }
  return unconfirmed
}

/** Returns the access of a project's files, with that of its callyard.yaml and the service that it chooses. */
export async function accessOfProject(files: Access, deps: CallDeps): Promise<Access> {
  const { project } = await deps.settings()
  const access = project?.checked === undefined ? files : mergeAccess(files, collectAccess([project.checked]))
  const host = await chosenService(deps)
  return host === undefined ? access : withHost(access, host)
}

async function filesByPath(files: readonly CheckedFile[], { files: rules }: CallDeps) {
  const projects = new Map<string, Promise<string | undefined>>()
  const projectOf = async (folder: string) => {
    const file = await findProjectFile(folder, rules)
    return file === undefined ? undefined : realpath(dirname(file))
  }
  const groups = new Map<string, CheckedFile[]>()
  for (const file of files) {
    const folder = dirname(file.source.path)
    const project = projects.get(folder) ?? projectOf(folder)
    projects.set(folder, project)
    const projectFolder = (await project) ?? (await realpath(file.source.path))
    addToGroup(groups, projectFolder, file)
  }
  return groups
}

async function accessOfFiles(files: readonly CheckedFile[], deps: CallDeps): Promise<Access> {
  const access = collectAccess(files, { needingConsent: true })
  const host = files.some(({ kind }) => kind === 'project') ? await chosenService(deps) : undefined
  return host === undefined || isLoopback(host) ? access : withHost(access, host)
}

/** A profile that callyard.yaml chooses leads to a service as well as a base URL there does. */
async function chosenService({ settings }: CallDeps): Promise<URL | undefined> {
  const { profile, baseUrl } = await settings()
  const isChosen = profile.from === 'project file' && baseUrl.from === 'profile'
  return isChosen && baseUrl.value !== undefined && URL.canParse(baseUrl.value)
    ? new URL(baseUrl.value)
    : undefined
}

function withHost(access: Access, { host }: URL): Access {
  return mergeAccess(access, { ...noAccess, hosts: [host] })
}
