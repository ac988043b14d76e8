import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { extractTerms, saysPhrase } from '../../lib/text/words.ts'
import { checkArguments } from '../schema-checks/run-check.ts'
import type { CallTool, ToolArguments } from '../tools/call-tool.ts'
import { dayAfter, dayIn, numbersIn, type SpokenValue, timeIn } from '../tools/spoken-values.ts'

interface FunctionToolMatch {
  readonly tool: CallTool
  readonly arguments: ToolArguments
  /** Fraction, 0 to 1, of the line's terms that are the tool's or gave an argument. */
  readonly share: number
  /** Number of terms of the line in the name of the tool. */
  readonly inName: number
}

/**
 * Returns the function tool that matches the line best, if it requests one. The line must contain two words of the name (or all of
 * them), or one word and a value for a parameter, or nothing else except a word. Words of the description alone are not a request: “Where is the workshop?” books nothing, and neither does “Cancel my booking”. `from` is
 * the day of the call.
 */
export function matchFunctionTool(line: string, tools: readonly CallTool[], from: Date) {
  const lineTerms = extractTerms(line)
  const [best] = tools
    .flatMap(tool => (tool.predefined === undefined ? (match(line, lineTerms, tool, from) ?? []) : []))
    .sort((one, other) => other.share - one.share || other.inName - one.inName)
  return best
}

/** Minimum share of a line that names a tool with one noun. */
const shareOfNoun = 0.75
const undoing = lazy(() => extractTerms('cancel change move reschedule postpone delete remove undo'))

function match(
  line: string,
  lineTerms: ReadonlySet<string>,
  tool: CallTool,
  from: Date,
): FunctionToolMatch | undefined {
  const nameTerms = extractTerms(wordsOf(tool.name))
  const [verb = ''] = nameTerms
  const inName = [...lineTerms].filter(term => nameTerms.has(term)).length
  if (inName === 0) return undefined
  const filled = fillArguments(tool.parameters, line, from)
  const knownTerms = new Set([
    ...nameTerms,
    ...extractTerms(tool.description),
    ...extractTerms(propertyWords(tool.parameters)),
    ...extractTerms(filled.spokenWords.join(' ')),
  ])
  if ([...lineTerms].some(term => undoing().has(term) && !knownTerms.has(term))) return undefined
  const share = [...lineTerms].filter(term => knownTerms.has(term)).length / lineTerms.size
  const isMeant =
    inName >= Math.min(2, nameTerms.size) ||
    (filled.spokenWords.length > 0 && (lineTerms.has(verb) || share >= shareOfNoun)) ||
    (inName === lineTerms.size && !line.trimEnd().endsWith('?'))
  return isMeant ? { tool, arguments: filled.arguments, share, inName } : undefined
}

/** Why these arguments do not pass the tool's parameters; undefined when they do. */
export async function whyNotCalled({
  tool,
  arguments: args,
}: FunctionToolMatch): Promise<string | undefined> {
  const { unusable, misfit } = await checkArguments(tool.parameters, args)
  if (unusable !== undefined) return `its function.parameters ${unusable}`
  return misfit === undefined ? undefined : `no arguments could be made for it: ${misfit}`
}

/** `book_appointment`, `bookAppointment` → book appointment. */
function wordsOf(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ')
}

/** Names and descriptions of the parameters, in one text. */
function propertyWords({ properties }: CallTool['parameters']): string {
  if (!isObject(properties)) return ''
  return Object.entries(properties)
    .flatMap(([name, property]) => [
      wordsOf(name),
      isObject(property) && typeof property.description === 'string' ? property.description : '',
    ])
    .join(' ')
}

type Schema = Readonly<Record<string, unknown>>

/**
 * Creates arguments for a JSON Schema from the days, times, numbers, addresses and enum words in a line; missing required ones get the
 * schema's default or example, else a sample of their type. `from` is the day of the line.
 */
export function fillArguments(parameters: Schema, line: string, from: Date) {
  /** The words of the line that gave a value. */
  const spokenWords: string[] = []
  const numbers = lazy(() => numbersIn(line, from))
  const fillObject = (schema: Schema): Record<string, unknown> => {
    const properties = isObject(schema.properties) ? schema.properties : {}
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, propertySchema]): [string, unknown][] => {
        const property = isObject(propertySchema) ? propertySchema : {}
        if (isObject(property.properties)) {
          const before = spokenWords.length
          const inner = fillObject(property)
          return required.includes(name) || spokenWords.length > before ? [[name, inner]] : []
        }
        const spokenValue = valueIn(name, property)
        if (spokenValue !== undefined) spokenWords.push(spokenValue.words)
        if (spokenValue !== undefined) return [[name, spokenValue.value]]
        return required.includes(name) ? [[name, sampleOf(name, property, { line, from })]] : []
      }),
    )
  }
  const valueIn = (name: string, schema: Schema): SpokenValue<unknown> | undefined => {
    if (schema.const !== undefined) return undefined
    if (Array.isArray(schema.enum)) return enumIn(schema.enum, line)
    const type = typeOf(schema)
    if (type === 'number' || type === 'integer') {
      const index = numbers().findIndex(({ value }) => type === 'number' || Number.isInteger(value))
      return index === -1 ? undefined : numbers().splice(index, 1)[0]
    }
    if (type !== 'string') return undefined
    const kind = kindOf(name, schema)
    return kind === undefined ? undefined : spokenKinds[kind](line, from)
  }
  return { arguments: fillObject(parameters), spokenWords }
}

