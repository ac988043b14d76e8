import { join } from 'node:path'
import pLimit from 'p-limit'
import type { Address } from '../../files/formats/address.ts'
import { fileKinds } from '../../files/formats/kinds.ts'
import {
  checkFile,
  type FileRules,
  peekKnowledgeBaseId,
  projectFileName,
  readSource,
} from '../../files/source/index.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { isObject, isText } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import {
  amongResources,
  listDependencies,
  type ProjectAround,
  projectsAround,
  type Resource,
  type ResourceFile,
} from './find-resources.ts'

export interface CheckOptions {
  readonly allowUnknown?: boolean | undefined
  /** Called as the check of a file begins, with its absolute path; what it returns is called at its end. */
  readonly onCheck?: ((path: string) => () => void) | undefined
}

export interface ProjectCheckOptions extends FileRules, CheckOptions {
  readonly vocabulary: Vocabulary
}

/** Files of a project. Each is read and checked once, when it is first needed. */
export type ProjectFiles = ReturnType<typeof openProjectFiles>

export function openProjectFiles(project: ProjectAround, options: ProjectCheckOptions) {
  const { folder, files } = project
  const readProjectFile = lazy(() => readSource(join(folder, projectFileName), { cwd: options.cwd }))
  const checking = { ...options, folder, readProjectFile, resource: amongResources(files) }
  const byPath = lazy(() => new Map(Array.from(files.values(), file => [file.path, file])))
  const limit = pLimit(maxConcurrent)
  const resources = new Map<Address, Promise<Resource>>()
  const check = async (file: ResourceFile): Promise<Resource> => {
    const onEnd = options.onCheck?.(file.path)
    const checked = await checkFile(file.path, fileKinds[file.kind], checking)
    onEnd?.()
    return { ...file, checked, needs: listDependencies(checked) }
  }
  const read = (file: ResourceFile): Promise<Resource> => {
    const resource = resources.get(file.address) ?? limit(check, file)
    resources.set(file.address, resource)
    return resource
  }
  const readAll = (all: Iterable<ResourceFile>) => Promise.all(Array.from(all, read))

  /** Reads the knowledge bases with these ids. Of most others, it only reads the first lines. */
  const readBases = async (ids: ReadonlySet<string>) => {
    if (ids.size === 0) return []
    const possible: ResourceFile[] = []
    for (const file of files.values()) {
      if (file.kind !== 'kb') continue
      const id = resources.has(file.address) ? undefined : await peekId(file)
      if (id === undefined || ids.has(id)) possible.push(file)
    }
    const bases = await readAll(possible)
    // A file with errors may have any id.
    return bases.filter(({ checked }) => {
      const id = idOf(checked.value)
      return !isText(id) || ids.has(id)
    })
  }
  const ids = new Map<Address, string | undefined>()
  /** Id of a knowledge base, without reading its entries; undefined if it is not certain. */
  const peekId = async ({ address, path }: ResourceFile) => {
    if (ids.has(address)) return ids.get(address)
    const id = await peekKnowledgeBaseId(path, folder, readProjectFile)
    ids.set(address, id)
    return id
  }

  return {
    ...project,
    vocabulary: options.vocabulary,
    /** Returns the resource of a path; undefined if it is another file. */
    async readPath(path: string): Promise<Resource | undefined> {
      const file = byPath().get(path)
      return file && read(file)
    },
    read,
    readAll: () => readAll(files.values()),
    /**
     * Reads the resources that a call with these resources and knowledge bases uses, in the order of the files. Several files may have the
     * entries of one knowledge base.
     */
    async readReached(
      roots: Iterable<Address>,
      knowledgeBaseIds: Iterable<string> = [],
    ): Promise<readonly Resource[]> {
      const reached = new Map<Address, Resource>()
      const add = async (addresses: Iterable<Address>): Promise<void> => {
        const missing = [...new Set(addresses)].filter(address => !reached.has(address))
        const added = await readAll(missing.flatMap(address => files.get(address) ?? []))
        for (const resource of added) reached.set(resource.address, resource)
        if (added.length > 0) await add(added.flatMap(({ needs }) => needs))
      }
      await add(roots)
      const ids = [...reached.values()].flatMap(({ checked: { value } }) => [
        idOf(value),
        ...knowledgeBaseIdsIn(value),
      ])
      const bases = await readBases(new Set([...ids, ...knowledgeBaseIds].filter(isText)))
      await add(bases.map(({ address }) => address))
      return readAll([...files.values()].filter(({ address }) => reached.has(address)))
    },
  }
}

/** Files are read while others are checked: a fifth less time for a thousand. */
const maxConcurrent = 16

function idOf(value: unknown): unknown {
  return isObject(value) ? value.knowledgeBaseId : undefined
}

/** Texts of `assistantKnowledgeBaseIds` of an assistant. */
export function knowledgeBaseIdsIn(value: unknown): readonly unknown[] {
  return isObject(value) && Array.isArray(value.assistantKnowledgeBaseIds)
    ? value.assistantKnowledgeBaseIds
    : []
}

/** Returns the project around a file. */
export type ProjectOf = (file: string) => Promise<ProjectFiles | undefined>

/** Opens the project around a file; all files of a project share it. */
export function openProjects(options: ProjectCheckOptions): ProjectOf {
  const around = projectsAround(options)
  const opened = new Map<string, ProjectFiles>()
  return async file => {
    const project = await around(file)
    if (project === undefined) return undefined
    const files = opened.get(project.folder) ?? openProjectFiles(project, options)
    opened.set(project.folder, files)
    return files
  }
}
