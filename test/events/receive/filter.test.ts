import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/events/conversation/index.ts'
import { createFilter } from '../../../src/events/receive/index.ts'

type FilterWords = Parameters<typeof createFilter>[0]

const changes = {
  user: said('user', 'CC-1'),
  assistant: said('assistant', 'CC-2'),
  edit: {
    kind: 'edit',
    callId: 'CC-1',
    messageId: 'm1',
    role: 'user',
    text: 'b',
    timestamp: undefined,
    before: 'a',
  },
  queued: { kind: 'status', callId: 'CC-1', status: 'queued' },
  finished: {
    kind: 'status',
    callId: 'CC-2',
    status: 'finished',
    phoneCallStatus: 'busy',
    analysis: { summary: 's' },
  },
  speech: { kind: 'event', type: 'speech-update', callId: 'CC-1', event: {} },
  malformed: { kind: 'malformed', callId: 'CC-2', path: 'messages[0]', item: 7 },
  nobody: { kind: 'event', type: 'speech-update', callId: null, event: {} },
} satisfies Record<string, Change>
const names = Object.keys(changes)

test.each<[string, FilterWords, string[]]>([
  ['no filter', {}, names],
  ['a call', { calls: ['CC-1'] }, ['user', 'edit', 'queued', 'speech']],
  ['calls whose ids begin so', { calls: ['CC'] }, names.filter(name => name !== 'nobody')],
  ['two calls', { calls: ['CC-1', 'CC-2'] }, names.filter(name => name !== 'nobody')],
  ['what names no call', { calls: ['-'] }, ['nobody']],
  ['a type', { types: ['status-update'] }, ['queued', 'finished']],
  [
    'the items of a conversation',
    { types: ['conversation-update'] },
    ['user', 'assistant', 'edit', 'malformed'],
  ],
  ['another type', { types: ['speech-update'] }, ['speech', 'nobody']],
  ['a role: neither statuses nor what has no role', { roles: ['user'] }, ['user', 'edit']],
  ['both roles', { roles: ['user', 'assistant'] }, ['user', 'assistant', 'edit']],
  ['a status: no messages', { statuses: ['finished'] }, ['finished']],
  ['the status of the phone', { statuses: ['busy'] }, ['finished']],
  [
    'a role and a status narrow different kinds',
    { roles: ['user'], statuses: ['finished'] },
    ['user', 'edit', 'finished'],
  ],
  ['a call and a role hold together', { calls: ['CC-2'], roles: ['user'] }, []],
  [
    'a call, a role and a status',
    { calls: ['CC-2'], roles: ['assistant'], statuses: ['queued', 'finished'] },
    ['assistant', 'finished'],
  ],
  ['a type and a role that exclude each other', { types: ['status-update'], roles: ['user'] }, []],
])('%s', (_, options, admitted) => {
  const filter = createFilter(options)
  expect(
    Object.entries(changes)
      .filter(([, change]) => filter.admits(change))
      .map(([name]) => name),
  ).toEqual(admitted)
})

describe('at the start', () => {
  test('warns about a type similar to one of the interface only', () => {
    const filter = createFilter({ types: ['status-updat', 'speech-update', 'tool', 'status-update'] })
    expect(filter.doubts()).toEqual([
      { kind: 'doubtful', filter: 'type', word: 'status-updat', near: 'status-update' },
    ])
  })
})