const spokenKinds = {
  date: dayIn,
  time: line => timeIn(line),
  'date-time'(line, from) {
    const day = dayIn(line, from)
    const time = timeIn(line)
    if (day === undefined && time === undefined) return undefined
    const value = `${day?.value ?? dayAfter(from, 1)}T${time?.value ?? sampleTime}:00Z`
    return { value, words: [day?.words, time?.words].join(' ') }
  },
  email: line => wordsIn(line, email()),
  phone: line => wordsIn(line, /\+?\d[\d ()-]{5,}\d/),
  text: () => undefined,
} as const satisfies Record<string, (line: string, from: Date) => SpokenValue<string> | undefined>

type StringKind = keyof typeof spokenKinds

/** Not a literal, whose Unicode class V8 expands when it compiles the file. */
const email = lazy(() => /(?<![^\s<])[^\s@<>,;]+@[^\s@<>,;]+\.[\p{L}\d-]+/u)

/** Kind of a string by its format, else by the words of its name and description. */
function kindOf(name: string, { format, description, pattern }: Schema): StringKind | undefined {
  if (format === 'date' || format === 'time' || format === 'date-time') return format
  if (format === 'email' || format === 'phone') return format
  if (format !== undefined || pattern !== undefined) return undefined
  const own = extractTerms(name.replace(/([a-z])([A-Z])/g, '$1 $2'))
  const terms = new Set([...own, ...extractTerms(typeof description === 'string' ? description : '')])
  if (own.has('email')) return 'email'
  if (own.has('phone') || own.has('mobile')) return 'phone'
  if (own.has('date') || own.has('day')) return 'date'
  if (own.has('time')) return 'time'
  if ([...freeTexts()].some(word => own.has(word))) return 'text'
  return terms.has('date') && !terms.has('time') ? 'date' : undefined
}

const freeTexts = lazy(() =>
  extractTerms('query question text message note reason description request topic subject comment detail'),
)
const sampleTime = '09:00'

interface Said {
  readonly line: string
  readonly from: Date
}

/** @returns a value for what nothing was said about */
function sampleOf(name: string, schema: Schema, spokenValue: Said): unknown {
  const [example] = Array.isArray(schema.examples) ? schema.examples : [schema.example]
  const [choice] = Array.isArray(schema.enum) ? schema.enum : []
  const own = [schema.const, schema.default, example, choice].find(value => value !== undefined)
  if (own !== undefined) return own
  switch (typeOf(schema)) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? Math.ceil(schema.minimum) : 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'object':
      return {}
    case 'array': {
      const count = typeof schema.minItems === 'number' ? Math.min(schema.minItems, 10) : 0
      const items = isObject(schema.items) ? schema.items : {}
      return Array.from({ length: count }, () => sampleOf(name, items, spokenValue))
    }
    default:
      return sampleText(name, schema, spokenValue)
  }
}

function sampleText(name: string, schema: Schema, { line, from }: Said): string {
  if (schema.format === 'uri' || schema.format === 'url') return 'https://example.com/'
  if (schema.format === 'uuid') return '00000000-0000-4000-8000-000000000000'
  const day = dayAfter(from, 1)
  const samples: Readonly<Record<StringKind, string>> = {
    date: day,
    time: sampleTime,
    'date-time': `${day}T${sampleTime}:00Z`,
    email: 'caller@example.com',
    phone: '+12025550123',
    text: line.trim(),
  }
  const kind = kindOf(name, schema)
  return kind === undefined ? `sample ${name}` : samples[kind]
}

function enumIn(choices: readonly unknown[], line: string): SpokenValue<unknown> | undefined {
  const choice = choices.find(
    choice =>
      (typeof choice === 'string' || typeof choice === 'number') && saysPhrase(line, [String(choice)]),
  )
  return choice === undefined ? undefined : { value: choice, words: String(choice) }
}

function wordsIn(line: string, pattern: RegExp): SpokenValue<string> | undefined {
  const words = pattern.exec(line)?.[0]
  return words === undefined ? undefined : { value: words, words }
}

/** First of several types; text by default. */
function typeOf({ type, properties }: Schema): string {
  const [first] = [type].flat()
  if (typeof first === 'string') return first
  return isObject(properties) ? 'object' : 'string'
}
