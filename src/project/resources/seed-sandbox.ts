import { dirname, join } from 'node:path'
import type { Address } from '../../files/formats/address.ts'
import { projectSchema } from '../../files/formats/project.ts'
import {
  type CheckedFile,
  checkFile,
  type FileRules,
  findProjectFile,
  InvalidInput,
  projectFileName,
} from '../../files/source/index.ts'
import { hasErrors } from '../../interface/finding.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { CallyardError } from '../../lib/error.ts'
import { stringifyJson } from '../../lib/json.ts'
import { type FileEntry, getKnowledgeBaseId, readEntries } from '../faq/index.ts'
import { sentBody } from '../rendering/index.ts'
import { findResources } from './find-resources.ts'
import { type LoadedProject, loadResources } from './load-project.ts'
import { openProjectFiles, type ProjectFiles } from './project-files.ts'

export interface SeedOptions extends FileRules {
  /** Used if the project has none of its own. */
  readonly vocabulary?: Vocabulary | undefined
  /** Files of this project that were read before, and its checked callyard.yaml; default: they are read. */
  readonly files?: ProjectFiles | undefined
  readonly projectFile?: CheckedFile | undefined
  /** Resources and ids of knowledge bases that are needed, with all that they reach. Default: all resources. */
  readonly needs?:
    | { readonly roots: Iterable<Address>; readonly knowledgeBaseIds: Iterable<string> }
    | undefined
}

/**
 * Loads and checks the project in a folder. Its own vocabulary overrides the given one.
 * @throws InvalidInput with the findings of all files, CallyardError `no-project-in` if the folder has no callyard.yaml
 */
export async function seedFromProject(
  folder: string,
  { vocabulary = {}, files, projectFile, needs, ...rules }: SeedOptions,
): Promise<LoadedProject> {
  const file = await findProjectFile(folder, rules)
  if (file === undefined || dirname(file) !== folder) throw noProjectIn(folder, join(folder, projectFileName))
  const checked =
    projectFile?.path === file
      ? projectFile
      : await checkFile(file, 'project', { ...rules, folder, vocabulary: {} })
  if (hasErrors(checked.diagnostics)) throw new InvalidInput(checked.diagnostics)
  const settings = projectSchema().parse(checked.value)
  const own = settings.vocabulary ?? vocabulary
  const project =
    files !== undefined && stringifyJson(files.vocabulary) === stringifyJson(own)
      ? files
      : openProjectFiles(await findResources(folder, rules.cwd), { ...rules, vocabulary: own })
  return loadResources(
    project,
    settings,
    needs && (await project.readReached(needs.roots, needs.knowledgeBaseIds)),
  )
}

type Body = Readonly<Record<string, unknown>>

/** Creates resources (interface.md 4.3, 4.4, 4.6) at an empty target that does not outlive the process. */
export interface EmptyTarget {
  createTool(body: Body): Promise<{ readonly _id: string }>
  createAssistant(body: Body): Promise<{ readonly _id: string }>
  insertFaq(knowledgeBaseId: string, faq: readonly FileEntry['content'][]): Promise<unknown>
}

/** A resource to create at an empty target. */
export interface Seed {
  readonly address: Address
  readonly kind: ResourceKind
  /** Builds the request; `idOf` returns the ids of the resources created before it. Only knowledge bases have entries. */
  build(idOf: (address: Address) => string): {
    readonly body: Body
    readonly entries: readonly FileEntry['content'][]
  }
}

/** Returns the resources of a project as its files have them. */
export function readSeeds({ resources }: LoadedProject): Seed[] {
  return resources.map(({ address, kind, checked }) => ({
    address,
    kind,
    build(idOf) {
      const body = sentBody(checked, idOf)
      const entries = kind === 'kb' ? readEntries(checked.source, body) : []
      return { body, entries: entries.map(({ content }) => content) }
    },
  }))
}

/**
 * Creates resources at an empty target in their order, which has each after those that it references. The target does not outlive the
 * process, so no lockfile is read or written, and ids of entries are not written into files.
 * @returns the ids by address; for a knowledge base, the id in its file
 * @throws errors of the target
 */
export async function seedSandbox(
  seeds: readonly Seed[],
  { createTool, createAssistant, insertFaq }: EmptyTarget,
): Promise<ReadonlyMap<Address, string>> {
  const ids = new Map<Address, string>()
  for (const { address, kind, build } of seeds) {
    const { body, entries } = build(other => ids.get(other) ?? '')
    if (kind === 'kb') {
      const id = getKnowledgeBaseId(body)
      await insertFaq(id, entries)
      ids.set(address, id)
    } else {
      const { _id } = await (kind === 'tool' ? createTool(body) : createAssistant(body))
      ids.set(address, _id)
    }
  }
  return ids
}

const noProjectIn = (folder: string, file: string) =>
  new CallyardError('invalid', `no project in ${folder}: ${file} does not exist`, {
    code: 'no-project-in',
    hint: `choose the folder that contains ${projectFileName}, or create a project`,
    details: { folder, file },
  })
