import { createServer, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openBatchPage } from '../../src/web/index.ts'
import { createBatchPage } from '../../src/web/server/batch-page.ts'
import { hostileTexts } from '../events/transcript/hostile-calls.ts'
import { realClock } from '../helpers/real-clock.ts'
import { beginCall, placeCall } from '../helpers/test-sandbox.ts'
import { createFakeBatch, type FakeBatch, fakeAttempt, fakeLiveCall } from '../web/fake-batch.ts'
import { filledBatch } from './batch-states.ts'
import { everyText, harmlessPage, hasFocus, openBrowser, shoot, tabTo } from './browser.ts'
import { batchCommand, isConnected, openBatch, openSandbox } from './pages.ts'

describe('the page of batch run --ui', { tags: 'chromium' }, () => {
  test('shows progress, outcomes, live calls with their last line, and the attempts of a person', async () => {
    const { page } = await openBatch()
    await page.getByRole('heading', { name: 'reminders' }).waitFor()
    await page.getByText('Sandbox', { exact: true }).waitFor()
    for (const [label, value] of [
      ['People done', '9 of 41'],
      ['Calls', '11'],
      ['Time talked', '4:07'],
      ['Time left', 'about 12 min'],
      ['Service', 'http://127.0.0.1:4010'],
      ['Assistant', 'assistants/reminder.yaml'],
    ] as const)
      expect(await page.locator('#batch-facts > div', { hasText: label }).locator('dd').textContent()).toBe(
        value,
      )
    const progress = page.getByRole('progressbar', { name: 'People done' })
    expect(await progress.getAttribute('aria-valuetext')).toBe('9 of 41 people done')
    expect(await page.getByRole('img', { name: /^Outcomes: 3 answered, 1 busy, .*29 due$/ }).count()).toBe(1)
    expect(await outcomeRow(page, 'answered')).toBe('answered37 %')
    expect(await outcomeRow(page, 'all')).toBe('all41100 %')
    const live = page.getByRole('list', { name: 'Live calls' }).getByRole('listitem')
    expect(await live.count()).toBe(2)
    expect(await live.first().textContent()).toContain('I can move your appointment to Wednesday at ten')
    await page.getByRole('button', { name: '1001 answered' }).click()
    const table = page.getByRole('table', { name: 'Calls to 1001' })
    expect(await table.getByRole('columnheader').allTextContents()).toContain('Ended by')
    const attempts = table.getByRole('row')
    expect(await attempts.count()).toBe(3)
    for (const text of ['first', 'no-answer', 'The phone rang for 45 s.'])
      expect(await attempts.nth(1).textContent()).toContain(text)
    for (const text of ['retry', 'answered', '1:23', 'user', 'Ada confirmed the appointment'])
      expect(await attempts.nth(2).textContent()).toContain(text)
  })

  test('follows changes and keeps the focus, the open row and its place', async () => {
    const { batch, page } = await openBatch()
    const row = page.getByRole('button', { name: '1011 calling' })
    await row.click()
    await page.getByText('Not called yet.').waitFor()
    batch.put({ id: '1011', status: 'answered', attempts: [fakeAttempt({ summary: 'Moved to Wednesday.' })] })
    batch.live = [fakeLiveCall('1012', { last: { role: 'user', text: 'Who is calling?' } })]
    batch.changed()
    await page.getByText('Who is calling?').waitFor()
    await page.getByText('Moved to Wednesday.').waitFor()
    expect(await outcomeRow(page, 'answered')).toBe('answered410 %')
    expect(await page.getByRole('list', { name: 'Live calls' }).getByRole('listitem').count()).toBe(1)
    const answered = page.getByRole('button', { name: '1011 answered' })
    expect(await answered.getAttribute('aria-expanded')).toBe('true')
    expect(await hasFocus(answered)).toBe(true)
    // A person who leaves the list under the focus of the reader leaves it to the next one.
    await page.getByRole('button', { name: 'calling', exact: true }).click()
    await page.getByRole('button', { name: '1012 calling' }).focus()
    batch.put({ id: '1012', status: 'answered' })
    batch.changed()
    await page.getByText('Nobody with status calling.').waitFor()
    expect(await hasFocus(page.getByRole('searchbox'))).toBe(true)
    batch.pause = { reason: 'window', text: 'no window is open', until: null }
    batch.changed()
    await page.getByText('Waiting: no window is open').waitFor()
  })

  test('filters by outcome with the mouse and the keyboard', async () => {
    const { page } = await openBatch()
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem')
    await page.getByRole('button', { name: 'answered', exact: true }).click()
    await page.getByText('Only status answered.').waitFor()
    await expect.poll(() => rows.count()).toBe(3)
    await tabTo(page, page.getByRole('button', { name: 'busy', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByText('Only status busy.').waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    const busy = page.getByRole('button', { name: 'busy', exact: true, pressed: true })
    expect(await hasFocus(busy)).toBe(true)
    await page.keyboard.press('f')
    await page.getByRole('button', { name: '1006 failed' }).waitFor()
    await page.keyboard.press('f')
    await expect.poll(() => rows.count()).toBe(41)
    await page.getByRole('button', { name: 'all', exact: true, pressed: true }).waitFor()
  })

  test('finds people by id and number, and clears the search', async () => {
    const { page } = await openBatch()
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem')
    await rows.first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('0143')
    await page.getByRole('button', { name: 'مريم due' }).waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => rows.count()).toBe(41)
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('Nobody with id or number containing "nobody".').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => rows.count()).toBe(41)
    expect(await hasFocus(page.getByRole('searchbox'))).toBe(true)
  })

  test('is operable with the keys of the other pages', async () => {
    const { page } = await openBatch()
    await page.getByRole('button', { name: '1001 answered' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await hasFocus(page.getByRole('button', { name: '1002 answered' }))).toBe(true)
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Calls to 1001' }).waitFor()
    await page.keyboard.press('End')
    expect(await hasFocus(page.getByRole('button', { name: '1039 due' }))).toBe(true)
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await help.getByText('Show failed people only, or all').waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    await tabTo(page, page.getByRole('button', { name: 'All keys' }))
  })

  test('announces the state of the run and nothing that changes with every call', async () => {
    const { batch, page } = await openBatch()
    await page.getByText('Running', { exact: true }).waitFor()
    const regions = await page.evaluate(
      `[...document.querySelectorAll('#batch-view :is([aria-live], [role=status], [role=alert], [role=log])')].map(({ id }) => id)`,
    )
    expect(regions).toEqual(['batch-state'])
    batch.pause = { reason: 'rate', text: 'at most 20 calls per minute', until: Date.now() }
    batch.changed()
    await page.getByText('At most 20 calls per minute').waitFor()
    expect(await page.locator('#batch-state').textContent()).toBe('Running')
  })

  test('shows hostile texts as text, without sideways scrolling at 360 px', async () => {
    const batch = createFakeBatch()
    const text = hostileTexts.join('')
    // A query cannot contain a lone surrogate.
    const status = text.toWellFormed()
    for (const part of ['service', 'assistant', 'name'] as const)
      batch.facts[part] = `${text}${'x'.repeat(200)}`
    const attempt = fakeAttempt({
      outcome: text,
      reason: text,
      summary: text,
      call: text,
      endedBy: text,
      number: text,
    })
    batch.put({ id: `1 ${text}`, status, numbers: [text, text], attempts: [attempt] })
    batch.put({ id: '<img src=x onerror=alert(1)>', status: 'due' })
    batch.pause = { reason: 'paused', text, until: null }
    batch.live = [fakeLiveCall(text, { number: text, last: { role: text, text } })]
    const { page } = await openBatch(batch, { viewport: { width: 360, height: 740 } })
    await page.getByRole('button', { name: '<img src=x onerror=alert(1)> due' }).waitFor()
    await page.locator('#people button').first().click()
    await page.locator('.attempts').waitFor()
    await page.locator('#outcomes button').first().click()
    await page.getByText(/^Only status/).waitFor()
    expect(await everyText(page)).toMatch(harmlessPage)
    expect(await page.locator('#batch-view img').count()).toBe(0)
    for (const part of ['document.documentElement', `document.querySelector('#batch-view')`])
      expect(await page.evaluate(`${part}.scrollWidth <= ${part}.clientWidth`)).toBe(true)
  })

  test('shows 100,000 people a page at a time, and follows a change of each call', async () => {
    const batch = createFakeBatch()
    for (let id = 1; id <= 100_000; id += 1) batch.put({ id: `p${id}` })
    const { page } = await openBatch(batch)
    const parts = () => page.evaluate('document.querySelectorAll("*").length')
    await page.getByText('1–100 of 100,000').waitFor()
    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await page.getByRole('button', { name: 'p100000 due' }).waitFor()
    await page.getByText('99,901–100,000 of 100,000').waitFor()
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText('99,801–99,900 of 100,000').waitFor()
    batch.live = Array.from({ length: 500 }, (_, index) => fakeLiveCall(`p${index + 1}`))
    for (let id = 1; id <= 200; id += 1) {
      batch.put({ id: `p${id}`, status: 'answered', attempts: [fakeAttempt()] })
      batch.changed()
      // The page reads meanwhile, as it does when calls end.
      if (id % 20 === 0) await new Promise(setImmediate)
    }
    await page.getByText('200 of 100,000', { exact: true }).waitFor()
    expect(await outcomeRow(page, 'answered')).toBe('answered200< 1 %')
    await page.getByText('300 more calls not listed.').waitFor()
    await page.getByRole('button', { name: 'Show 10 more' }).click()
    expect(await page.getByRole('list', { name: 'Live calls' }).getByRole('listitem').count()).toBe(20)
    await page.getByRole('button', { name: 'answered', exact: true }).click()
    await page.getByText('1–100 of 200').waitFor()
    await page.getByRole('searchbox').fill('p200')
    await page.getByRole('button', { name: 'p200 answered' }).waitFor()
    expect(await parts()).toBeLessThan(3000)
    // Only the view scrolls, so that the header stays.
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.getByRole('searchbox').fill('')
    await page.getByText('1–100 of 100,000').waitFor()
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    expect(batch.queries.every(({ limit }) => limit <= 100)).toBe(true)
  })

  test('reports a lost connection, keeps the last state, and continues when the run is back', async () => {
    const batch = filledBatch()
    const { url, stop, restart } = await openBreakable(batch)
    const { page } = await openBrowser({ timezoneId: 'UTC', mayComplain: true })
    await page.goto(url)
    const row = page.getByRole('button', { name: '1001 answered' })
    await row.waitFor()
    await stop()
    await page.getByText(/^Disconnected since \d\d:\d\d:\d\d\. Showing the last known state\.$/).waitFor()
    expect(await row.isVisible()).toBe(true)
    expect(await page.getByRole('searchbox').isDisabled()).toBe(true)
    expect(await page.title()).toBe('disconnected · reminders · callyard')
    batch.put({ id: '1001', status: 'busy' })
    batch.changed()
    await restart()
    await page.getByRole('button', { name: 'Retry now' }).click()
    await isConnected(page)
    await page.getByRole('button', { name: '1001 busy' }).waitFor()
    expect(await page.getByRole('searchbox').isEnabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Retry now' }).isVisible()).toBe(false)
  })

  test('the end of the run leaves its last state, including people', async () => {
    const { batch, page, close } = await openBatch()
    await page.getByRole('button', { name: '1012 calling' }).waitFor()
    batch.put({ id: '1012', status: 'answered', attempts: [fakeAttempt()] })
    batch.live = []
    batch.pause = { reason: 'ended', text: 'everybody was called', until: null }
    batch.changed()
    // At its end, the run waits a second for its pages, which may be too short for a browser on a busy machine.
    await page.getByRole('button', { name: '1012 answered' }).waitFor()
    await close()
    await page.getByText(/^The batch run ended at \d\d:\d\d:\d\d\. Showing the last known state\.$/).waitFor()
    await page.getByText('Ended: everybody was called').waitFor()
    await page.getByRole('button', { name: '1012 answered' }).click()
    await page.getByRole('table', { name: 'Calls to 1012' }).waitFor()
    await page.getByText('No calls in progress.').waitFor()
    expect(await page.getByText(/^Retrying/).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'busy', exact: true }).isDisabled()).toBe(true)
    await shoot(page, 'batch-ended')
  })

  test('an empty batch, and one without live calls', async () => {
    const { page, batch } = await openBatch(createFakeBatch())
    await page.getByText('No calls in progress.').waitFor()
    await page.locator('#people-note').getByText('No people.').waitFor()
    expect(await page.getByRole('progressbar').isVisible()).toBe(false)
    batch.put({ id: '1' })
    batch.changed()
    await page.getByRole('button', { name: '1 due' }).waitFor()
    expect(await page.locator('#people-note').isVisible()).toBe(false)
  })

  test('tells outcomes apart in forced colors, and does not move with reduced motion', async () => {
    const { page } = await openBatch()
    await page.getByRole('button', { name: '1001 answered' }).waitFor()
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    const looks = await page.evaluate(
      `[...document.querySelectorAll('.segment')].map(part => getComputedStyle(part)).map(({ backgroundColor, backgroundImage }) => backgroundColor + backgroundImage)`,
    )
    expect(new Set(looks as string[]).size).toBe((looks as string[]).length)
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.segment')).transitionDuration`),
    ).toBe('0s')
  })
})