describe('at the end', () => {
  test.each<[string, FilterWords, object]>([
    [
      'a call that never came',
      { calls: ['CC-12'] },
      { filter: 'call', word: 'CC-12', near: expect.stringMatching(/^CC-[12]$/) },
    ],
    [
      'a call like none',
      { calls: ['other'] },
      { filter: 'call', word: 'other', seen: ['CC-1', 'CC-2', '-'], more: false },
    ],
    [
      'a type',
      { types: ['x'] },
      { filter: 'type', word: 'x', seen: ['conversation-update', 'status-update', 'speech-update'] },
    ],
    [
      'a status',
      { statuses: ['ongoing'] },
      { filter: 'status', word: 'ongoing', seen: ['queued', 'finished', 'busy'] },
    ],
    [
      'filters that exclude each other',
      { types: ['status-update'], roles: ['user'] },
      { kind: 'nothing-left' },
    ],
  ])('%s', (_, options, finding) => {
    const filter = createFilter(options)
    for (const change of Object.values(changes)) filter.admits(change)
    expect(filter.unmatched()).toMatchObject([finding])
  })

  test('a call that never came is reported beside one that did; a status is not', () => {
    const filter = createFilter({ calls: ['CC-1', 'CC-9'], statuses: ['queued', 'ongoing'] })
    for (const change of Object.values(changes)) filter.admits(change)
    expect(filter.unmatched()).toMatchObject([{ filter: 'call', word: 'CC-9' }])
  })

  test('prints nothing about matching filters or no filter', () => {
    for (const options of [{}, { calls: ['CC-1'], roles: ['user' as const] }]) {
      const filter = createFilter(options)
      for (const change of Object.values(changes)) filter.admits(change)
      expect(filter.unmatched()).toEqual([])
    }
    expect(createFilter({}).unmatched()).toEqual([])
  })

  test('suggests nothing without input', () => {
    expect(createFilter({ calls: ['CC-1'] }).unmatched()).toMatchObject([
      { word: 'CC-1', near: undefined, seen: [] },
    ])
  })

  test('findings stay short for any number and length of words', () => {
    const filter = createFilter({ calls: Array.from({ length: 50 }, (_, index) => `wanted ${index}`) })
    for (let index = 0; index < 3000; index++) filter.admits(said('user', `${'seen'.repeat(20)} ${index}`))
    filter.admits(said('user', 'x'.repeat(1_000_000)))
    const findings = filter.unmatched()
    expect(findings.length).toBeLessThanOrEqual(8)
    for (const finding of findings) expect(JSON.stringify(finding).length).toBeLessThan(2000)
  })
})

test('more values of a flag never show less, another flag never more; asking again changes nothing', () => {
  const word = <Word extends string>(...words: Word[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 }), { nil: undefined })
  const options = fc.record({
    calls: word('CC-1', 'CC-2', '-'),
    types: word('status-update', 'conversation-update', 'speech-update'),
    roles: word('user', 'assistant'),
    statuses: word('queued', 'finished'),
  })
  const shown = (chosen: FilterWords) => {
    const filter = createFilter(chosen)
    const first = Object.values(changes).map(filter.admits)
    expect(Object.values(changes).map(filter.admits)).toEqual(first)
    return first
  }
  fc.assert(
    fc.property(options, chosen => {
      const before = shown(chosen)
      const wider = { ...chosen, ...(chosen.calls && { calls: ['CC-1', 'CC-2', '-'] }) }
      const narrower = { ...chosen, calls: (chosen.calls ?? ['CC-1']).slice(0, 1) }
      shown(wider).forEach((is, index) => {
        expect(is).toBe(is || before[index])
      })
      shown(narrower).forEach((is, index) => {
        expect(is && !before[index]).toBe(false)
      })
    }),
  )
})

function said(role: string, callId: string): Change {
  return { kind: 'message', callId, messageId: 'm1', role, text: 'a', timestamp: undefined }
}

test('an id that was requested exactly is no longer a prefix', () => {
  const filter = createFilter({ calls: ['CC-1'] })
  const admits = (callId: string) => filter.admits(said('user', callId))
  expect(admits('CC-2')).toBe(false)
  expect(admits('CC-11')).toBe(true)
  expect(filter.unmatched()).toEqual([])
  expect(admits('CC-1')).toBe(true)
  expect(admits('CC-11')).toBe(false)
  expect(admits('CC-1')).toBe(true)
})
