import { dirname } from 'node:path'
import { type Address, kindOfAddress, nameOf, toAddress } from '../../files/formats/address.ts'
import type { Project as ProjectSettings } from '../../files/formats/project.ts'
import { type Diagnostic, InvalidInput, projectFileName, toDiagnostics } from '../../files/source/index.ts'
import { hasErrors, valueError } from '../../interface/finding.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { isObject } from '../../lib/json.ts'
import { missingIdSlots, openSplice, readEntries } from '../faq/index.ts'
import { findResources, type Resource } from './find-resources.ts'
import { orderByNeed } from './order-by-need.ts'
import { openProjectFiles, type ProjectCheckOptions, type ProjectFiles } from './project-files.ts'

export interface LoadedProject {
  /** Absolute. */
  readonly folder: string
  readonly settings: ProjectSettings
  /** The words of the deployment, wherever they are from. */
  readonly vocabulary: Vocabulary
  /** Each behind all that it refers to; else tools, knowledge bases, assistants, by name. */
  readonly resources: readonly Resource[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Reads and checks every file of a project: each by its kind, then all that they say of each other. `file` is its
 * callyard.yaml, absolute.
 * @throws InvalidInput with the findings of all files when one is an error.
 */
export async function loadProject(
  file: string,
  settings: ProjectSettings,
  options: ProjectCheckOptions,
): Promise<LoadedProject> {
  const project = openProjectFiles(await findResources(dirname(file), options.cwd), options)
  return loadResources(project, settings)
}

/**
 * Checks resources of a project, by default all, with all that they say of each other.
 * @throws InvalidInput with the findings of their files when one is an error
 */
export async function loadResources(
  project: ProjectFiles,
  settings: ProjectSettings,
  resources?: readonly Resource[],
): Promise<LoadedProject> {
  const { folder, vocabulary } = project
  const { resources: checked, ordered, findings } = await checkResources(project, resources)
  const diagnostics = [...checked.flatMap(({ checked }) => checked.diagnostics), ...findings]
  if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics)
  return { folder, settings, vocabulary, resources: ordered, warnings: diagnostics }
}

/**
 * Checks resources of a project, by default all; `ordered` has each after the files that it references. `findings` are about all of them:
 * names, references, cycles, knowledge bases, unused files. Never throws for the content of files.
 */
export async function checkResources(project: ProjectFiles, part?: readonly Resource[]) {
  const resources = part ?? (await project.readAll())
  const { ordered, circles } = orderByNeed(resources)
  const findings = [
    ...project.diagnostics,
    ...(await Promise.all(resources.map(knowledgeBaseFindings))).flat(),
    ...circleFindings(circles, resources),
  ]
  const broken = hasErrors(findings) || resources.some(({ checked }) => hasErrors(checked.diagnostics))
  // In a project with errors, these would only hide them.
  const warnings = broken
    ? []
    : [...sharedKnowledgeBases(resources), ...(part === undefined ? unusedFindings(resources) : [])]
  return { resources, ordered, findings: [...findings, ...warnings] }
}

/** Several files may share a knowledge base: a warning, as it may be a mistake. */
function sharedKnowledgeBases(resources: readonly Resource[]): Diagnostic[] {
  const first = new Map<string, string>()
  return resources.flatMap(({ kind, checked: { own, value } }) => {
    if (kind !== 'kb' || !isObject(value) || typeof value.knowledgeBaseId !== 'string') return []
    const other = first.get(value.knowledgeBaseId)
    if (other === undefined) {
      first.set(value.knowledgeBaseId, own.file)
      return []
    }
    const message = `this file has the same knowledge base as ${other}`
    const hint = 'change knowledgeBaseId if the file is a copy'
    const finding = valueError(['knowledgeBaseId'], 'shared-knowledge-base', message, hint)
    return toDiagnostics([{ ...finding, severity: 'warning' }], own)
  })
}

/** Checks that a knowledge base in a project has an id, and space for the ids of its entries. */
async function knowledgeBaseFindings(resource: Resource): Promise<Diagnostic[]> {
  if (resource.kind !== 'kb') return []
  return [...withoutId(resource), ...(await withoutIdSlot(resource))]
}

/** The interface has no way to create a knowledge base: in a project its file must say which one it is. */
function withoutId({ address, checked: { own, value } }: Resource): Diagnostic[] {
  if (!isObject(value) || value.knowledgeBaseId !== undefined) return []
  if (own.format !== 'csv') {
    const message = 'knowledgeBaseId is missing: the service’s interface cannot create a knowledge base'
    const hint =
      'add knowledgeBaseId with the id from the service’s dashboard, or ${env:NAME} if it differs by target'
    return toDiagnostics([valueError([], 'missing', message, hint)], own)
  }
  const name = nameOf(address)
  const key = /^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name)
  const message = 'a CSV file cannot contain knowledgeBaseId, which a project requires'
  const hint = `add its id to ${projectFileName}: knowledgeBases: { ${key}: <id> }`
  return [{ file: own.file, ...valueError([], 'missing', message, hint) }]
}

/** Only a file that passes has entries to look at. */
async function withoutIdSlot({ checked }: Resource): Promise<Diagnostic[]> {
  const { source, body, diagnostics } = checked
  if (body === undefined || hasErrors(diagnostics)) return []
  const entries = readEntries(source, body).filter(({ key }) => key === undefined)
  if (entries.length === 0) return []
  const { refusal } = await openSplice(source)
  return missingIdSlots(source, entries, refusal)
}

/** Resources that need each other: none of them could be made first. */
function circleFindings(
  circles: readonly (readonly Address[])[],
  resources: readonly Resource[],
): Diagnostic[] {
  return circles.flatMap(circle => {
    const [first, second] = circle
    const resource = resources.find(({ address }) => address === first)
    if (resource === undefined || second === undefined) return []
    const { source, references } = resource.checked
    const path = references.resources.find(({ kind, name }) => toAddress(kind, name) === second)?.path ?? []
    const message =
      circle.length === 2
        ? `${first} refers to itself, but has no id before it is created`
        : `circular reference: ${circle.join(' → ')}`
    const hint = 'remove one of the references; a resource is created before those that refer to it'
    return toDiagnostics([valueError(path, 'circle', message, hint)], source)
  })
}

/** Tools and knowledge bases that nothing refers to, neither by name nor by id: often a typo, or forgotten. */
function unusedFindings(resources: readonly Resource[]): Diagnostic[] {
  const used = new Set(resources.flatMap(({ needs }) => needs))
  const ids = new Set(resources.flatMap(literalIds))
  return resources.flatMap(({ kind, address, checked: { own, value } }) => {
    if (kind === 'assistant' || used.has(address)) return []
    if (kind === 'kb' && isObject(value) && ids.has(value.knowledgeBaseId)) return []
    const hint = `use it in an assistant: \${${kindOfAddress(address)}:${nameOf(address)}}`
    const finding = valueError([], 'unused', `no file refers to ${address}`, hint)
    return [{ file: own.file, ...finding, severity: 'warning' }]
  })
}

function literalIds({ kind, checked: { value } }: Resource): unknown[] {
  if (kind !== 'assistant' || !isObject(value)) return []
  return Array.isArray(value.assistantKnowledgeBaseIds) ? value.assistantKnowledgeBaseIds : []
}
