import { methods } from '../api.ts'

/** What callwright itself knows to offer for a word, looked up at each Tab by the hidden command `__complete`. */
export const valueSources = [
  'profile',
  'target',
  'adopt',
  'forget',
  'assistant',
  'assistant-id',
  'tool',
  'kb',
  'fault',
  'fault-http',
  'forward',
] as const

export type ValueSource = (typeof valueSources)[number]

/** What a shell can offer for one word. Text is anything: nothing to offer. */
export type Value =
  | { readonly kind: 'text' | 'file' | 'folder' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  /** `files`: a file may stand there too. */
  | { readonly kind: 'dynamic'; readonly source: ValueSource; readonly files: boolean }

/**
 * The values that a placeholder alone does not tell: of a flag wherever it stands, of an argument by command and name.
 */
const known: Readonly<Record<string, Value>> = {
  '--profile': dynamic('profile'),
  'profile show name': dynamic('profile'),
  'profile use name': dynamic('profile'),
  'profile remove name': dynamic('profile'),
  '--target': dynamic('target'),
  '--adopt': dynamic('adopt'),
  '--forget': dynamic('forget'),
  '--assistant': { ...dynamic('assistant'), files: true },
  'call chat assistant': { ...dynamic('assistant'), files: true },
  '--assistant-id': dynamic('assistant-id'),
  'tool update id': dynamic('tool'),
  '--kb': dynamic('kb'),
  '--fault': dynamic('fault'),
  '--fault-http': dynamic('fault-http'),
  '--forward': dynamic('forward'),
  'apply plan': { kind: 'file' },
  'api METHOD': { kind: 'choices', choices: methods },
}

/** Every name that the table has, for a test that each of them exists. */
export const knownPlaces = Object.keys(known)

/** What the table says of a flag (`--target`) or of an argument (`apply plan`). */
export function knownValue(place: string): Value | undefined {
  return Object.hasOwn(known, place) ? known[place] : undefined
}

function dynamic(source: ValueSource) {
  return { kind: 'dynamic', source, files: false } as const
}
