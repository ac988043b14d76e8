import pLimit from 'p-limit'
import { CallyardError } from '../lib/error.ts'
import { hashContent } from '../lib/hash.ts'
import { openWorld, type World } from './world.ts'
import type { WorldOptions } from './world-options.ts'

/** Maximum number of worlds besides the first: each holds records, and tests that never close theirs would fill the memory. */
const maxWorlds = 1000

/** Valid bearer tokens in an Authorization header (RFC 6750). */
export const bearerPattern = /^[A-Za-z0-9._~+/-]+=*$/

export function isBearerToken(text: string): boolean {
  return bearerPattern.test(text)
}

/** The worlds of one server, one for each API key. */
export function createWorlds(shared: Omit<WorldOptions, 'isTeamTaken' | 'onClose'>) {
  // By the key's hash: the time of a look-up by the key itself would reveal parts of the key.
  const byKeyHash = new Map<string, World>()
  const byTeam = new Map<string, World>()
  const exclusively = pLimit(1)

  const openNow = async (own: Partial<WorldOptions>): Promise<World> => {
    const { apiKey, teamId } = own
    if (apiKey !== undefined && !isBearerToken(apiKey)) throw unusableKey()
    const holder = apiKey === undefined ? undefined : byKeyHash.get(hashContent(apiKey))
    if (holder !== undefined) throw keyTaken(holder.team.teamId)
    if (teamId !== undefined && byTeam.has(teamId)) throw teamTaken(teamId)
    if (byTeam.size > maxWorlds) throw tooManyWorlds()
    const world = await openWorld({
      ...shared,
      ...own,
      isTeamTaken: id => byTeam.has(id),
      onClose({ apiKey, teamId }) {
        byKeyHash.delete(hashContent(apiKey))
        byTeam.delete(teamId)
      },
    })
    byKeyHash.set(hashContent(world.team.apiKey), world)
    byTeam.set(world.team.teamId, world)
    return world
  }
  return {
    /**
     * One after the other: two that ask for the same key at once do not both get it.
     * @throws `key-taken`, `unusable-key`, `team-taken`, `too-many-worlds`, and what openWorld throws
     */
    open: (own: Partial<WorldOptions>): Promise<World> => exclusively(openNow, own),
    byKey: (apiKey: string) => byKeyHash.get(hashContent(apiKey)),
    /** In the order in which they were opened. */
    all: (): readonly World[] => [...byTeam.values()],
    async close() {
      await exclusively(() => undefined)
      await Promise.all([...byTeam.values()].map(world => world.close()))
    },
  }
}

/** An Authorization header cannot carry it. */
const unusableKey = () =>
  new CallyardError('usage', 'the API key cannot be sent as a bearer token', {
    code: 'unusable-key',
    hint: 'use only letters, digits and - . _ ~ + /',
  })

const keyTaken = (teamId: string) =>
  new CallyardError('conflict', `the API key is already used by world ${teamId} of the sandbox`, {
    code: 'key-taken',
    hint: 'omit the key to create one, or close that world first',
    details: { teamId },
  })

const teamTaken = (teamId: string) =>
  new CallyardError('conflict', `the sandbox already has a world with team id ${JSON.stringify(teamId)}`, {
    code: 'team-taken',
    hint: 'omit it to create one, or close that world first',
    details: { teamId },
  })

const tooManyWorlds = () =>
  new CallyardError('conflict', `the sandbox already has ${maxWorlds} worlds besides the first one`, {
    code: 'too-many-worlds',
    hint: 'close worlds that you no longer use',
    details: { max: maxWorlds },
  })
