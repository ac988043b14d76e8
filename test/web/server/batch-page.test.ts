import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { type BatchRow, openBatchPage } from '../../../src/web/index.ts'
import type { BatchPageOpened, ShownBatch } from '../../../src/web/wire.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { createFakeBatch, fakeAttempt, fakeLiveCall } from '../fake-batch.ts'
import { type Frame, follow } from './follow-stream.ts'
import { type AskOptions, askPort } from './tail-with-page.ts'

const pageCommand = 'callyard <run> --ui'

async function open(clock: Clock & { advance?(milliseconds: number): Promise<void> } = realClock) {
  const batch = createFakeBatch()
  const page = await openBatchPage({ feed: batch, clock, pageCommand })
  onTestFinished(async () => {
    const closing = page.close()
    // Pages that are open may read the last state for a while.
    await clock.advance?.(1000)
    await closing
  })
  const { port, pathname, origin } = new URL(page.url)
  return {
    batch,
    page,
    origin,
    port: Number(port),
    path: pathname,
    ask: (name: string, options?: AskOptions) => askPort(Number(port), `${pathname}${name}`, options),
    follow: (query = '') => follow(`${page.url}events${query}`),
    async rows(query: string) {
      const { body } = await askPort(Number(port), `${pathname}rows?${query}`)
      return JSON.parse(body) as { readonly total: number; readonly rows: readonly BatchRow[] }
    },
  }
}

const summaryOf = ({ data }: Frame) => data as ShownBatch
const isSummary = (matches: (batch: ShownBatch) => boolean) => (frame: Frame) =>
  frame.event === 'changes' && matches(summaryOf(frame))

