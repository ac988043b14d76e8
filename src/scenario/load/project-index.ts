import { kindOfAddress, nameOf } from '../../interface/address.ts'
import { fileKinds } from '../../interface/kinds.ts'
import { predefinedToolNames } from '../../interface/tool.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import type { ProjectAround } from '../../resources/index.ts'
import { type CheckedFile, type CheckFileOptions, checkFile } from '../../source/index.ts'
import type { TestFindings } from '../errors.ts'
import { foldText } from '../expect/text.ts'
import type { Findings } from './findings.ts'
import type { ParsedTest } from './read-turns.ts'
import { findColumn, findPlaceholders, type Row } from './rows.ts'

/** Closest existing name, and all names if the list helps. */
export type NameNotFound = Pick<TestFindings['unknown-tool'], 'near' | 'there'>

interface FactsOptions extends CheckFileOptions {
  /** Previously checked files by absolute path. */
  readonly checked?: ((path: string) => CheckedFile | undefined) | undefined
}

export type ProjectIndex = ReturnType<typeof openProjectIndex>

/** Indexes the names that a project's tests may use. Reads files lazily, each at most once. */
export function openProjectIndex({ folder, files }: ProjectAround, options: FactsOptions) {
  const listNames = (kind: ResourceKind) =>
    [...files.keys()].filter(address => kindOfAddress(address) === kind).map(nameOf)
  const readValues = async (kind: ResourceKind) => {
    const values: { readonly name: string; readonly value: unknown }[] = []
    for (const { address, path } of files.values()) {
      if (kindOfAddress(address) !== kind) continue
      const checked =
        options.checked?.(path) ?? (await checkFile(path, fileKinds[kind], { ...options, folder }))
      values.push({ name: nameOf(address), value: checked.value })
    }
    return values
  }
  const functions = lazy(async () => {
    const tools = await readValues('tool')
    const named = tools.map(({ name, value }) => [name, getFunctionName(value)] as const)
    const byFile = new Map(named.flatMap(([name, called]) => (called === undefined ? [] : [[name, called]])))
    const own = new Set(byFile.values())
    return { byFile, own, all: new Set([...own, ...Object.values(predefinedToolNames)]) }
  })
  const questions = lazy(async () => {
    const bases = await readValues('kb')
    return new Map(bases.flatMap(({ value }) => listQuestions(value)).map(each => [foldText(each), each]))
  })
  const variables = lazy(async () =>
    findPlaceholders([await readValues('assistant'), await readValues('tool')]),
  )
  const answers = lazy(async () => findPlaceholders(await readValues('kb')))
  return {
    /** Absolute path. */
    folder,
    assistants: listNames('assistant'),
    /** Resolves a function or file name to a function name. `isPredefined`: a sandbox tool that the project does not override. */
    async findFunction(
      tool: string,
    ): Promise<{ readonly name: string; readonly isPredefined: boolean } | NameNotFound> {
      const { byFile, own, all } = await functions()
      const name = byFile.get(tool) ?? (all.has(tool) ? tool : undefined)
      if (name !== undefined) return { name, isPredefined: !own.has(name) }
      return { near: didYouMean(tool, [...byFile.keys(), ...all]), there: [...byFile.keys()] }
    },
    /** Finds a knowledge base question and returns it as written in its file. */
    async findQuestion(question: string): Promise<{ readonly name: string } | NameNotFound> {
      const known = await questions()
      const name = known.get(foldText(question))
      return name === undefined ? { near: didYouMean(question, [...known.values()]) } : { name }
    },
    /** Returns true if any text of the project uses the variable. */
    async findVariable(name: string): Promise<true | NameNotFound> {
      if ((await variables()).has(name)) return true
      const there = [...(await variables())]
      return (await answers()).has(name) || { near: didYouMean(name, there), there }
    },
  }
}

function getFunctionName(tool: unknown): string | undefined {
  const definition = isObject(tool) ? tool.function : undefined
  return isObject(definition) && typeof definition.name === 'string' ? definition.name : undefined
}

function listQuestions(knowledgeBase: unknown): string[] {
  const entries = isObject(knowledgeBase) ? knowledgeBase.faq : undefined
  if (!Array.isArray(entries)) return []
  return entries.flatMap(entry =>
    isObject(entry) && typeof entry.question === 'string' ? [entry.question] : [],
  )
}

/**
 * Checks the names in `{{…}}`: every row must have each column that is used. Warns about variables that no text of the project uses, and
 * about near matches of a column, which are probably typos.
 */
export async function checkPlaceholders(
  { file, turns, placeOf }: ParsedTest,
  rows: readonly Row[],
  { facts, findings }: { readonly facts: ProjectIndex | undefined; readonly findings: Findings },
): Promise<void> {
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  const { each: _, ...texts } = file
  const lines = turns.map(({ user, expect }) => [user, expect])
  for (const name of rows.length === 0 ? [] : findPlaceholders([texts, lines])) {
    const column = findColumn(name, columns)
    if (column !== undefined) {
      const without = rows.find(({ values }) => !Object.hasOwn(values, column))
      if (without !== undefined)
        findings.add(without.location, 'missing', 'column-missing', { name, row: without.number })
      continue
    }
    const near = didYouMean(name, columns)
    if (near === undefined || (await facts?.findVariable(name)) === true) continue
    const details = { name, near, there: columns }
    findings.add(placeOf(['each']), 'unknown-reference', 'unknown-column', details, 'warning')
  }
  const { assistant } = file
  const own = findPlaceholders(assistant)
  for (const name of Object.keys(file.variables ?? {})) {
    if (own.has(name)) continue
    const found = await facts?.findVariable(name)
    if (found === undefined || found === true) continue
    const location = placeOf(['variables', name], 'key')
    findings.add(location, 'no-effect', 'unknown-variable', { name, ...found }, 'warning')
  }
}
