import { type Address, kindOfAddress, nameOf, toAddress } from '../../files/formats/address.ts'
import { findColumn } from '../../files/tables/index.ts'
import { type FieldPath, hasErrors } from '../../interface/finding.ts'
import { predefinedToolNames } from '../../interface/tool.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { isObject, stringifyJson } from '../../lib/json.ts'
import { lazy, memoize } from '../../lib/lazy.ts'
import { listed } from '../../lib/text/count.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { truncate } from '../../lib/text/truncate.ts'
import type { ProjectFiles, Resource } from '../../project/resources/index.ts'
import { foldText } from '../expect/text.ts'
import type { SourceLocation } from '../test-case.ts'
import type { Findings } from './findings.ts'
import type { ParsedTest } from './read-turns.ts'
import { findPlaceholders, type Row } from './rows.ts'

/** The finding about a name that does not exist. */
export interface NameNotFound {
  readonly message: string
  readonly hint: string | undefined
}

export type ProjectNames = ReturnType<ReturnType<typeof openProjectIndex>['near']>

/** Indexes the names that a project's tests may use, each file when a name is first looked for in it. */
export function openProjectIndex({ folder, files, read, readReached }: ProjectFiles) {
  const assistants = [...files.keys()].filter(address => kindOfAddress(address) === 'assistant').map(nameOf)
  const questionsIn = memoize(({ checked }: Resource) => new Set(listQuestions(checked.value)))
  const foldedQuestionsIn = memoize(
    (resource: Resource) =>
      new Map(Array.from(questionsIn(resource), question => [foldText(question), question])),
  )
  const placeholdersIn = memoize(({ checked }: Resource) => findPlaceholders(checked.value))
  const views = new Map<string, ReturnType<typeof openView>>()

  const openView = (roots: readonly Address[]) => {
    const reached = lazy(() => readReached(roots))
    /** Resources of these kinds: those that the roots reach, then the others. */
    async function* resourcesOf(...kinds: readonly ResourceKind[]): AsyncGenerator<Resource> {
      const near = await reached()
      yield* near.filter(({ kind }) => kinds.includes(kind))
      const seen = new Set(near.map(({ address }) => address))
      for (const file of files.values())
        if (kinds.includes(file.kind) && !seen.has(file.address)) yield await read(file)
    }
    const hasPlaceholder = async (name: string, ...kinds: readonly ResourceKind[]) => {
      for await (const resource of resourcesOf(...kinds)) if (placeholdersIn(resource).has(name)) return true
      return false
    }
    return {
      /** Absolute path. */
      folder,
      assistants,
      /** Resolves a function or file name to a function name. `isPredefined`: a sandbox tool that the call's own tools do not override. */
      async findFunction(
        tool: string,
      ): Promise<{ readonly name: string; readonly isPredefined: boolean } | NameNotFound> {
        const file = files.get(toAddress('tool', tool))
        const ofFile = file && getFunctionName((await read(file)).checked.value)
        if (ofFile !== undefined) return { name: ofFile, isPredefined: false }
        if (predefinedNames.includes(tool)) {
          const isOwn = (await reached()).some(({ checked }) => getFunctionName(checked.value) === tool)
          return { name: tool, isPredefined: !isOwn }
        }
        const names: string[] = []
        const functionNames: string[] = []
        for await (const { address, checked } of resourcesOf('tool')) {
          const functionName = getFunctionName(checked.value)
          if (functionName === tool) return { name: tool, isPredefined: false }
          if (functionName === undefined) continue
          names.push(nameOf(address))
          functionNames.push(functionName)
        }
        const near = didYouMean(tool, [...names, ...functionNames, ...predefinedNames])
        return notFound('tool', tool, { near, names })
      },
      /** Finds a knowledge base question and returns it as written in its file. */
      async findQuestion(question: string): Promise<{ readonly name: string } | NameNotFound> {
        const folded = foldText(question)
        const all: string[] = []
        for await (const resource of resourcesOf('kb')) {
          const name = questionsIn(resource).has(question)
            ? question
            : foldedQuestionsIn(resource).get(folded)
          if (name !== undefined) return { name }
          all.push(...questionsIn(resource))
        }
        const near = didYouMean(question, all)
        return {
          message: `no entry of the knowledge bases has the question ${quoted(question)}`,
          hint: meantHint(near && quoted(near)) ?? 'use the exact question of the entry',
        }
      },
      /** Returns true if any text of the project uses the variable. */
      async findVariable(name: string): Promise<true | NameNotFound> {
        if (await hasPlaceholder(name, 'assistant', 'tool')) return true
        if (await hasPlaceholder(name, 'kb')) return true
        const names: string[] = []
        for await (const resource of resourcesOf('assistant', 'tool'))
          names.push(...placeholdersIn(resource).keys())
        return {
          message: `the variable ${name} has no effect: no text of this project contains {{${name}}}`,
          hint: meantHint(didYouMean(name, names)),
        }
      },
    }
  }

  return {
    /** The names in the order in which a test with these resources looks for them. */
    near(roots: readonly Address[]) {
      const key = roots.join('\n')
      const view = views.get(key) ?? openView(roots)
      views.set(key, view)
      return view
    },
  }
}

const predefinedNames: readonly string[] = Object.values(predefinedToolNames)

