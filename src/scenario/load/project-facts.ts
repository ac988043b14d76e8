import type { ResourceKind } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { fileKinds, kindOfAddress, nameOf, type ProjectAround } from '../../project/index.ts'
import { predefinedToolNames } from '../../sandbox/index.ts'
import { type CheckedFile, type CheckFileOptions, checkFile } from '../../source/index.ts'
import { foldText } from '../expect/text.ts'
import { namesIn } from './fill.ts'

/** What the tests of a project may name. Of its files only those are read whose content is asked for, each once. */
export interface ProjectFacts {
  /** Absolute. */
  readonly folder: string
  readonly assistants: readonly string[]
  /** The name of the function that a tool is called by; the tool is given by it, or by the name of its file. */
  functionOf(tool: string): Promise<KnownFunction | Missing>
  /** A question of a knowledge base as its file writes it. */
  questionOf(question: string): Promise<{ readonly name: string } | Missing>
  /** Whether a text of the project has a variable. */
  hasVariable(name: string): Promise<true | Missing>
}

/** `isPredefined`: the sandbox itself gives it to an assistant, and no tool of the project has its name. */
export interface KnownFunction {
  readonly name: string
  readonly isPredefined: boolean
}

export interface Missing {
  readonly near: string | undefined
  readonly there: readonly string[]
}

export interface FactsOptions extends CheckFileOptions {
  /** Files that were checked before, by their absolute paths. */
  readonly checked?: ((path: string) => CheckedFile | undefined) | undefined
}

export function openFacts({ folder, files }: ProjectAround, options: FactsOptions): ProjectFacts {
  const namesOf = (kind: ResourceKind) =>
    [...files.keys()].filter(address => kindOfAddress(address) === kind).map(nameOf)
  const valuesOf = async (kind: ResourceKind) => {
    const values: { readonly name: string; readonly value: unknown }[] = []
    for (const { address, path } of files.values()) {
      if (kindOfAddress(address) !== kind) continue
      const checked =
        options.checked?.(path) ?? (await checkFile(path, fileKinds[kind], { ...options, folder }))
      values.push({ name: nameOf(address), value: checked.value })
    }
    return values
  }
  const once = <Value>(read: () => Promise<Value>) => {
    let known: Promise<Value> | undefined
    return () => {
      known ??= read()
      return known
    }
  }
  const functions = once(async () => {
    const tools = await valuesOf('tool')
    const named = tools.map(({ name, value }) => [name, functionName(value)] as const)
    const byFile = new Map(named.flatMap(([name, called]) => (called === undefined ? [] : [[name, called]])))
    const own = new Set(byFile.values())
    return { byFile, own, all: new Set([...own, ...Object.values(predefinedToolNames)]) }
  })
  const questions = once(async () => {
    const bases = await valuesOf('kb')
    return new Map(bases.flatMap(({ value }) => questionsIn(value)).map(each => [foldText(each), each]))
  })
  const variables = once(async () => namesIn([await valuesOf('assistant'), await valuesOf('tool')]))
  const answers = once(async () => namesIn(await valuesOf('kb')))
  return {
    folder,
    assistants: namesOf('assistant'),
    async functionOf(tool) {
      const { byFile, own, all } = await functions()
      const name = byFile.get(tool) ?? (all.has(tool) ? tool : undefined)
      if (name !== undefined) return { name, isPredefined: !own.has(name) }
      return { near: didYouMean(tool, [...byFile.keys(), ...all]), there: [...byFile.keys()] }
    },
    async questionOf(question) {
      const known = await questions()
      const name = known.get(foldText(question))
      if (name !== undefined) return { name }
      return missing(question, [...known.values()])
    },
    async hasVariable(name) {
      if ((await variables()).has(name)) return true
      return (await answers()).has(name) || missing(name, [...(await variables())])
    },
  }
}

function missing(name: string, there: readonly string[]): Missing {
  return { near: didYouMean(name, there), there }
}

function functionName(tool: unknown): string | undefined {
  const definition = isObject(tool) ? tool.function : undefined
  return isObject(definition) && typeof definition.name === 'string' ? definition.name : undefined
}

function questionsIn(knowledgeBase: unknown): string[] {
  const entries = isObject(knowledgeBase) ? knowledgeBase.faq : undefined
  if (!Array.isArray(entries)) return []
  return entries.flatMap(entry =>
    isObject(entry) && typeof entry.question === 'string' ? [entry.question] : [],
  )
}
