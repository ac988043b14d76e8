import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { readProfiles } from '../../profile/index.ts'
import {
  type Address,
  findResources,
  isAddress,
  kindOfAddress,
  knowledgeBaseIdOf,
  lockfilePlace,
  type Recorded,
  readLockfile,
  withoutKind,
} from '../../project/index.ts'
import { httpFaultNames, webhookFaultNames } from '../../sandbox/index.ts'
import type { ValueSource } from './values.ts'

/** What may stand where the cursor is; the description is shown by shells that can. */
export interface Candidate {
  readonly value: string
  readonly description?: string
}

type Known = Pick<Context, 'cwd' | 'env' | 'settings'>

/** Offered in one go; a shell that lists more is of no use. */
const maxCandidates = 1000

/**
 * The values of a source that the word may become. Reads files of this machine alone; a project that cannot be read has
 * none.
 */
export async function findValues(
  source: ValueSource,
  word: string,
  context: Known,
): Promise<readonly Candidate[]> {
  const found = await sources[source](word, context)
  const values = new Set<string>()
  return found
    .filter(({ value }) => {
      if (!value.startsWith(word) || !isOneWord(value) || values.has(value)) return false
      values.add(value)
      return true
    })
    .slice(0, maxCandidates)
    .map(({ value, description = '' }) => (isOneWord(description) ? { value, description } : { value }))
}

/** A lockfile may come from a stranger: no name in it reaches a terminal as more than text. */
function isOneWord(value: string): boolean {
  return value !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(value)
}

const sources: Readonly<
  Record<ValueSource, (word: string, context: Known) => Candidate[] | Promise<Candidate[]>>
> = {
  profile: async (_word, context) => profiles(context),
  target: async (_word, context) => {
    const { recorded } = await projectOf(context)
    const targets = recorded.map(({ target, baseUrl }) => ({ value: target, description: baseUrl }))
    return [...targets, ...(await profiles(context))]
  },
  adopt: async (word, context) => {
    const project = await projectOf(context)
    const [, address] = /^([^=]+)=/.exec(word) ?? []
    if (address === undefined) return project.addresses.map(each => ({ value: `${each}=` }))
    if (!isAddress(address)) return []
    const kind = kindOfAddress(address)
    const others = project.addresses.filter(each => kindOfAddress(each) === kind && each !== address)
    return [...others.map(value => ({ value })), ...idsOf(project, kind)].map(({ value, ...rest }) => ({
      value: `${address}=${value}`,
      ...rest,
    }))
  },
  forget: async (word, context) => {
    const project = await projectOf(context)
    const [, address] = /^([^=:]+)[=:]/.exec(word) ?? []
    if (address === undefined) return project.addresses.map(value => ({ value }))
    return project.recorded.flatMap(({ target, resources }) =>
      resources
        .filter(([each]) => each === address)
        .flatMap(([, { id, entries }]) => [
          ...(id === undefined ? [] : [`${address}=${id}`]),
          ...Object.keys(entries ?? {}).map(key => `${address}:${key}`),
        ])
        .map(value => ({ value, description: target })),
    )
  },
  assistant: async (_word, context) => namesAndIds('assistant', await projectOf(context)),
  'assistant-id': async (_word, context) => idsOf(await projectOf(context), 'assistant'),
  tool: async (_word, context) => namesAndIds('tool', await projectOf(context)),
  kb: async (_word, context) => namesAndIds('kb', await projectOf(context)),
  fault: word => faults(word, webhookFaultNames),
  'fault-http': word => faults(word, httpFaultNames),
  forward: word => {
    const [type = ''] = /^[^=/:?#]+=/.exec(word) ?? []
    const receivers = ['http://127.0.0.1:3000/', 'http://localhost:3000/', 'https://']
    const types = type === '' ? ['status-update=', 'conversation-update='] : []
    return [...receivers.map(url => ({ value: type + url })), ...types.map(value => ({ value }))]
  },
}

async function profiles({ env }: Known): Promise<Candidate[]> {
  const stored = await readProfiles(env)
  return Object.entries(stored.profiles)
    .map(([value, { baseUrl }]) => ({ value, description: baseUrl }))
    .sort((one, other) => (one.value < other.value ? -1 : 1))
}

interface KnownProject {
  /** Of its files, and of what the lockfile has. */
  readonly addresses: readonly Address[]
  readonly recorded: readonly RecordedTarget[]
}

interface RecordedTarget {
  readonly target: string
  readonly baseUrl: string
  readonly resources: readonly (readonly [Address, Recorded])[]
}

async function projectOf({ cwd, settings }: Known): Promise<KnownProject> {
  const project = await settings().then(
    found => found.project,
    () => undefined,
  )
  if (project === undefined) return { addresses: [], recorded: [] }
  const folder = dirname(project.file)
  const { path, name } = lockfilePlace(folder, { cwd })
  const [{ files }, { lockfile }] = await Promise.all([
    findResources(folder, cwd),
    readLockfile(path, name).catch(() => ({ lockfile: { targets: {} } })),
  ])
  const recorded = Object.entries(lockfile.targets).map(([target, { baseUrl, resources }]) => ({
    target,
    baseUrl,
    resources: Object.entries(resources).flatMap(([address, each]) =>
      isAddress(address) ? [[address, each] as const] : [],
    ),
  }))
  const addresses = new Set([
    ...files.map(({ address }) => address),
    ...recorded.flatMap(({ resources }) => resources.map(([address]) => address)),
  ])
  return { addresses: [...addresses].sort(), recorded }
}

function namesAndIds(kind: ResourceKind, project: KnownProject): Candidate[] {
  const names = project.addresses.filter(address => kindOfAddress(address) === kind)
  return [...names.map(address => ({ value: withoutKind(address) })), ...idsOf(project, kind)]
}

/** The ids that the lockfile has for a kind of resource, with what they belong to. */
function idsOf({ recorded }: KnownProject, kind: ResourceKind): Candidate[] {
  return recorded.flatMap(({ target, resources }) =>
    resources.flatMap(([address, { id, body }]) => {
      const value = kind === 'kb' ? knowledgeBaseIdOf(body) : (id ?? '')
      return kindOfAddress(address) === kind && value !== ''
        ? [{ value, description: `${address} in ${target}` }]
        : []
    }),
  )
}

/** One more of a list of faults, `drop=0.1,reorder`; after `drop=`, some probabilities. */
function faults(word: string, names: readonly string[]): Candidate[] {
  const [, before = '', last = ''] = /^(.*,)?([^,]*)$/s.exec(word) ?? []
  const named = new Set(before.split(',').map(each => each.split('=')[0]))
  const [name = ''] = last.split('=')
  if (last.includes('=') && names.includes(name)) {
    return ['0.1', '0.5', '1'].map(probability => ({ value: `${before}${name}=${probability}` }))
  }
  return names.filter(each => !named.has(each)).map(each => ({ value: `${before}${each}` }))
}
