import { kindOfAddress, nameOf } from '../../files/formats/address.ts'
import { fileKinds } from '../../files/formats/kinds.ts'
import { type CheckedFile, type CheckFileOptions, checkFile } from '../../files/source/index.ts'
import { findColumn } from '../../files/tables/index.ts'
import { hasErrors } from '../../interface/finding.ts'
import { predefinedToolNames } from '../../interface/tool.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { isObject, stringifyJson } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { listed } from '../../lib/text/count.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { truncate } from '../../lib/text/truncate.ts'
import type { ProjectAround } from '../../project/resources/index.ts'
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
    const toolNames = tools.map(({ name, value }) => [name, getFunctionName(value)] as const)
    const byFile = new Map(
      toolNames.flatMap(([name, functionName]) => (functionName === undefined ? [] : [[name, functionName]])),
    )
    const own = new Set(byFile.values())
    return { byFile, own, all: new Set([...own, ...Object.values(predefinedToolNames)]) }
  })
  const questions = lazy(async () => {
    const bases = await readValues('kb')
    return new Map(
      bases.flatMap(({ value }) => listQuestions(value)).map(question => [foldText(question), question]),
    )
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
      return notFound('tool', tool, {
        near: didYouMean(tool, [...byFile.keys(), ...all]),
        names: [...byFile.keys()],
      })
    },
    /** Finds a knowledge base question and returns it as written in its file. */
    async findQuestion(question: string): Promise<{ readonly name: string } | NameNotFound> {
      const questionsByFold = await questions()
      const name = questionsByFold.get(foldText(question))
      if (name !== undefined) return { name }
      const near = didYouMean(question, [...questionsByFold.values()])
      return {
        message: `no entry of the knowledge bases has the question ${quoted(question)}`,
        hint: meantHint(near && quoted(near)) ?? 'use the exact question of the entry',
      }
    },
    /** Returns true if any text of the project uses the variable. */
    async findVariable(name: string): Promise<true | NameNotFound> {
      if ((await variables()).has(name)) return true
      if ((await answers()).has(name)) return true
      return {
        message: `the variable ${name} has no effect: no text of this project contains {{${name}}}`,
        hint: meantHint(didYouMean(name, [...(await variables()).keys()])),
      }
    },
  }
}

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

/** Names in `{{…}}` of a test, those of its assistant included. */
export function namesIn(test: ParsedTest): ReadonlySet<string> {
  const { assistant, overrides } = test.file
  return new Set([...usedNames(test).keys(), ...findPlaceholders([assistant, overrides]).keys()])
}

/** Names that callyard fills in, each with the location of its first use. */
function usedNames({ file, turns, locationOf }: ParsedTest): ReadonlyMap<string, SourceLocation> {
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
  rows: readonly Row[],
  { facts, findings }: { readonly facts: ProjectIndex | undefined; readonly findings: Findings },
): Promise<void> {
  const { file, locationOf } = test
  const { each: rowSource, assistant, overrides = {}, variables = {} } = file
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  const own = findPlaceholders([assistant, overrides])
  const usedLocations = usedNames(test)
  const texts = { ...overrides.dynamicVariables, ...variables }
  // `name: "{{name}}"` can only mean a column.
  const circular = Object.keys(texts).filter(name => findPlaceholders(texts[name]).has(name))
  const names = new Set([...namesIn(test), ...circular])
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
    const location = usedLocations.get(name) ?? locationOf(isCircular ? path : ['each'])
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
