import { dirname } from 'node:path'
import pLimit from 'p-limit'
import type { Project as ProjectSettings } from '../../interface/project.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { FileRules } from '../../source/index.ts'
import { checkFile, type Diagnostic, InvalidInput } from '../../source/index.ts'
import { type Address, addressOf } from '../address.ts'
import { amongResources, fileKinds, findResources, type Resource } from './find-resources.ts'
import { circleFindings, knowledgeBaseFindings, sharedKnowledgeBases, unusedFindings } from './findings.ts'

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

export interface ProjectCheckOptions extends FileRules {
  readonly vocabulary: Vocabulary
  readonly allowUnknown?: boolean | undefined
  /** Called as the check of a file begins, with its absolute path; what it returns is called at its end. */
  readonly onCheck?: ((path: string) => () => void) | undefined
}

export interface LoadOptions extends ProjectCheckOptions {
  /** callwright.yaml, absolute. */
  readonly file: string
  readonly settings: ProjectSettings
}

/**
 * Reads and checks every file of a project: each by its kind, then all that they say of each other.
 * @throws InvalidInput with the findings of all files when one is an error.
 */
export async function loadProject({ file, settings, ...options }: LoadOptions): Promise<LoadedProject> {
  const folder = dirname(file)
  const { resources, ordered, findings } = await checkProjectFiles(folder, options)
  const diagnostics = [...resources.flatMap(({ checked }) => checked.diagnostics), ...findings]
  if (hasErrors(diagnostics)) throw new InvalidInput(diagnostics)
  return { folder, settings, vocabulary: options.vocabulary, resources: ordered, warnings: diagnostics }
}

/** All files of a project, each checked, and what was found between them. */
export interface CheckedProject {
  readonly resources: readonly Resource[]
  /** Each behind all that it refers to. */
  readonly ordered: readonly Resource[]
  /** About the project as a whole: names, references, circles, knowledge bases, what nothing uses. */
  readonly findings: readonly Diagnostic[]
}

/** The same without settings, key or lockfile. Never throws for what the files hold. */
export async function checkProjectFiles(
  folder: string,
  options: ProjectCheckOptions,
): Promise<CheckedProject> {
  const { files, diagnostics: found } = await findResources(folder, options.cwd)
  const resource = amongResources(new Set(files.map(({ address }) => address)))
  const limit = pLimit(maxConcurrent)
  const resources = await Promise.all(
    files.map(each =>
      limit(async (): Promise<Resource> => {
        const onEnd = options.onCheck?.(each.path)
        const checked = await checkFile(each.path, fileKinds[each.kind], { ...options, folder, resource })
        onEnd?.()
        const needs = checked.references.resources.map(({ kind, name }) => addressOf(kind, name))
        return { ...each, checked, needs: [...new Set(needs)] }
      }),
    ),
  )
  const { ordered, circles } = orderByNeed(resources)
  const findings = [
    ...found,
    ...(await Promise.all(resources.map(knowledgeBaseFindings))).flat(),
    ...circleFindings(circles, resources),
  ]
  const broken = hasErrors(findings) || resources.some(({ checked }) => hasErrors(checked.diagnostics))
  // In a project with errors, these would only hide them.
  const warnings = broken ? [] : [...sharedKnowledgeBases(resources), ...unusedFindings(resources)]
  return { resources, ordered, findings: [...findings, ...warnings] }
}

function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Files are read while others are checked: a fifth less time for a thousand. */
const maxConcurrent = 16

interface Node {
  readonly address: Address
  readonly needs: readonly Address[]
}

/** Nodes so that each stands behind all that it needs, else in the order given; and every circle that prevents it. Pure. */
export function orderByNeed<Item extends Node>(
  nodes: readonly Item[],
): { readonly ordered: readonly Item[]; readonly circles: readonly (readonly Address[])[] } {
  const byAddress = new Map(nodes.map(node => [node.address, node]))
  const ordered: Item[] = []
  const circles: Address[][] = []
  const state = new Map<Address, 'entered' | 'left'>()
  // A stack of its own: a long chain of references must not end the process.
  for (const start of nodes) {
    const path: { node: Item; next: number }[] = []
    const enter = (node: Item) => {
      state.set(node.address, 'entered')
      path.push({ node, next: 0 })
    }
    if (!state.has(start.address)) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const need = top.node.needs[top.next]
      top.next += 1
      if (need === undefined) {
        path.pop()
        state.set(top.node.address, 'left')
        ordered.push(top.node)
        continue
      }
      const needed = byAddress.get(need)
      if (needed === undefined) continue
      if (state.get(need) === 'entered') {
        const addresses = path.map(({ node }) => node.address)
        circles.push([...addresses.slice(addresses.indexOf(need)), need])
      } else if (!state.has(need)) enter(needed)
    }
  }
  return { ordered, circles }
}
