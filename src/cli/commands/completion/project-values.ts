import { dirname } from 'node:path'
import { isAddress, kindOfAddress, withoutKind } from '../../../files/formats/address.ts'
import type { ResourceKind } from '../../../interface/words.ts'
import { getKnowledgeBaseId } from '../../../project/faq/index.ts'
import { lockfileLocation, readLockfile } from '../../../project/lockfile/index.ts'
import { findResources } from '../../../project/resources/index.ts'
import type { Context } from '../../shell/context.ts'

/** Completion of the word at the cursor; some shells show the description. */
export interface Candidate {
  readonly value: string
  readonly description?: string
}

export type ProjectSource = keyof typeof sources

/** The values of a source that the project of the folder and its lockfile tell. */
export async function projectValues(
  source: ProjectSource,
  word: string,
  context: Context,
): Promise<Candidate[]> {
  return sources[source](await projectOf(context), word)
}

const sources = {
  target: ({ targets }) => targets.map(({ target, baseUrl }) => ({ value: target, description: baseUrl })),
  adopt: (project, word) => {
    const [, address] = /^([^=]+)=/.exec(word) ?? []
    if (address === undefined) return project.addresses.map(candidate => ({ value: `${candidate}=` }))
    if (!isAddress(address)) return []
    const kind = kindOfAddress(address)
    const others = project.addresses.filter(
      candidate => kindOfAddress(candidate) === kind && candidate !== address,
    )
    return [...others.map(value => ({ value })), ...idsOf(project, kind)].map(({ value, ...rest }) => ({
      value: `${address}=${value}`,
      ...rest,
    }))
  },
  forget: (project, word) => {
    const [, address] = /^([^=:]+)[=:]/.exec(word) ?? []
    if (address === undefined) return project.addresses.map(value => ({ value }))
    return project.targets.flatMap(({ target, resources }) =>
      resources
        .filter(([candidate]) => candidate === address)
        .flatMap(([, { id, entries }]) => [
          ...(id === undefined ? [] : [`${address}=${id}`]),
          ...Object.keys(entries ?? {}).map(key => `${address}:${key}`),
        ])
        .map(value => ({ value, description: target })),
    )
  },
  assistant: project => namesAndIds('assistant', project),
  'assistant-id': project => idsOf(project, 'assistant'),
  tool: project => namesAndIds('tool', project),
  kb: project => namesAndIds('kb', project),
} satisfies Record<string, (project: KnownProject, word: string) => Candidate[]>

/** Addresses of the project's files and lockfile, and the recorded resources of each target. */
type KnownProject = Awaited<ReturnType<typeof projectOf>>

async function projectOf({ cwd, settings }: Context) {
  const project = await settings().then(
    foundSettings => foundSettings.project,
    () => undefined,
  )
  if (project === undefined) return { addresses: [], targets: [] }
  const folder = dirname(project.file)
  const { path, name } = lockfileLocation(folder, { cwd })
  const [{ files }, { lockfile }] = await Promise.all([
    findResources(folder, cwd),
    readLockfile(path, name).catch(() => ({ lockfile: { targets: {} } })),
  ])
  const targets = Object.entries(lockfile.targets).map(([target, { baseUrl, resources }]) => ({
    target,
    baseUrl,
    resources: Object.entries(resources).flatMap(([address, resource]) =>
      isAddress(address) ? [[address, resource] as const] : [],
    ),
  }))
  const addresses = new Set([
    ...files.keys(),
    ...targets.flatMap(({ resources }) => resources.map(([address]) => address)),
  ])
  return { addresses: [...addresses].sort(), targets }
}

function namesAndIds(kind: ResourceKind, project: KnownProject): Candidate[] {
  const names = project.addresses.filter(address => kindOfAddress(address) === kind)
  return [...names.map(address => ({ value: withoutKind(address) })), ...idsOf(project, kind)]
}

/** The ids that the lockfile has for a kind of resource, with what they belong to. */
function idsOf({ targets }: KnownProject, kind: ResourceKind): Candidate[] {
  return targets.flatMap(({ target, resources }) =>
    resources.flatMap(([address, { id, body }]) => {
      const value = kind === 'kb' ? getKnowledgeBaseId(body) : (id ?? '')
      return kindOfAddress(address) === kind && value !== ''
        ? [{ value, description: `${address} in ${target}` }]
        : []
    }),
  )
}
