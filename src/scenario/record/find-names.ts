import { termsOf } from '../../sandbox/index.ts'

const capital = "\\p{Lu}[\\p{L}\\p{M}'’-]*"
const fullName = `(${capital}(?:\\s+${capital}){0,2})`

/** What comes before a name that is written with capitals. */
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

/** What comes before a name in the words of a recogniser that writes no capitals. */
const strongIntroduction =
  /\b(?:my name is|my name['’]s|the name is|the name['’]s|call me)\s+([\p{L}\p{M}'’-]+)(?:\s+([\p{L}\p{M}'’-]+))?/giu

/** The names by which people call themselves and each other in a line; each may have several words. */
export function spokenNames(line: string): string[] {
  const names: string[] = []
  for (const pattern of introductions)
    for (const [, name = ''] of line.matchAll(pattern)) names.push(...words(name).filter(isNoCommonWord))
  for (const [, first = '', second = ''] of line.matchAll(strongIntroduction)) {
    if (!isNoCommonWord(first)) continue
    names.push(first)
    // Without capitals the second word may be a verb as well: one too many is replaced rather than one too few.
    if (second !== '' && isNoCommonWord(second)) names.push(second)
  }
  return names
}

/** The parts by which a name may be said: `Ada Lovelace`, `Ada`, `Lovelace`. */
export function partsOfName(name: string): string[] {
  const parts = words(name).filter(part => part.length > 1)
  return parts.length === 0 ? [] : parts
}

/** Whether a field of this name holds the name of a person. */
export function isNameOfPerson(field: string): boolean {
  return (
    /name|customer|patient|caller|contact|person|guest|client/i.test(field) &&
    !/company|business|shop|file/i.test(field)
  )
}

function words(name: string): string[] {
  return name
    .split(/[\s,;]+/)
    .map(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$|['’]s$/gu, ''))
    .filter(word => word !== '')
}

function isNoCommonWord(word: string): boolean {
  return termsOf(word).size > 0 && !commonAfter.has(word.toLowerCase())
}

/** Stand behind `this is` and `hello` as well, and are no names. */
const commonAfter = new Set('again calling great fine here nice perfect sorry sure'.split(' '))
