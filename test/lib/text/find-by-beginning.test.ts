import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginningHint, findByBeginning, shortId, shortIds } from '../../../src/lib/text/did-you-mean.ts'

const itself = (id: string) => id
const find = (text: string, ids: readonly string[]) => findByBeginning(text, ids, itself)

describe('an id by its beginning', () => {
  test('a unique beginning is enough', () => {
    expect(find('CC-1', ['CC-10', 'CC-2'])).toEqual({ kind: 'found', item: 'CC-10' })
  })

  test('an exact id takes precedence over longer ids with the same start', () => {
    expect(find('CC-1', ['CC-10', 'CC-1'])).toEqual({ kind: 'found', item: 'CC-1' })
  })

  test('lists several ids with that prefix', () => {
    const found = find('CC-1', ['CC-10', 'CC-2', 'CC-11'])
    expect(found).toEqual({ kind: 'ambiguous', candidates: ['CC-10', 'CC-11'] })
    expect(found.kind === 'found' ? undefined : beginningHint(found, itself)).toBe(
      'give more of the id: CC-10, CC-11',
    )
  })

  test('lists five of many candidates in the hint and counts the rest', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `CC-1${index + 10}`)
    const found = find('CC-1', ids)
    expect(found.kind === 'found' ? undefined : beginningHint(found, itself)).toBe(
      'give more of the id: CC-110, CC-111, CC-112, CC-113, CC-114, and 7 more',
    )
  })

  test('suggests the intended id for a typo', () => {
    const found = find('front-dsk', ['front-desk', 'billing'])
    expect(found).toEqual({ kind: 'missing', suggestion: 'front-desk' })
    expect(found.kind === 'found' ? undefined : beginningHint(found, itself)).toBe('did you mean front-desk?')
  })

  test('an empty text matches nothing, not even the only item', () => {
    expect(find('', ['CC-1']).kind).toBe('missing')
    expect(find('', ['']).kind).toBe('found')
  })

  test('items that share an id are one id', () => {
    const items = [
      { id: 'CC-10', place: 1 },
      { id: 'CC-10', place: 2 },
    ]
    expect(findByBeginning('CC-1', items, ({ id }) => id)).toEqual({ kind: 'found', item: items[0] })
  })
})

describe('short ids', () => {
  test('have eight characters after a leading word if that distinguishes them', () => {
    const one = 'CC-7d3f2c1e-0000-4000-8000-000000000001'
    expect(shortIds([one, 'CC-8d3f2c1e-0000-4000-8000-000000000001']).get(one)).toBe('CC-7d3f2c1e')
    expect(shortId(one)).toBe('CC-7d3f2c1e')
    expect(shortId('7d3f2c1e-0000-4000-8000-000000000001')).toBe('7d3f2c1e')
    expect(shortId('call_7d3f2c1e00004000800000000001')).toBe('call_7d3f2c1e')
    // A leading word as long as an id is not a word.
    expect(shortId(`${'a'.repeat(17)}-0000-4000-8000-000000000001`)).toBe('a'.repeat(8))
  })

  test('are longer if ids start alike', () => {
    const ids = ['call-2026-11-21-000017-a', 'call-2026-11-21-000018-b']
    expect(ids.map(id => shortIds(ids).get(id))).toEqual([
      'call-2026-11-21-000017-a',
      'call-2026-11-21-000018-b',
    ])
  })

  test('cut no character in two', () => {
    expect(shortId(`0123456${'😀'.repeat(20)}`)).toBe('0123456😀')
  })

  test('each short id finds its own id again', () => {
    const id = fc.stringMatching(/^(CC-)?[ab😀]{1,24}$/u)
    fc.assert(
      fc.property(fc.array(id, { maxLength: 30 }), ids => {
        const short = shortIds(ids)
        for (const one of ids) expect(find(short.get(one) ?? '', ids)).toEqual({ kind: 'found', item: one })
      }),
    )
  })
})
