import type { CallFacts } from '../../../calls/report/index.ts'
import { hashContent } from '../../../lib/hash.ts'
import { isObject } from '../../../lib/json.ts'
import type { Sandbox } from '../../../sandbox/index.ts'
import type { SandboxFigures } from '../../../web/index.ts'
import { drawFigures } from '../../shell/call-figures/page-figures.ts'
import { loadSectionsStyle } from '../../shell/call-figures/sections.ts'
import { readRecordFacts } from '../record-facts.ts'

/** Figures about the calls of a sandbox, for its page. `opened` returns the sandbox, which starts after its page. */
export async function openSandboxFigures(opened: () => Sandbox | undefined): Promise<SandboxFigures> {
  /** Facts of ended calls, by id and last change. */
  let factsByKey = new Map<string, CallFacts>()
  return {
    style: await loadSectionsStyle(),
    async load(token, teamId) {
      const sandbox = opened()
      const expected = sandbox?.controlToken
      if (sandbox === undefined || expected === undefined) return undefined
      if (hashContent(token) !== hashContent(expected)) return undefined
      const world =
        teamId === null ? sandbox.first : sandbox.worlds().find(({ team }) => team.teamId === teamId)
      if (world === undefined) return undefined
      const next: typeof factsByKey = new Map()
      for (const record of world.calls.list().filter(isObject)) {
        const { id, updatedAt, status, analysis } = record
        const key = JSON.stringify([teamId, id, updatedAt, status, analysis !== undefined])
        const isOver = record.endAt !== undefined
        const facts = (isOver ? factsByKey.get(key) : undefined) ?? (await readRecordFacts(record))
        if (facts !== undefined) next.set(key, facts)
      }
      factsByKey = next
      return drawFigures([...next.values()], ({ call }) => call)
    },
  }
}
