import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isAddress, kindOfAddress, nameOf, toAddress, withoutKind } from '../../files/formats/address.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import { displayName } from '../../files/source/index.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { CallyardError, type ErrorKind } from '../../lib/error.ts'
import {
  assertNotStdin,
  extensionOf,
  fieldExtensions,
  hasExtension,
  isPath,
  withoutExtension,
} from '../../lib/fs/extension.ts'
import { listed } from '../../lib/text/count.ts'
import { beginningHint, didYouMean, findByBeginning, meantHint } from '../../lib/text/did-you-mean.ts'
import type { Section } from '../lockfile/index.ts'
import { lockfileLocation } from '../lockfile/index.ts'
import { findResources, type ProjectAround, type ResourceFile } from '../resources/index.ts'
import { type ProjectDeps, readTarget, recordedIds, type TargetOptions } from './read-target.ts'

/** Resource given as a file, a name in the project, or an id. */
export type NamedResource =
  | { readonly by: 'file'; readonly file: string }
  | { readonly by: 'name'; readonly resource: ResourceFile }
  /** `resource`: the file of the project whose id at the target it is. */
  | { readonly by: 'id'; readonly id: string; readonly resource?: ResourceFile | undefined }

export interface ResourceQuery {
  readonly text: string
  readonly kind: ResourceKind
}

/**
 * Finds a resource by an existing file, by its name in the project (`front-desk`, `assistant/front-desk`), by its id, or by a unique
 * prefix of an id in the target's lockfile. Ids that the lockfile lacks are recognized by their digits.
 * @throws CallyardError `usage` if none matches, with suggestions; `invalid` for the path of a missing file
 */
