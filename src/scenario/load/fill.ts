import { isObject, stringifyJson } from '../../lib/json.ts'

/** One row of `each`: column → value. */
export type Row = Readonly<Record<string, unknown>>

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

export const noRow: Fill = {
  text: text => text,
  texts: value => value,
  value: value => value,
  rowOf: () => undefined,
}

export function fillWith(row: Row, number: number): Fill {
  const cellOf = (name: string) => (Object.hasOwn(row, name) ? row[name] : undefined)
  const text = (whole: string) =>
    whole.replace(placeholder, (written, name: string) => {
      const value = cellOf(name.trim())
      return value === undefined ? written : asText(value)
    })
  const cellOrText = (whole: string): unknown => {
    const [, name] = onePlaceholder.exec(whole) ?? []
    return (name === undefined ? undefined : cellOf(name.trim())) ?? text(whole)
  }
  const rowOf = (written: unknown) =>
    [...namesIn(written)].some(name => Object.hasOwn(row, name)) ? number : undefined
  return { text, texts: value => inTexts(value, text), value: value => inTexts(value, cellOrText), rowOf }
}

function inTexts(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map(item => inTexts(item, fill))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inTexts(field, fill)]))
}

function asText(value: unknown): string {
  return typeof value === 'object' && value !== null ? stringifyJson(value) : String(value)
}
