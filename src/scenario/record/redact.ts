import { isObject, mapValues } from '../../lib/json.ts'
import { escapeRegExp } from '../../lib/text/escape.ts'
import { extractTerms } from '../../lib/text/words.ts'
import { createPlaceholders, extractDigits, foldName } from './placeholders.ts'
import type { ReplayableCall, ReplayStep } from './replayable-call.ts'

const digitWord = '(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine|double|triple)'

/** Formats of personal data. Dates are matched only so that their digits do not count as a number. */
const personalData = new RegExp(
  [
    '(?<date>(?<!\\d)(?:\\d{4}-\\d\\d-\\d\\d(?:T[\\d:.]+Z?)?|\\d{1,2}[./]\\d{1,2}[./](?:\\d{4}|\\d\\d))(?!\\d))',
    '(?<email>[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63}){0,8}|[\\p{L}\\p{N}._-]{1,64} at [\\p{L}\\p{N}-]{1,63}(?: dot [\\p{L}\\p{N}]{1,63}){1,3})',
    '(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})',
    '(?<iban>(?<![\\p{L}\\p{N}])[A-Z]{2}\\d\\d(?: ?[A-Z]{4})?(?: ?\\d{4}){2,7}(?: ?\\d{1,4})?(?![\\p{L}\\p{N}]))',
    '(?<number>[+(]{0,2}\\d(?:[ ().\\/-]{0,3}\\d){4,})',
    `(?<spoken>(?<!\\p{L})${digitWord}(?:[ ,-]{1,3}${digitWord}){4,}(?!\\p{L}))`,
    '(?<spelled>(?<![\\p{L}\\p{N}])\\p{L}(?:[ -]\\p{L}){2,}(?![\\p{L}\\p{N}]))',
  ].join('|'),
  'giu',
)

const forms = ['date', 'email', 'uuid', 'iban', 'number', 'spoken', 'spelled'] as const

/**
 * Replaces names, phone numbers, email addresses, account numbers and other numbers of five or more digits with placeholders; equal values
 * get equal placeholders in all calls. Names are found in event fields and introductions; `words` are replaced too.
 */
export function redactCalls(
  courses: readonly ReplayableCall[],
  words: readonly string[] = [],
): ReplayableCall[] {
  const names = new Set<string>()
  const addName = (name: string) => {
    for (const part of splitName(name)) names.add(foldName(part)).add(joinLetters(foldName(part)))
  }
  const addNames = (written: readonly string[]) => {
    for (const part of written.flatMap(splitName)) names.add(foldName(part))
  }
  for (const word of words) addName(word)
  const placeholders = createPlaceholders()
  // Reads all calls first, so that no placeholder equals a text of any call.
  for (const course of courses) {
    addNames(course.people.names)
    for (const number of course.people.numbers) {
      if (extractDigits(number).length >= 5) placeholders.number(number)
      else addName(number)
    }
    mapCall(course, (text, field) => {
      if (field === undefined) addNames(findIntroducedNames(text))
      else if (isNameOfPerson(field, text)) addNames([text])
      placeholders.reserve(text)
      for (const match of text.matchAll(personalData)) placeholders.reserve(extractDigits(match[0]))
      return text
    })
  }
  const pattern = toPattern(names)

  const redactText = (text: string): string => {
    const textWithoutData = text.replace(personalData, (match, ...rest) => {
      const form = getFormat(rest.at(-1))
      if (form === undefined || form === 'date') return match
      if (form === 'spoken') return placeholders.number(parseSpokenDigits(match))
      if (form === 'spelled')
        return names.has(foldName(joinLetters(match))) ? placeholders.name(joinLetters(match)) : match
      return placeholders[form](match)
    })
    const textWithoutNames =
      pattern === undefined
        ? textWithoutData
        : textWithoutData.replace(pattern, name => placeholders.name(name))
    return textWithoutNames.replace(
      /(?<![\p{L}\p{N}])\d{4}(?![\p{L}\p{N}])/gu,
      digits => placeholders.lastDigitsFor(digits) ?? digits,
    )
  }
  return courses.map(course => mapCall(course, redactText))
}

function getFormat(groups: unknown): (typeof forms)[number] | undefined {
  return isObject(groups) ? forms.find(form => groups[form] !== undefined) : undefined
}

function joinLetters(spelled: string): string {
  return spelled.replace(/[ -]/g, '')
}