export async function findNamed(
  query: ResourceQuery,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<NamedResource> {
  const { text } = query
  if (await isFile(resolve(deps.cwd, text))) return { by: 'file', file: text }
  const project = await projectAround(deps)
  const match = await findInProject(query, project, options, deps)
  if (match !== undefined) return match
  const unknown = await unknownName(query, project, deps)
  if (unknown.near === undefined && /^[\w:-]*\d[\w:-]*$/.test(text)) return { by: 'id', id: text }
  // A missing file is an unusable input file, as for commands that take only files.
  const kind = isPath(text) && !isAddress(text) ? 'invalid' : 'usage'
  throw noSuchResource(kind, { ...unknown, mayBeFile: true })
}

/**
 * Returns an id where only ids are accepted: by a name in the project, by a unique prefix of an id in the target's lockfile, else the
 * value itself, with a suggestion (`near`).
 * @throws CallyardError `usage` for a name without an id at the target, and for an ambiguous prefix
 */
export async function findId(
  query: ResourceQuery,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<{ readonly id: string; readonly near?: string | undefined }> {
  const { text, kind } = query
  if (text === '') {
    const { title } = kinds[fileKinds[kind]]
    throw new CallyardError('usage', `the id of the ${title} is empty`, { code: 'empty-id' })
  }
  const project = await projectAround(deps)
  const match = await findInProject(query, project, options, deps)
  if (match?.by === 'id') return { id: match.id }
  if (match?.by === 'name') return { id: await deployedId(match.resource, options, deps) }
  const unknown = await unknownName(query, project, deps)
  if (isAddress(text)) throw noSuchResource('usage', { ...unknown, mayBeFile: false })
  return { id: text, near: unknown.near }
}

/**
 * Returns the id of a project's file at the target: of tools and assistants from the lockfile, of a knowledge base from its file.
 * `mayInline`: the file can be sent instead.
 * @throws CallyardError `usage` without an id, `conflict` if the lockfile has another base URL for the target
 */
export async function deployedId(
  resource: ResourceFile,
  options: TargetOptions,
  deps: ProjectDeps,
  { mayInline = false }: { readonly mayInline?: boolean } = {},
): Promise<string> {
  const lookup = await recordedIds(options, deps)(resource)
  if (lookup.why === undefined) return lookup.text
  if (lookup.why === 'no-knowledge-base-id') {
    const { why: code, file } = lookup
    throw new CallyardError('usage', `${file} has no knowledgeBaseId`, { code, details: { file } })
  }
  const { why: code, ...details } = lookup
  const inline = mayInline ? displayName(resource.path, deps.cwd) : undefined
  const message = `${details.lockfile} has no ${details.address} at target ${details.target}`
  throw new CallyardError('usage', message, {
    ...{
      code,
      hint: inline === undefined ? 'create it there' : 'create it there, or send the file unchanged',
    },
    details: { ...details, inline },
  })
}

/** Texts for `findNamed` that a person can choose from: names with an id at the target, files without. */
export async function listNames(
  kind: ResourceKind,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<string[]> {
  const project = await projectAround(deps)
  if (project === undefined) return []
  const knownIds = idsIn(await sectionAt(project.folder, options, deps), kind)
  const addresses = new Set([...project.files.keys(), ...knownIds.map(({ address }) => address)])
  return [...addresses].flatMap(address => {
    if (kindOfAddress(address) !== kind) return []
    const path = project.files.get(address)?.path
    const isKnown = knownIds.some(entry => entry.address === address)
    return [isKnown || path === undefined ? withoutKind(address) : displayName(path, deps.cwd)]
  })
}

async function projectAround({ settings, cwd }: ProjectDeps): Promise<ProjectAround | undefined> {
  const { project } = await settings()
  if (project === undefined) return undefined
  return findResources(dirname(project.file), cwd)
}

type UnknownName = Awaited<ReturnType<typeof unknownName>>

/** Returns a suggestion and the existing names of the kind; undefined outside a project. */
async function unknownName(
  { text, kind }: ResourceQuery,
  project: ProjectAround | undefined,
  deps: ProjectDeps,
) {
  assertNotStdin(text)
  const addresses =
    project && [...project.files.keys()].filter(candidate => kindOfAddress(candidate) === kind)
  const names = addresses?.map(nameOf)
  return { text, resource: kind, names, near: await nearest(withoutKind(text), names, deps) }
}

async function findInProject(
  { text, kind }: ResourceQuery,
  project: ProjectAround | undefined,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<Exclude<NamedResource, { by: 'file' }> | undefined> {
  if (project === undefined) return undefined
  const { folder, files } = project
  const file = files.get(isAddress(text) ? text : toAddress(kind, text))
  if (file !== undefined && file.kind !== kind)
    throw new CallyardError('usage', `${text} is ${withArticle(file.kind)}, not ${withArticle(kind)}`, {
      ...{ code: 'other-kind', details: { text, is: file.kind, wanted: kind } },
    })
  if (file !== undefined) return { by: 'name', resource: file }
  const knownIds = idsIn(await sectionAt(folder, options, deps), kind)
  const removed = knownIds.find(({ address }) => address === text || address === toAddress(kind, text))
  if (removed !== undefined) return { by: 'id', id: removed.id }
  const match = findByBeginning(text, knownIds, ({ id }) => id)
  if (match.kind === 'missing') return undefined
  if (match.kind === 'found') return { by: 'id', id: match.item.id, resource: files.get(match.item.address) }
  const ids = match.candidates.map(({ id }) => id)
  const lockfile = lockfileLocation(folder, deps).name
  throw new CallyardError('usage', `${text} is a prefix of several ids in ${lockfile}`, {
    ...{ code: 'ambiguous-id', hint: beginningHint({ kind: 'ambiguous', candidates: ids }, id => id) },
    details: { text, lockfile, ids },
  })
}

/**
 * Returns the section of the target; undefined if it has a different base URL, because its ids belong to another service.
 * @throws CallyardError `conflict` for a lockfile that cannot be read
 */
async function sectionAt(
  folder: string,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<Section | undefined> {
  try {
    return (await readTarget(folder, options, deps)).section
  } catch (error) {
    if (error instanceof CallyardError && otherTargetCodes.some(code => code === error.code)) return undefined
    throw error
  }
}

const otherTargetCodes = ['target-elsewhere', 'target-twice', 'other-sandbox']

function idsIn(section: Section | undefined, kind: ResourceKind) {
  return Object.entries(section?.resources ?? {}).flatMap(([address, { id, body }]) => {
    if (!isAddress(address) || kindOfAddress(address) !== kind) return []
    const recordId = kind === 'kb' ? body.knowledgeBaseId : id
    return typeof recordId === 'string' && !recordId.includes('${') ? [{ address, id: recordId }] : []
  })
}

/** A pipe is one, too; a folder is none. */
async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    status => !status.isDirectory(),
    () => false,
  )
}

/** Suggests a name of the project or a file next to the given one; undefined if none is similar. */
async function nearest(
  text: string,
  names: readonly string[] = [],
  { cwd }: ProjectDeps,
): Promise<string | undefined> {
  const bare = withoutExtension(basename(text))
  return (
    names.find(name => bare !== '' && (name === bare || name.endsWith(`/${bare}`))) ??
    didYouMean(text, names) ??
    (await nearbyFile(text, cwd))
  )
}

async function nearbyFile(text: string, cwd: string): Promise<string | undefined> {
  const siblings = await readdir(dirname(resolve(cwd, text))).catch(() => [])
  const files = siblings.filter(name => hasExtension(name, [...fieldExtensions, '.csv']))
  const fileName = basename(text)
  const file =
    files.find(name => withoutExtension(name) === withoutExtension(fileName)) ??
    // A word without extension may be an id, and every id is near to another word.
    (extensionOf(fileName) === '' ? undefined : didYouMean(fileName, files))
  return file === undefined ? undefined : join(dirname(text), file)
}

/** Neither a file nor a name nor an id; `names` of this kind are undefined outside of a project. */
function noSuchResource(
  errorKind: ErrorKind,
  details: UnknownName & {
    /** True if a file was looked for as well. */
    readonly mayBeFile: boolean
  },
): CallyardError {
  const { text, resource, near, names, mayBeFile } = details
  const { title, folder } = kinds[fileKinds[resource]]
  const looked = names === undefined ? 'not in a project' : 'no such name in the project'
  const available = names?.length ? `${folder}/ has ${listed(names)}` : undefined
  const message = `${title} ${JSON.stringify(text)} not found: ${mayBeFile ? 'no such file, and ' : ''}${looked}`
  return new CallyardError(errorKind, message, {
    code: 'no-such-resource',
    hint: meantHint(near) ?? available,
    details,
  })
}

function withArticle(kind: ResourceKind): string {
  const { title } = kinds[fileKinds[kind]]
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}
