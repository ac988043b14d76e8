import pLimit from 'p-limit'
import { hashContent } from '../lib/hash.ts'
import { sandboxError } from './events.ts'
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
    if (apiKey !== undefined && !isBearerToken(apiKey)) throw sandboxError('usage', 'unusable-key', {})
    const holder = apiKey === undefined ? undefined : byKeyHash.get(hashContent(apiKey))
    if (holder !== undefined) throw sandboxError('conflict', 'key-taken', { teamId: holder.team.teamId })
    if (teamId !== undefined && byTeam.has(teamId)) throw sandboxError('conflict', 'team-taken', { teamId })
    if (byTeam.size > maxWorlds) throw sandboxError('conflict', 'too-many-worlds', { max: maxWorlds })
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
