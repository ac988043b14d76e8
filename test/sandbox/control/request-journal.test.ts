import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRequestJournal, type RequestJournal } from '../../../src/sandbox/records/request-journal.ts'

const mb = 1024 * 1024

function record(
  journal: RequestJournal,
  id: number,
  { path = '/x', body = '{}', answer = '{}', status = 200 } = {},
): void {
  const head = { at: '2026-01-01T00:00:00.000Z', requestId: `r${id}`, method: 'POST', path, headers: {} }
  const open = journal.begin(head)
  open.tookBody(body)
  open.answered(status, answer)
}

const ids = (journal: RequestJournal) => journal.list().map(({ requestId }) => requestId)

test('the latest 1,000 requests are kept', () => {
  const journal = createRequestJournal()
  for (let id = 0; id < 10_000; id += 1) record(journal, id)
  expect(ids(journal)).toEqual(Array.from({ length: 1000 }, (_, index) => `r${9000 + index}`))
  journal.clear()
  expect(ids(journal)).toEqual([])
})

test('of bodies and responses keeps 8 MB: older requests are dropped, and a larger one is truncated', () => {
  const journal = createRequestJournal()
  const large = JSON.stringify('x'.repeat(3 * mb))
  for (let id = 0; id < 3; id += 1) record(journal, id, { body: large })
  expect(ids(journal)).toEqual(['r1', 'r2'])
  record(journal, 3, { body: JSON.stringify('x'.repeat(9 * mb)), answer: '"ok"' })
  expect(ids(journal)).toEqual(['r1', 'r2', 'r3'])
  expect(journal.list({ id: 'r3' })).toEqual([expect.objectContaining({ cut: true, answer: 'ok' })])
  expect(journal.list({ id: 'r3' })[0]).not.toHaveProperty('body')
})

test('the bound holds for any sizes, and what is forgotten counts no more', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 9 * mb }), { maxLength: 12 })
  fc.assert(
    fc.property(sizes, bodies => {
      const journal = createRequestJournal()
      for (const [id, size] of bodies.entries()) record(journal, id, { body: `"${'x'.repeat(size)}"` })
      const kept = journal.list()
      const bytes = kept.reduce((sum, { body }) => sum + String(body ?? '').length, 0)
      expect(bytes).toBeLessThanOrEqual(8 * mb)
      expect(kept.at(-1)?.requestId).toBe(bodies.length === 0 ? undefined : `r${bodies.length - 1}`)
    }),
    { numRuns: 20 },
  )
})

test('lists a request when it arrives, and ignores its response after it was forgotten', () => {
  const journal = createRequestJournal()
  const head = { at: '2026-01-01T00:00:00.000Z', requestId: 'hangs', method: 'POST', path: '/x', headers: {} }
  const open = journal.begin(head)
  open.struckBy('hang')
  expect(journal.list()).toEqual([{ ...head, fault: 'hang' }])
  journal.clear()
  open.answered(200, '{}')
  expect(journal.list()).toEqual([])
})

test('redacts secrets in bodies and responses', () => {
  const journal = createRequestJournal()
  const server = {
    url: 'http://127.0.0.1',
    headers: { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret' },
  }
  record(journal, 1, {
    body: JSON.stringify({ server }),
    answer: JSON.stringify({ server, password: 's3cret' }),
  })
  expect(JSON.stringify(journal.list())).not.toContain('s3cret')
  expect(journal.list()).toMatchObject([
    {
      body: { server: { url: server.url, headers: { Authorization: '****' } } },
      answer: { password: '****' },
    },
  ])
})

test('the call of a request is the one that it placed or refers to', () => {
  const journal = createRequestJournal()
  record(journal, 1, { path: '/calls/v1/conversations', answer: '{"sid":"CC-1"}' })
  record(journal, 2, { path: '/calls/v1/conversations/connect', answer: '{"id":"CC-1"}' })
  record(journal, 3, { path: '/calls/v1/conversations/CC-1/control?x=1', answer: '{}' })
  record(journal, 4, { path: '/calls/v1/conversations', answer: '{"sid":"CC-2"}' })
  record(journal, 5, { path: '/assistants/v1/tools', answer: '{"id":"CC-1"}' })
  record(journal, 6, { path: '/calls/v1/conversations', answer: '{"sid":"CC-1"}', status: 422 })
  expect(journal.list({ call: 'CC-1' }).map(({ requestId }) => requestId)).toEqual(['r1', 'r2', 'r3'])
})