/** Tries long names first, because one name may be a prefix of another. */
function toPattern(names: ReadonlySet<string>): RegExp | undefined {
  if (names.size === 0) return undefined
  const sorted = [...names].sort((one, other) => other.length - one.length)
  const alternatives = sorted.map(escapeRegExp)
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

const digitWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** Parses spoken digits: `four double two` is 422. */
function parseSpokenDigits(words: string): string {
  let times = 1
  let digits = ''
  for (const word of words.toLowerCase().split(/[ ,-]+/)) {
    if (word === 'double' || word === 'triple') {
      times = word === 'double' ? 2 : 3
      continue
    }
    digits += String(Math.max(0, digitWords.indexOf(word))).repeat(times)
    times = 1
  }
  return digits
}

/** `field` is undefined for speech and empty for field names. */
type MapText = (text: string, field?: string) => string

function mapCall(course: ReplayableCall, map: MapText): ReplayableCall {
  const { steps, unplacedTools, variables, analysis, ...rest } = course
  return {
    ...rest,
    people: { names: [], numbers: [] },
    steps: steps.map(step => mapStep(step, map)),
    unplacedTools: unplacedTools.map(tool => mapTool(tool, map)),
    variables: mapValues(variables, (value, name) => map(value, name)),
    analysis: analysis && mapFields(analysis, map),
  }
}

function mapStep(step: ReplayStep, map: MapText): ReplayStep {
  if (step.kind === 'said') return { ...step, text: map(step.text) }
  if (step.kind === 'tool') return { ...step, tool: mapTool(step.tool, map) }
  const line = map(step.line)
  // A placeholder may contain +, which is not a key.
  return { ...step, line: line.startsWith('/keys ') ? line.replaceAll('+', '') : line }
}

type Tool = ReplayableCall['unplacedTools'][number]

function mapTool(tool: Tool, map: MapText): Tool {
  const { result: answer } = tool
  return {
    ...tool,
    arguments: mapValue(tool.arguments, map),
    result:
      answer === undefined || 'simulated' in answer
        ? answer
        : 'fails' in answer
          ? { fails: map(answer.fails, '') }
          : { returns: mapValue(answer.returns, map) },
  }
}

function mapValue(value: unknown, map: MapText, field = ''): unknown {
  if (typeof value === 'string') return map(value, field)
  if (typeof value === 'number') {
    const mapped = map(String(value), '')
    return mapped === String(value) ? value : Number(extractDigits(mapped))
  }
  if (Array.isArray(value)) return value.map(item => mapValue(item, map, field))
  return isObject(value) ? mapFields(value, map) : value
}

function mapFields(fields: Readonly<Record<string, unknown>>, map: MapText): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [map(name, ''), mapValue(value, map, name)]),
  )
}

const capital = "\\p{Lu}[\\p{L}\\p{M}'’-]*"
const fullName = `(${capital}(?:\\s+${capital}){0,2})`

const introductions = [
  new RegExp(
    `\\b(?:[Ii] am|[Ii]['’]m|[Tt]his is|[Ii]t is|[Ii]t['’]s|[Ss]peaking (?:to|with)|[Mm]y name is) ${fullName}`,
    'gu',
  ),
  new RegExp(
    `\\b(?:[Mm]r|[Mm]rs|[Mm]s|[Mm]iss|[Mm]ister|[Dd]r|[Dd]octor|[Pp]rofessor)\\.?\\s+${fullName}`,
    'gu',
  ),
  new RegExp(
    `\\b(?:[Hh]ello|[Hh]i|[Dd]ear|[Tt]hank you|[Tt]hanks|[Gg]oodbye|[Bb]ye),? ${fullName}(?=[,.!?]|$)`,
    'gu',
  ),
]

/** Phrases before a name in transcripts without capitals. */
const strongIntroduction =
  /\b(?:my name is|my name['’]s|the name is|the name['’]s|call me)\s+([\p{L}\p{M}'’-]+)(?:\s+([\p{L}\p{M}'’-]+))?/giu

/** Finds names in introductions and greetings; each may have several words. */
function findIntroducedNames(line: string): string[] {
  const names: string[] = []
  for (const pattern of introductions)
    for (const [, name = ''] of line.matchAll(pattern)) names.push(...splitWords(name).filter(isUncommonWord))
  for (const [, first = '', second = ''] of line.matchAll(strongIntroduction)) {
    if (!isUncommonWord(first)) continue
    names.push(first)
    // Without capitals the second word may be a verb. Redacting too much is safer.
    if (second !== '' && isUncommonWord(second)) names.push(second)
  }
  return names
}

/** Splits a name into parts that may be spoken separately: `Ada Lovelace` into `Ada` and `Lovelace`. */
function splitName(name: string): string[] {
  return splitWords(name).filter(part => part.length > 1)
}

function isNameOfPerson(field: string, text: string): boolean {
  return (
    /^\P{N}{2,80}$/u.test(text) &&
    text.split(' ').length <= 4 &&
    /name|customer|patient|caller|contact|person|guest|client/i.test(field) &&
    !/company|business|shop|file/i.test(field)
  )
}

function splitWords(name: string): string[] {
  return name
    .split(/[\s,;]+/)
    .map(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$|['’]s$/gu, ''))
    .filter(word => word !== '')
}

function isUncommonWord(word: string): boolean {
  return extractTerms(word).size > 0 && !commonAfter.has(word.toLowerCase())
}

/** Words that follow `this is` and `hello` but are not names. */
const commonAfter = new Set('again calling great fine here nice perfect sorry sure'.split(' '))
