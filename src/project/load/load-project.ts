import { dirname, relative } from 'node:path'
import pLimit from 'p-limit'
import type { Environment } from '../../context.ts'
import { type Diagnostic, InvalidInput } from '../../errors.ts'
import { isObject } from '../../interface/is-object.ts'
import type { Project as ProjectSettings } from '../../interface/project.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { checkFile } from '../../source/check-file.ts'
import { addressOf } from '../address.ts'
import { hashOf } from '../hash.ts'
import { fileKinds, findResources } from './find-resources.ts'
import { amongResources } from './known-resources.ts'
import { orderByNeed } from './order.ts'
import { circleFindings, unusedFindings } from './reference-findings.ts'
import type { Resource } from './resource.ts'

export interface Project {
  /** Absolute. */
  readonly folder: string
  readonly settings: ProjectSettings
  /** Each behind all that it refers to; else tools, knowledge bases, assistants, by name. */
  readonly resources: readonly Resource[]
  readonly warnings: readonly Diagnostic[]
}

export interface LoadOptions {
  /** callwright.yaml, absolute. */
  readonly file: string
  readonly settings: ProjectSettings
  readonly cwd: string
  readonly env: Environment
  readonly vocabulary: Vocabulary
  readonly allowUnknown?: boolean | undefined
}

/**
 * Reads and checks every file of a project: each by its kind, then all that they say of each other.
 * @throws InvalidInput with the findings of all files when one is an error.
 */
export async function loadProject(options: LoadOptions): Promise<Project> {
  const { file, settings, cwd, env, vocabulary, allowUnknown } = options
  const folder = dirname(file)
  const { files, diagnostics: found } = await findResources(folder, cwd)
  const resource = amongResources(new Set(files.map(({ address }) => address)))
  const limit = pLimit(mostAtOnce)
  const resources = await Promise.all(
    files.map(each =>
      limit(async (): Promise<Resource> => {
        const checked = await checkFile(each.path, fileKinds[each.kind], {
          cwd,
          env,
          vocabulary,
          allowUnknown,
          resource,
        })
        const needs = checked.references.resources.map(({ kind, name }) => addressOf(kind, name))
        return { ...each, checked, needs: [...new Set(needs)] }
      }),
    ),
  )
  const { ordered, circles } = orderByNeed(resources)
  const diagnostics = [
    ...found,
    ...resources.flatMap(({ checked }) => checked.diagnostics),
    ...resources.flatMap(withoutKnowledgeBase),
    ...circleFindings(circles, resources),
    ...unusedFindings(resources),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new InvalidInput(diagnostics)
  return { folder, settings, resources: ordered, warnings: diagnostics }
}

/** Files are read while others are checked: a fifth less time for a thousand. */
const mostAtOnce = 16

/** Every file that a project was made of, by its path in the project → a hash of its text. */
export function inputHashes({ folder, resources }: Project): Map<string, string> {
  const hashes = new Map<string, string>()
  for (const { checked } of resources) {
    const { path: absolute, text } = checked.source
    const file = relative(folder, absolute)
    hashes.set(file, hashOf(text))
    for (const [path, included] of checked.references.included) {
      hashes.set(`${file} → ${path}`, hashOf(included))
    }
  }
  return hashes
}

/** The interface has no way to create a knowledge base: in a project its file must say which one it is. */
function withoutKnowledgeBase({ kind, checked }: Resource): Diagnostic[] {
  const { source, value } = checked
  if (kind !== 'kb' || !isObject(value) || value.knowledgeBaseId !== undefined) return []
  const csv = source.format === 'csv'
  return [
    {
      code: 'missing',
      severity: 'error',
      path: [],
      at: 'value',
      file: source.file,
      position: csv ? undefined : source.positionOf([], 'value'),
      message: csv
        ? 'a CSV file has no place for knowledgeBaseId, which a project needs'
        : 'knowledgeBaseId is missing: the service’s interface has no way to create a knowledge base',
      hint: csv
        ? 'write the entries as YAML, or keep the file outside of the project’s knowledge-bases/ and push it with faq push --kb <id>'
        : 'add knowledgeBaseId: the id that the service’s dashboard shows, or ${env:NAME} where it differs by target',
    },
  ]
}
