import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CallView } from '../../../../src/files/formats/control-api.ts'
import { emptyCall } from '../../../../src/web/page/page-model.ts'
import {
  findPeople,
  listCalledBatches,
  noBatch,
  readBatchOfCall,
  type SandboxCall,
} from '../../../../src/web/page/sandbox/called-batches.ts'
import { summarizeCall } from '../../../../src/web/page/sandbox/shown-record.ts'

let calls = 0

function call(metadata: Record<string, unknown> | undefined, more: Partial<CallView> = {}): SandboxCall {
  calls += 1
  const record: CallView = {
    id: `CC-${calls}`,
    teamId: 'team-1',
    direction: 'outbound',
    createdAt: new Date(Date.UTC(2026, 2, 1, 10, 0, calls)).toISOString(),
    updatedAt: '2026-03-01T10:00:00.000Z',
    customer: { number: '+12025550123' },
    phoneVendor: '<phone_vendor_1>',
    monitor: { controlUrl: 'https://example.com/control' },
    phoneVendorDetails: { from: '+12025550100', to: '+12025550123' },
    status: 'completed',
    startAt: '2026-03-01T10:00:00.000Z',
    endAt: '2026-03-01T10:01:05.000Z',
    ...(metadata !== undefined && { metadata }),
    ...more,
  }
  return { record, summary: summarizeCall(record, emptyCall(calls)) }
}

const unanswered = { startAt: undefined, endAt: '2026-03-01T10:00:30.000Z' } as unknown as Partial<CallView>
const noAnswer = { ...unanswered, phoneCallStatus: 'no-answer' }

test('groups calls by batch and person, and orders attempts by their number', () => {
  const [first, second, other] = [
    call({ batch: 'reminders', person: '1001', attempt: 2 }, { analysis: { summary: 'Confirmed.' } }),
    call({ batch: 'reminders', person: '1001', attempt: 1 }, noAnswer),
    call({ batch: 'december', person: '1001', attempt: 1 }),
  ]
  const batches = listCalledBatches([first, second, other, call(undefined), call({})])
  expect(batches.map(({ name }) => name)).toEqual(['december', 'reminders'])
  expect(batches[1]?.people).toMatchObject([
    {
      id: '1001',
      status: 'answered',
      numbers: ['+12025550123'],
      attempts: [
        { outcome: 'no-answer', seconds: null, reason: 'the phone rang and was not picked up', kind: null },
        { outcome: 'answered', seconds: 65, reason: null, summary: 'Confirmed.', call: first.record.id },
      ],
    },
  ])
  expect(batches[1]?.batch).toMatchObject({ people: 1, calls: 2, seconds: 65, done: 1, live: [] })
})

test('shows live calls with their phase and last line, and their people as called', () => {
  const live = { batch: 'b', attempt: 1 }
  const running = { endAt: undefined } as unknown as Partial<CallView>
  const talking = call({ ...live, person: 'a' }, { ...running, status: 'ongoing' })
  const said: SandboxCall = {
    ...talking,
    summary: { ...talking.summary, last: { role: 'user', text: 'Hello' } },
  }
  const queued = call({ ...live, person: 'b' }, { ...running, status: 'queued' })
  const ringing = call({ ...live, person: 'c' }, { ...running, status: 'queued', phoneCallStatus: 'ringing' })
  const [batch] = listCalledBatches([said, queued, ringing])
  expect(batch?.batch.live).toMatchObject([
    { person: 'a', phase: 'talking', last: { text: 'Hello' } },
    { person: 'b', phase: 'queued', last: null },
    { person: 'c', phase: 'ringing' },
  ])
  expect(batch?.batch.counts).toEqual([{ status: 'calling', people: 3 }])
  expect(batch?.batch).toMatchObject({ done: 0, liveTotal: 3 })
})

test('outcomes are those of the records, in a fixed order', () => {
  const records: readonly Partial<CallView>[] = [
    noAnswer,
    { ...unanswered, phoneCallStatus: 'Busy' },
    { ...unanswered, phoneCallStatus: 'failed' },
    { status: 'forwarded' },
    {},
  ]
  const [batch] = listCalledBatches(records.map((record, person) => call({ batch: 'b', person }, record)))
  expect(batch?.batch.counts.map(({ status }) => status)).toEqual([
    'answered',
    'forwarded',
    'no-answer',
    'busy',
    'failed',
  ])
})

test('reads names that are texts or numbers, and ignores everything else', () => {
  expect(readBatchOfCall({ batch: 'b', person: 7, attempt: 3 })).toEqual({
    name: 'b',
    person: '7',
    attempt: 3,
  })
  for (const batch of ['', '  ', null, true, {}, [], undefined])
    expect(readBatchOfCall({ batch })).toBeUndefined()
  for (const attempt of ['1', 0, -1, 1.5, Number.NaN, {}, null])
    expect(readBatchOfCall({ batch: 'b', attempt })).toEqual({
      name: 'b',
      person: undefined,
      attempt: undefined,
    })
  for (const metadata of [undefined, null, 'batch', [], 1, Object.create({ batch: 'inherited' })])
    expect(readBatchOfCall(metadata)).toBeUndefined()
  expect(readBatchOfCall({ batch: 'x'.repeat(10_000) })?.name).toHaveLength(200)
  expect(readBatchOfCall({ batch: `${'x'.repeat(199)}😀` })?.name.isWellFormed()).toBe(true)
})

test('a person without an id is known by the number, and names of objects are names', () => {
  const [batch] = listCalledBatches([
    call({ batch: '__proto__' }),
    call({ batch: '__proto__', person: {} }),
    call({ batch: '__proto__', person: 'constructor' }),
  ])
  expect(batch?.name).toBe('__proto__')
  expect(batch?.people.map(({ id }) => id)).toEqual(['+12025550123', 'constructor'])
})

test('reads any metadata', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom('batch', 'person', 'attempt'), fc.anything())),
      all => {
        for (const { batch, people } of listCalledBatches(all.map(metadata => call(metadata)))) {
          expect(batch.people).toBe(people.length)
          expect(batch.counts.reduce((sum, count) => sum + count.people, 0)).toBe(people.length)
          expect(batch.calls).toBe(people.reduce((sum, { attempts }) => sum + attempts.length, 0))
        }
      },
    ),
  )
})

test('finds people by status and text, a page at a time', () => {
  const people = Array.from({ length: 250 }, (_, index) =>
    call({ batch: 'b', person: `P${index}` }, index % 2 === 0 ? {} : noAnswer),
  )
  const [batch] = listCalledBatches(people)
  const find = (query: Partial<Parameters<typeof findPeople>[1]>) =>
    findPeople(batch?.people ?? [], { status: undefined, search: '', from: 0, limit: 100, ...query })
  expect(find({ from: 200 })).toMatchObject({ total: 250, rows: { length: 50 } })
  expect(find({ status: 'no-answer' }).total).toBe(125)
  expect(find({ search: 'p24' }).rows.map(({ id }) => id)).toContain('P24')
  expect(find({ search: '0123' }).total).toBe(250)
  expect(noBatch.batch).toMatchObject({ people: 0, live: [] })
})