describe('batches on the page of a sandbox', { tags: 'chromium' }, () => {
  test('appear with their first call, and show outcomes, live calls and attempts', async () => {
    const { sandbox, page } = await openSandbox()
    await placeCall(sandbox, { assistant, metadata: { batch: { name: 'none' }, caller: 'Goodbye' } })
    await page.getByRole('option').waitFor()
    const tab = page.getByRole('radio', { name: 'Batches' })
    expect(await tab.count()).toBe(0)
    const reminders = { batch: 'reminders', caller: 'Goodbye' }
    const busy = { userNumber: '+12025550181', assistant }
    await placeCall(sandbox, { ...busy, metadata: { ...reminders, person: '1001', attempt: 1 } })
    await placeCall(sandbox, { assistant, metadata: { ...reminders, person: '1001', attempt: 2 } })
    await placeCall(sandbox, { ...busy, metadata: { ...reminders, person: '1002', attempt: 'x' } })
    const live = await beginCall(sandbox, { assistant, metadata: { batch: 'reminders', person: '1003' } })
    await tab.check({ force: true })
    await page.getByRole('heading', { name: 'reminders' }).waitFor()
    await page.getByText('The sandbox knows calls, not lists: people appear when they are called.').waitFor()
    await page.getByRole('list', { name: 'Live calls' }).getByText('Welcome.').waitFor()
    expect(await outcomeRow(page, 'calling')).toBe('calling133 %')
    expect(await outcomeRow(page, 'busy')).toBe('busy133 %')
    expect(await outcomeRow(page, 'all')).toBe('all3100 %')
    await page.getByRole('button', { name: '1001 answered' }).click()
    const rows = page.getByRole('table', { name: 'Calls to 1001' }).getByRole('row')
    expect(await rows.nth(1).textContent()).toContain('busy')
    expect(await rows.nth(2).textContent()).toContain('answered')
    await page.keyboard.press('/')
    await page.keyboard.type('1002')
    await page.getByRole('button', { name: '1001 answered' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Open the call to 1003' }).click()
    await page.getByRole('region', { name: 'Details' }).getByText(live).waitFor()
    expect(await hasFocus(page.locator('#call-title'))).toBe(true)
    await page.getByRole('button', { name: 'Hang up' }).click()
    await tab.check({ force: true })
    await page.getByText('No calls in progress.').waitFor()
    expect(await outcomeRow(page, 'answered')).toBe('answered267 %')
  })

  test('are chosen by name, found again after a reload, and gone after a reset', async () => {
    const { sandbox, page } = await openSandbox()
    const hostile = hostileTexts.join('')
    await placeCall(sandbox, { assistant, metadata: { batch: 'first', person: 'a', caller: 'Goodbye' } })
    await placeCall(sandbox, { assistant, metadata: { batch: hostile, person: hostile, caller: 'Goodbye' } })
    await page.getByRole('radio', { name: 'Batches' }).check({ force: true })
    await page.locator('#people button').waitFor()
    expect(await everyText(page)).toMatch(harmlessPage)
    await page.getByRole('combobox', { name: 'Batch' }).selectOption({ label: 'first' })
    await page.getByRole('button', { name: 'a answered' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'first' }).waitFor()
    await page.getByRole('button', { name: 'a answered' }).waitFor()
    await sandbox.first.reset()
    await page.getByText('No calls of batches yet.').waitFor()
    await expect.poll(() => page.locator('#people button').count()).toBe(0)
  })
})

const assistant = { welcomeMessage: 'Welcome.' }

/** The page of a batch on a server that the test stops without an end, as a crash does. */
async function openBreakable(batch: FakeBatch) {
  const { url, close } = await openBatchPage({ feed: batch, clock: realClock, pageCommand: batchCommand })
  const [html = '', script = '', style = ''] = await Promise.all(
    ['', 'page.js', 'page.css'].map(async name => (await fetch(url + name)).text()),
  )
  await close()
  const page = createBatchPage({ feed: batch, clock: realClock, assets: { html, script, style } })
  let server: Server | undefined
  const listen = (port: number) => {
    server = createServer((request, response) => void page.serve(request, response))
    return new Promise<void>(resolve => server?.listen(port, '127.0.0.1', resolve))
  }
  const stop = async () => {
    const closed = new Promise<void>(resolve => server?.close(() => resolve()))
    server?.closeAllConnections()
    await closed
  }
  await listen(0)
  onTestFinished(stop)
  const address = server?.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}${page.path}`, stop, restart: () => listen(port) }
}

/** Text of a row of the table of outcomes. */
async function outcomeRow(page: Page, status: string): Promise<string | null> {
  const button = page.getByRole('button', { name: status, exact: true })
  await button.waitFor()
  return page.locator('#outcomes tr').filter({ has: button }).textContent()
}