test('serves the page below a secret path, and nothing else', async () => {
  const { ask, path, port } = await open()
  expect(path).toMatch(/^\/ui-[\w-]{32}\/$/)
  const { status, body: html } = await ask('')
  expect(status).toBe(200)
  expect(html).toContain('callyard &lt;run> --ui')
  expect(html).toContain('id="batch-view"')
  expect(html).not.toContain('id="calls-view"')
  for (const [name, type] of [
    ['page.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
  ] as const)
    expect(await ask(name)).toMatchObject({ status: 200, headers: { 'content-type': type } })
  for (const elsewhere of ['/', '/favicon.ico', '/ui-/', path.slice(0, -1)])
    expect(await askPort(port, elsewhere)).toMatchObject({ status: 404 })
  const other = `/ui-${'A'.repeat(32)}/`
  expect(await askPort(port, other)).toMatchObject({ status: 200, body: html })
  for (const name of ['events', 'rows'])
    expect(await askPort(port, other + name)).toMatchObject({ status: 404 })
})

test('rejects other hosts, other pages, proxies and other methods, with the policy in every response', async () => {
  const { ask, origin } = await open()
  for (const name of ['', 'page.js', 'events', 'rows']) {
    for (const headers of [
      { host: 'evil.example.test' },
      { origin: 'http://evil.example.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'x-forwarded-for': '192.0.2.1' },
    ] as const)
      expect(await ask(name, { headers: { ...headers } })).toMatchObject({ status: 403 })
    const { status, headers } = await ask(name, { method: 'DELETE' })
    expect(status).toBe(405)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'/)
    expect(headers['cache-control']).toBe('no-store')
  }
  const post = { method: 'POST', headers: { origin, 'content-type': 'application/json' }, body: '{}' }
  expect(await ask('rows', post)).toMatchObject({ status: 405 })
})

test('sends the summary at once and after changes, and nothing to a page that is up to date', async () => {
  const { batch, follow } = await open()
  batch.put({ id: '1001' })
  const stream = follow()
  const { run } = (await stream.until(({ event }) => event === 'hello')).data as BatchPageOpened
  await stream.until(isSummary(({ people }) => people === 1))
  batch.put({ id: '1002', status: 'busy' })
  batch.changed()
  const { version, counts } = summaryOf(await stream.until(isSummary(({ people }) => people === 2)))
  expect(counts).toEqual([
    { status: 'due', people: 1 },
    { status: 'busy', people: 1 },
  ])
  const again = follow(`?run=${run}&since=${version}`)
  await again.until(({ event }) => event === 'hello')
  batch.changed()
  await again.until(isSummary(shown => shown.version > version))
  expect(again.frames.filter(({ event }) => event === 'changes')).toHaveLength(1)
  // A version of another run means something else in this one.
  const other = follow(`?run=other&since=${version + 1}`)
  await other.until(isSummary(({ people }) => people === 2))
})

test('combines changes within a tenth of a second, and reads the summary once for all pages', async () => {
  const clock = manualClock()
  const { batch, follow } = await open(clock)
  const streams = [follow(), follow(), follow()]
  for (const { until } of streams) await until(isSummary(() => true))
  expect(batch.summaries).toBe(1)
  for (let change = 0; change < 200; change += 1) batch.changed()
  await clock.advance(100)
  for (const { until } of streams) await until(isSummary(({ version }) => version === 201))
  expect(batch.summaries).toBe(2)
  for (const { frames } of streams) expect(frames.filter(({ event }) => event === 'changes')).toHaveLength(2)
})

test('pages through the people by status and text, with limits', async () => {
  const { batch, rows } = await open()
  for (let id = 1; id <= 500; id += 1) batch.put({ id: `p${id}`, status: id % 2 === 0 ? 'busy' : 'due' })
  const page = await rows('status=busy&from=10&limit=3')
  expect(page.total).toBe(250)
  expect(page.rows.map(({ id }) => id)).toEqual(['p22', 'p24', 'p26'])
  expect((await rows('search=p49')).total).toBe(11)
  expect((await rows('search=+p49+')).total).toBe(11)
  for (const [query, expected] of [
    ['', { from: 0, limit: 100 }],
    ['limit=100000', { from: 0, limit: 200 }],
    ['limit=0', { from: 0, limit: 1 }],
    ['from=-1&limit=x', { from: 0, limit: 100 }],
    ['from=9007199254740993', { from: 0, limit: 100 }],
  ] as const) {
    expect((await rows(query)).rows.length).toBeLessThanOrEqual(200)
    expect(batch.queries.at(-1)).toMatchObject(expected)
  }
  await rows(`search=${'x'.repeat(5000)}`)
  expect(batch.queries.at(-1)?.search).toHaveLength(200)
})

test('limits what one response contains', async () => {
  const { batch, follow, rows } = await open()
  const huge = 'x'.repeat(100_000)
  const attempt = fakeAttempt({ reason: huge, summary: huge, endedBy: huge, call: huge })
  batch.put({ id: huge, numbers: Array(1000).fill(huge), attempts: Array(1000).fill(attempt) })
  batch.facts.name = huge
  batch.pause = { reason: 'paused', text: huge, until: null }
  batch.live = Array.from({ length: 5000 }, (_, index) =>
    fakeLiveCall(`${index}${huge}`, { last: { role: huge, text: `${'x'.repeat(159)}😀` } }),
  )
  const shown = summaryOf(await follow().until(isSummary(() => true)))
  expect(shown.liveTotal).toBe(5000)
  expect(shown.live).toHaveLength(200)
  expect(shown.live[0]?.last?.text).toBe('x'.repeat(159))
  expect(JSON.stringify(shown).length).toBeLessThan(200_000)
  const page = await rows('')
  expect(page.rows[0]?.attempts).toHaveLength(100)
  expect(JSON.stringify(page).length).toBeLessThan(500_000)
})

test('rejects one page too many', async () => {
  const { ask, follow } = await open()
  const streams = Array.from({ length: 32 }, () => follow())
  for (const { until } of streams) await until(({ event }) => event === 'hello')
  expect(await ask('events')).toMatchObject({ status: 503 })
  expect(await ask('events', { method: 'HEAD' })).toMatchObject({ status: 503 })
})

test('closing sends the last summary, serves the last people, then ends', async () => {
  const { batch, page, follow, rows, ask } = await open()
  batch.put({ id: '1001' })
  const stream = follow()
  await stream.until(isSummary(({ people }) => people === 1))
  batch.put({ id: '1001', status: 'answered' })
  // Nobody reported this change, or not yet.
  batch.changed()
  const closing = page.close()
  expect(batch.subscribers).toBe(0)
  await stream.until(({ event }) => event === 'ended')
  const last = stream.frames.findLast(({ event }) => event === 'changes')
  expect(last && summaryOf(last).counts).toEqual([{ status: 'answered', people: 1 }])
  // A page that loads meanwhile is told, too.
  expect((await ask('events')).body).toBe('event: ended\ndata: {}\n\n')
  expect((await rows('last')).rows[0]?.status).toBe('answered')
  await closing
  await expect(ask('')).rejects.toThrow()
  await page.close()
})

test('closes at once without pages, and soon despite a page that reads nothing', async () => {
  const first = await open()
  await first.page.close()
  const clock = manualClock()
  const { page, follow } = await open(clock)
  const stream = follow()
  await stream.until(({ event }) => event === 'hello')
  let isClosed = false
  const closing = page.close().then(() => {
    isClosed = true
  })
  await stream.until(({ event }) => event === 'ended')
  await turn()
  expect(isClosed).toBe(false)
  await clock.advance(1000)
  await closing
})

test('a port in use is reported', async () => {
  const { origin } = await listenOnLoopback(createServer())
  const port = Number(new URL(origin).port)
  await expect(
    openBatchPage({ feed: createFakeBatch(), clock: realClock, pageCommand, port }),
  ).rejects.toMatchObject({ kind: 'conflict', code: 'port-in-use' })
})
