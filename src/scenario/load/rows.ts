import { rowsSchema } from '../../interface/scenario.ts'
import { isObject, mapTexts, stringifyJson } from '../../lib/json.ts'
import { checkSource, type FileRules, readSource } from '../../source/index.ts'
import type { Place } from '../test-case.ts'
import { type Findings, type Located, locatedIn } from './findings.ts'

/** One row of `each`. */
export interface Row {
  /** By their columns. */
  readonly values: Readonly<Record<string, unknown>>
  /** From 1. */
  readonly number: number
  readonly place: Place
}

interface RowOptions extends FileRules {
  /** What the file of rows lies in, absolute. */
  readonly folder: string
}

/** The rows of `each`, from the test itself or from a file of which the path is noted in `uses`; none where it has errors. */
export async function readRows(
  each: string | readonly Row['values'][],
  at: Located,
  findings: Findings,
  { cwd, folder, allowOutside = false, ...options }: RowOptions & { readonly uses: Set<string> },
): Promise<readonly Row[]> {
  if (typeof each !== 'string')
    return each.map((values, index) => ({ values, number: index + 1, place: at.placeOf(['each', index]) }))
  const place = at.placeOf(['each'])
  const includedBy = { holder: at.source.path, folder, allowOutside }
  const source = await readSource(each, { cwd, includedBy, isTable: true })
  options.uses.add(source.path)
  if (source.value === undefined) {
    findings.addUnread(source, place, each)
    return []
  }
  if (Array.isArray(source.value) && source.value.length === 0) {
    findings.add(place, 'missing', 'no-rows', { file: each })
    return []
  }
  const checking = { cwd, folder, allowOutside, ...options }
  const { value, diagnostics } = await checkSource(source, rowsSchema(), checking)
  findings.addAll(diagnostics)
  const { placeOf } = locatedIn(source)
  const rows = rowsSchema().safeParse(value).data ?? []
  return rows.map((values, index) => ({ values, number: index + 1, place: placeOf([index]) }))
}

/** Puts the columns of a row into texts; `{{name}}` that is no column stays: it is a variable of the service. */
export interface Fill {
  text(text: string): string
  /** The same in all texts of a value whose schema asks for texts there. */
  texts(value: unknown): unknown
  /** The same in all texts of any value. A text that is `{{column}}` alone becomes the value of the column, a number too. */
  value(value: unknown): unknown
  /** The number of the row, from 1, for what has a column of it. */
  rowOf(written: unknown): number | undefined
}

const placeholder = /\{\{([^{}]*)\}\}/g
const onePlaceholder = /^\{\{([^{}]*)\}\}$/

/** The names between `{{` and `}}` in all texts of a value. */
export function namesIn(value: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') {
    for (const [, name = ''] of value.matchAll(placeholder)) names.add(name.trim())
  } else if (Array.isArray(value)) for (const item of value) namesIn(item, names)
  else if (isObject(value)) for (const field of Object.values(value)) namesIn(field, names)
  return names
}

/** Without a row all stays as it is written. */
export function fillWith(row: Row | undefined): Fill {
  const { values = {}, number } = row ?? {}
  const cellOf = (name: string) => (Object.hasOwn(values, name.trim()) ? values[name.trim()] : undefined)
  const text = (whole: string) =>
    whole.replace(placeholder, (written, name: string) => {
      const value = cellOf(name)
      if (value === undefined) return written
      return typeof value === 'object' && value !== null ? stringifyJson(value) : String(value)
    })
  const cellOrText = (whole: string): unknown => {
    const [, name] = onePlaceholder.exec(whole) ?? []
    return (name === undefined ? undefined : cellOf(name)) ?? text(whole)
  }
  return {
    text,
    texts: value => mapTexts(value, text),
    value: value => mapTexts(value, cellOrText),
    rowOf: written => ([...namesIn(written)].some(name => Object.hasOwn(values, name)) ? number : undefined),
  }
}
