import { nestsAtMost } from './depth.ts'

/** Levels of a document that is laid out: indentation grows with the square of its nesting. */
const maxIndentedLevels = 100

/**
 * JSON of a value of any depth, where JSON.stringify overflows the stack: a service may nest what it answers without
 * bound. Indented up to 100 levels, on one line beyond.
 */
export function stringifyJson(value: unknown, { indented = false } = {}): string {
  if (indented && nestsAtMost(value, maxIndentedLevels)) return JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return writeWithoutStack(value)
  }
}

/** What is still to be written: text as it is, or a value. */
type Waiting = { readonly text: string } | { readonly value: unknown }

function writeWithoutStack(whole: unknown): string {
  const parts: string[] = []
  const waiting: Waiting[] = [{ value: whole }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('text' in next) parts.push(next.text)
    else if (typeof next.value !== 'object' || next.value === null)
      parts.push(JSON.stringify(next.value) ?? 'null')
    else {
      const inner = Array.isArray(next.value) ? itemsOf(next.value) : membersOf(next.value)
      for (const each of inner.toReversed()) waiting.push(each)
    }
  }
  return parts.join('')
}

function itemsOf(list: readonly unknown[]): Waiting[] {
  return [
    { text: '[' },
    ...list.flatMap((value, index): Waiting[] => (index === 0 ? [{ value }] : [{ text: ',' }, { value }])),
    { text: ']' },
  ]
}

function membersOf(object: object): Waiting[] {
  const members = Object.entries(object).filter(([, value]) => value !== undefined)
  return [
    { text: '{' },
    ...members.flatMap(([name, value], index): Waiting[] => [
      { text: `${index === 0 ? '' : ','}${JSON.stringify(name)}:` },
      { value },
    ]),
    { text: '}' },
  ]
}
