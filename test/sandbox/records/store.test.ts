import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStore, type RecordEntry } from '../../../src/sandbox/records/store.ts'

const entry = fc
  .record({ kind: fc.constantFrom('assistant', 'tool'), id: fc.nat(8), second: fc.option(fc.nat(59)) })
  .map(({ kind, id, second }): RecordEntry => {
    const updatedAt = second === null ? 'never' : `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`
    return { kind: kind as 'assistant' | 'tool', record: { _id: `${id}`, updatedAt } }
  })

test('the newest assistant, the latest change and the snapshot are those of all entries, in any order', () => {
  fc.assert(
    fc.property(fc.array(entry), entries => {
      const store = createStore(entries)
      const assistants = new Map<string, RecordEntry>()
      const tools = new Map<string, RecordEntry>()
      for (const each of entries) {
        if (each.kind === 'assistant') assistants.set(each.record._id, each)
        if (each.kind === 'tool') tools.set(each.record._id, each)
      }
      const all = [...assistants.values(), ...tools.values()]
      const changes = all.flatMap(each => ('record' in each ? [String(each.record.updatedAt)] : []))
      expect(store.latest()).toBe(
        changes
          .filter(each => each !== 'never')
          .toSorted()
          .at(-1),
      )
      expect(store.snapshot()).toEqual(all)
      expect(createStore(store.snapshot()).snapshot()).toEqual(all)
      const newest = [...assistants.values()].at(-1)
      expect(store.newestAssistant()).toBe(newest?.kind === 'assistant' ? newest.record : undefined)
    }),
  )
})
