import { httpFaultNames, webhookFaultNames } from '../../../files/formats/fault-names.ts'
import { readProfiles } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'
import type { Candidate, ProjectSource } from './project-values.ts'
import type { ValueSource } from './read-table.ts'

/** Lists the values of a source, not filtered by the word. Reads only local files; an unreadable project has none. */
export async function findValues(
  source: ValueSource,
  word: string,
  context: Context,
): Promise<readonly Candidate[]> {
  return isOwn(source) ? sources[source](word, context) : ofProject(source, word, context)
}

function isOwn(source: ValueSource): source is keyof typeof sources {
  return Object.hasOwn(sources, source)
}

const sources = {
  profile: (_word, context) => profiles(context),
  target: async (word, context) => [
    ...(await ofProject('target', word, context)),
    ...(await profiles(context)),
  ],
  fault: word => faults(word, webhookFaultNames),
  'fault-http': word => faults(word, httpFaultNames),
  forward: word => {
    const [type = ''] = /^[^=/:?#]+=/.exec(word) ?? []
    const receivers = ['http://127.0.0.1:3000/', 'http://localhost:3000/', 'https://']
    const types = type === '' ? ['status-update=', 'conversation-update='] : []
    return [...receivers.map(url => ({ value: type + url })), ...types.map(value => ({ value }))]
  },
} satisfies Record<string, (word: string, context: Context) => Candidate[] | Promise<Candidate[]>>

/** Loaded where a project is asked for: reading one takes most of the time. */
async function ofProject(source: ProjectSource, word: string, context: Context): Promise<Candidate[]> {
  return (await import('./project-values.ts')).projectValues(source, word, context)
}

async function profiles({ env }: Context): Promise<Candidate[]> {
  const stored = await readProfiles(env)
  return Object.entries(stored.profiles)
    .map(([value, { baseUrl }]) => ({ value, description: baseUrl }))
    .sort((one, other) => (one.value < other.value ? -1 : 1))
}

/** One more of a list of faults, `drop=0.1,reorder`; after `drop=`, some probabilities. */
function faults(word: string, names: readonly string[]): Candidate[] {
  const [, before = '', last = ''] = /^(.*,)?([^,]*)$/s.exec(word) ?? []
  const named = new Set(before.split(',').map(pair => pair.split('=')[0]))
  const [name = ''] = last.split('=')
  if (last.includes('=') && names.includes(name)) {
    return ['0.1', '0.5', '1'].map(probability => ({ value: `${before}${name}=${probability}` }))
  }
  return names
    .filter(candidate => !named.has(candidate))
    .map(candidate => ({ value: `${before}${candidate}` }))
}