/** `near`: closest name; `names`: existing names. */
export function notFound(
  kind: 'assistant' | 'tool',
  name: string,
  { near, names }: { readonly near: string | undefined; readonly names: readonly string[] },
): NameNotFound {
  return {
    message: `${kind} ${name} not found in this project`,
    hint: meantHint(near) ?? (names.length === 0 ? `${kind}s/ is empty` : `available: ${listed(names)}`),
  }
}

/** A value as JSON, shortened. */
export function quoted(value: unknown): string {
  return truncate(stringifyJson(value) ?? String(value), 80)
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

/** Names in `{{…}}` of a test. */
export interface TestNames {
  /** Names that callyard fills in, each with the location of its first use. */
  readonly used: ReadonlyMap<string, SourceLocation>
  /** Names in the texts of its assistant. */
  readonly own: ReadonlyMap<string, FieldPath>
}

export function namesIn(test: ParsedTest): TestNames {
  const { assistant, overrides } = test.file
  return { used: usedNames(test), own: findPlaceholders([assistant, overrides]) }
}

function usedNames({ file, turns, locationOf }: ParsedTest): TestNames['used'] {
  const { each: rowSource, assistant: _, overrides: __, turns: ___, ...fields } = file
  // Without rows, callyard fills in only the lines of the caller and the expectations.
  const texts = rowSource === undefined ? { caller: fields.caller, expect: fields.expect } : fields
  const usedLocations = [
    ...turns.map(({ user, expect, locationOf }) => ({
      placeOf: locationOf,
      names: findPlaceholders({ user, expect }),
    })),
    { placeOf: locationOf, names: findPlaceholders(texts) },
  ]
  return new Map(
    usedLocations
      .toReversed()
      .flatMap(({ placeOf: locationOf, names }) =>
        [...names].map(([name, path]) => [name, locationOf(path)]),
      ),
  )
}

/**
 * Checks the names in `{{…}}`: every row must have each column that is used. A name that is neither a column nor a variable is an error
 * where it would be said or expected as it is written; in texts of the assistant, a near match of a column is a warning. Rows of which no
 * column is used are an error. Warns about variables that no text of the project uses.
 */
export async function checkPlaceholders(
  test: ParsedTest,
  { used, own }: TestNames,
  rows: readonly Row[],
  { facts, findings }: { readonly facts: ProjectNames | undefined; readonly findings: Findings },
): Promise<void> {
  const { file, locationOf } = test
  const { each: rowSource, overrides = {}, variables = {} } = file
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  const texts = { ...overrides.dynamicVariables, ...variables }
  // `name: "{{name}}"` can only mean a column.
  const circular = Object.keys(texts).filter(name => findPlaceholders(texts[name]).has(name))
  const names = new Set([...used.keys(), ...own.keys(), ...circular])
  const usesColumns = [...names].some(name => findColumn(name, columns) !== undefined)
  const isWithoutHeader = typeof rowSource === 'string' && !usesColumns
  let hasError = false
  // Without rows, their file has errors.
  for (const name of rowSource !== undefined && rows.length === 0 ? [] : names) {
    const column = findColumn(name, columns)
    if (column !== undefined) {
      const without = rows.find(({ values }) => !Object.hasOwn(values, column))
      if (without !== undefined)
        findings.add(without.location, 'missing', {
          message: `row ${without.number} is missing ${name}, which other rows have and the test uses`,
          hint: `add ${name} to it`,
        })
      continue
    }
    const near = name.length > 1 ? didYouMean(name, columns) : undefined
    const isCircular = circular.includes(name)
    const isOwn = !isCircular && (own.has(name) || Object.hasOwn(texts, name))
    // Others, such as `{{.*}}` in a pattern, are not names.
    if (isOwn ? near === undefined : !/^[\p{L}\p{N}_]/u.test(name)) continue
    if (!isCircular && (await facts?.findVariable(name)) === true) continue
    // The other names of a file without a header have the same cause.
    if (!isOwn && isWithoutHeader && hasError) continue
    hasError ||= !isOwn
    const path = Object.hasOwn(variables, name)
      ? ['variables', name]
      : ['overrides', 'dynamicVariables', name]
    const location = used.get(name) ?? locationOf(isCircular ? path : ['each'])
    const columnsHint =
      columns.length === 0
        ? 'name a table with this column under each'
        : isWithoutHeader
          ? `the first line must name the columns; it has ${listed(columns, 8)}`
          : `columns: ${listed(columns, 8)}`
    findings.add(location, 'unknown-reference', {
      message: isCircular
        ? `{{${name}}} is the value of the variable ${name} itself, and not a column`
        : `{{${name}}} is neither a column nor a variable of this project`,
      hint: meantHint(near) ?? columnsHint,
      severity: isOwn ? 'warning' : 'error',
    })
  }
  if (!usesColumns && rows.length > 0 && !hasErrors(findings.diagnostics))
    findings.add(locationOf(['each']), 'no-effect', {
      message: 'no column is used, so each row would run the same test',
      hint: `the first line of a file must name the columns that the test uses as {{column}}; columns: ${listed(columns, 8)}`,
    })
  for (const name of Object.keys(variables)) {
    if (own.has(name)) continue
    const match = await facts?.findVariable(name)
    if (match === undefined || match === true) continue
    const location = locationOf(['variables', name], 'key')
    findings.add(location, 'no-effect', { ...match, severity: 'warning' })
  }
}
