import { methods } from '../api.ts'

/** What may stand where the cursor is; the description is shown by shells that can. */
export interface Offer {
  readonly value: string
  readonly description?: string
}

/** What callwright itself knows to offer for a word, looked up at each Tab. */
export type ValueSource =
  | 'profile'
  | 'target'
  | 'adopt'
  | 'forget'
  | 'assistant'
  | 'assistant-id'
  | 'tool'
  | 'kb'
  | 'fault'
  | 'fault-http'
  | 'forward'

/** What can stand at one place of a line. */
export interface Value {
  readonly choices?: readonly string[]
  /** Where callwright itself looks the values up. */
  readonly source?: ValueSource
  /** What the shell completes beside them. */
  readonly alsoTakes?: 'files' | 'folders'
}

/**
 * The values that choices and a placeholder do not tell: of a flag wherever it stands, of an argument by command and name.
 */
const known: Readonly<Record<string, Value>> = {
  '--profile': { source: 'profile' },
  'profile show name': { source: 'profile' },
  'profile use name': { source: 'profile' },
  'profile remove name': { source: 'profile' },
  '--target': { source: 'target' },
  '--adopt': { source: 'adopt' },
  '--forget': { source: 'forget' },
  '--assistant': { source: 'assistant', alsoTakes: 'files' },
  'call chat assistant': { source: 'assistant', alsoTakes: 'files' },
  '--assistant-id': { source: 'assistant-id' },
  'tool update id': { source: 'tool' },
  '--kb': { source: 'kb' },
  '--fault': { source: 'fault' },
  '--fault-http': { source: 'fault-http' },
  '--forward': { source: 'forward' },
  'apply plan': { alsoTakes: 'files' },
  'api METHOD': { choices: methods },
}

/** Every name that the table has, for a test that each of them exists. */
export const knownPlaces = Object.keys(known)

/**
 * What can stand at a flag (`--target`) or an argument (`apply plan`). Its placeholder tells of files; a single `path` is the
 * path of a URL here, only a list of paths means files.
 */
export function valueAt(
  place: string,
  {
    placeholder,
    argChoices,
    variadic,
  }: {
    readonly placeholder: string
    readonly argChoices?: readonly string[] | undefined
    readonly variadic: boolean
  },
): Value {
  if (Object.hasOwn(known, place)) return known[place] ?? {}
  if (argChoices !== undefined) return { choices: argChoices }
  if (placeholder.split('|').includes('file') || (placeholder === 'path' && variadic)) {
    return { alsoTakes: 'files' }
  }
  return /^(folder|directory|dir)$/.test(placeholder) ? { alsoTakes: 'folders' } : {}
}
