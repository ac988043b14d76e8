import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { RecordEntry } from '../../src/sandbox/index.ts'
import { hostileText } from '../events/transcript/hostile-calls.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { lines } from '../helpers/json-lines.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { startBin } from '../helpers/run-bin.ts'
import { beginCall, createAssistant, recordOf } from '../helpers/test-sandbox.ts'
import { everyText, harmlessPage, openBrowser, shoot, tabTo } from './browser.ts'
import { fillSandbox, view } from './page-states.ts'
import { isConnected, openSandbox, startSandbox } from './pages.ts'

describe('the page of sandbox start --ui', { tags: 'chromium' }, () => {
  test('lets the reader be the caller of a live call: speech, keys, silence, interruption, hanging up', async () => {
    const { sandbox, page, log } = await openSandbox()
    await page.getByText('No calls yet.').first().waitFor()
    await page.getByText(`The service is running at ${sandbox.baseUrl}`).waitFor()
    await page.getByText('callyard call start --from +12025550100 --to +12025550123').waitFor()
    const id = await beginCall(sandbox, {
      assistant: { welcomeMessage: 'Welcome.', idleTimeout: 10, dtmfInputEnabled: true },
    })
    await log.getByText('Welcome.').waitFor()
    const box = page.getByRole('region', { name: 'Play the caller' })
    await box.getByText('It is the caller’s turn.').waitFor()
    await box.getByLabel('Caller’s message').fill('Are you open?')
    await box.getByRole('button', { name: 'Say', exact: true }).click()
    await log.getByText('Are you open?', { exact: true }).waitFor()
    await expect.poll(() => log.getByRole('listitem').count()).toBe(3)
    expect(await box.getByLabel('Caller’s message').inputValue()).toBe('')
    await box.getByLabel(/^Keys/).fill('12#')
    await box.getByRole('button', { name: 'Press keys' }).click()
    await log.getByText('12#').waitFor()
    await box.getByLabel('Seconds of silence').fill('15')
    await box.getByRole('button', { name: 'Stay silent' }).click()
    await log.getByText('Are you still there?').waitFor()
    await box.getByLabel('Caller’s message').fill('Wait, one thing')
    await box.getByRole('button', { name: 'Interrupt' }).click()
    await log.getByText('Wait, one thing').waitFor()
    await shoot(page, 'sandbox-live')
    await box.getByRole('button', { name: 'Hang up' }).click()
    await page.getByRole('option', { name: /finished, answered/ }).waitFor()
    expect(await box.isVisible()).toBe(false)
    await page.getByRole('region', { name: 'Details' }).getByText(id).waitFor()
    await page.getByRole('region', { name: 'Status' }).getByText('completed').waitFor()
  })

  test('shows tool calls in the transcript in order', async () => {
    const { sandbox, token, page, log } = await openSandbox()
    await fillSandbox({ ...sandbox, controlToken: token })
    await page.getByRole('option', { name: /^\+12025550123, finished/ }).click()
    const rows = log.getByRole('listitem')
    await rows.filter({ hasText: 'It is in the calendar.' }).waitFor()
    const texts = await rows.allTextContents()
    const index = texts.findIndex(text => text.startsWith('toolbook_appointmentsimulated'))
    expect(texts[index - 1]).toContain('Book me in for Friday')
    expect(texts[index + 1]).toContain('It is in the calendar.')
    await page.getByRole('button', { name: /^book_appointment/ }).click()
    await rows.nth(index).getByText('"day": "2026-01-02"').first().waitFor()
    await page
      .getByRole('group', { name: /^Timeline: .*1 tool call$/ })
      .getByRole('button', { name: /^tool book_appointment/ })
      .click()
    expect(await page.locator('.message[data-found]').getAttribute('data-role')).toBe('tool')
  })

  test('shows each webhook of a call, its delivery and its changes', async () => {
    const answers = [200, 500, 200]
    const { origin } = await listenOnLoopback(
      createServer((request, response) => {
        request.resume()
        response.writeHead(answers.shift() ?? 200).end('{"message":"ok"}')
      }),
    )
    const { sandbox, page } = await openSandbox()
    const assistantServer = { url: `${origin}/hook?token=s3cret` }
    await beginCall(sandbox, { assistant: { welcomeMessage: 'Welcome.', assistantServer } })
    const webhooks = page.getByRole('region', { name: 'Webhooks' })
    await webhooks.getByText(/^✕ 500 in \d+ ms$/).waitFor()
    await page.getByText('1 delivery failed').waitFor()
    await page.getByRole('button', { name: /^conversation-update/ }).click()
    await webhooks.getByText(/^Since event 2: /).waitFor()
    await webhooks.getByText('"text": "Welcome."').waitFor()
    await webhooks.getByRole('button', { name: `${origin}/hook` }).waitFor()
    expect(await everyText(page)).not.toContain('s3cret')
    await page.reload()
    await webhooks.getByText(/^✕ 500 in \d+ ms$/).waitFor()
    await webhooks.getByLabel('Type of raw events').selectOption({ label: 'Failed deliveries' })
    expect(await webhooks.getByRole('list').first().getByRole('button').count()).toBe(1)
    // A fault that drops them is told, too.
    sandbox.first.faults.add({ drop: 1 })
    await page.getByRole('radio', { name: 'Calls', exact: true }).check({ force: true })
    await webhooks.getByLabel('Type of raw events').selectOption({ label: 'All types' })
    await page.getByRole('button', { name: 'Hang up' }).click()
    await webhooks.getByText('✕ not sent · fault: drop').first().waitFor()
  })

  test('shows assistants, tools and ten thousand entries, a hundred at a time, and updates them', async () => {
    const { sandbox, page } = await openSandbox()
    await createAssistant(sandbox, { name: 'Front desk' })
    const path = '/kb/v1/knowledge-bases/KB-1/faq-template'
    for (let from = 0; from < 10_000; from += 1000) {
      const faq = Array.from({ length: 1000 }, (_, place) => ({
        question: `Question ${from + place}?`,
        answer: `Answer ${from + place}.`,
      }))
      expect((await sandbox.send('POST', path, { faq })).status).toBe(200)
    }
    await view(page, 'Records')
    await page.getByText('10000 entries').waitFor()
    await page.getByRole('button', { name: /^Front desk/ }).click()
    await page.locator('.panel .json').getByText('"name": "Front desk"').waitFor()
    const entries = page.getByRole('list', { name: 'FAQ entries' })
    expect(await entries.getByRole('listitem').count()).toBe(100)
    await page.getByRole('button', { name: 'Show 100 more entries' }).click()
    expect(await entries.getByRole('listitem').count()).toBe(200)
    await page.getByLabel('Filter records').fill('answer 9999.')
    await page.getByText('1 entry of 10000').waitFor()
    await entries.getByText('Question 9999?').waitFor()
    await page.getByLabel('Filter records').fill('')
    await sandbox.send('POST', '/assistants/v1/tools', { type: 'function', function: { name: 'book_table' } })
    await page.getByRole('list', { name: 'Tools' }).getByText('book_table').waitFor()
    await shoot(page, 'sandbox-records')
  })

  test('shows and filters requests with their bodies', async () => {
    const { sandbox, page } = await openSandbox()
    await createAssistant(sandbox, { name: 'Front desk' })
    await sandbox.send('POST', '/assistants/v1/tools', { type: 'unheard-of' })
    await view(page, 'Requests')
    await page.getByText('2 requests').waitFor()
    await page.getByRole('button', { name: /assistants\/v1\/tools/ }).click()
    await page.locator('.panel .json').getByText('unheard-of').first().waitFor()
    // No key is shown.
    expect(await everyText(page)).not.toContain(sandbox.apiKey)
    await page.locator('#requests-view').getByLabel('Failed').check({ force: true })
    await page.getByText('1 of 2 requests', { exact: true }).waitFor()
    await page.getByText(/^✕ 4\d\d$/).waitFor()
    expect(new URL(page.url()).hash).toMatch(/&view=requests$/)
    await page.reload()
    await page.getByText('2 requests').waitFor()
    await page.getByLabel('Filter requests').fill('zzzz')
    await page.getByText('0 of 2 requests').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByText('2 requests', { exact: true }).waitFor()
    expect(await page.getByLabel('Filter requests').inputValue()).toBe('')
    await page.getByLabel('Filter requests').fill('post assistants 200')
    await page.getByText('1 of 2 requests', { exact: true }).waitFor()
    await page.getByRole('button', { name: /assistants\/v1\/assistants/ }).waitFor()
  })

  test('controls the clock: buttons, a duration, freezing, another pace', async () => {
    const { sandbox, page } = await openSandbox({}, { timezoneId: 'UTC', mayComplain: true })
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByText('no waiting', { exact: true }).waitFor()
    const shown = async () => Date.parse((await clock.locator('time').getAttribute('datetime')) ?? '')
    const before = await shown()
    for (const [name, seconds] of [
      ['Advance by 1 min', 60],
      ['Advance by 1 h', 3600],
      ['Advance by 1 d', 86_400],
    ] as const) {
      const from = await shown()
      await clock.getByRole('button', { name }).click()
      await expect.poll(shown).toBe(from + seconds * 1000)
    }
    await clock.getByLabel('Advance by, as 90s or 2d').fill('2d')
    await clock.getByRole('button', { name: 'Advance', exact: true }).click()
    await expect.poll(shown).toBe(before + (60 + 3600 + 3 * 86_400) * 1000)
    expect(sandbox.first.clock.now()).toBe(await shown())
    await clock.getByRole('button', { name: 'Freeze' }).click()
    await clock.getByRole('button', { name: 'Freeze', pressed: true }).waitFor()
    await clock.getByText('frozen').waitFor()
    await clock.getByRole('button', { name: 'Freeze' }).click()
    await clock.getByRole('button', { name: 'Speed 10×' }).click()
    await clock.getByRole('button', { name: 'Speed 10×', pressed: true }).waitFor()
    expect(sandbox.first.clock.pace).toBe(10)
    await clock.getByLabel('Speed, times real time').fill('60')
    await clock.getByRole('button', { name: 'Set speed' }).click()
    await clock.getByText('60 times real time').waitFor()
    expect(sandbox.first.clock.pace).toBe(60)
    await clock.getByLabel('Advance by, as 90s or 2d').fill('soon')
    await clock.getByRole('button', { name: 'Advance', exact: true }).click()
    await expect.poll(() => clock.getByRole('status').textContent()).not.toBe('')
  })

  test('switches faults on and off', async () => {
    const { sandbox, page } = await openSandbox()
    await view(page, 'Faults')
    await page.getByText('No faults. Webhooks and requests arrive as sent.').waitFor()
    expect(await page.getByRole('button', { name: 'Remove all' }).isVisible()).toBe(false)
    await page.getByRole('combobox', { name: 'Fault' }).selectOption('429')
    await page.getByLabel('Path').fill('/assistants/v1/tools')
    await page.getByLabel('Stop after').fill('2')
    await page.getByRole('button', { name: 'Add fault' }).click()
    const list = page.getByRole('list', { name: 'Faults' })
    await list
      .getByText('100 % of requests rejected with 429 · path /assistants/v1/tools · stops after 2 times')
      .waitFor()
    const refused = await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })
    expect(refused.status).toBe(429)
    await list.getByText('hit 1 time').waitFor()
    await page.getByRole('button', { name: /^Remove 100 % of requests/ }).click()
    await page.getByText('No faults. Webhooks and requests arrive as sent.').waitFor()
    expect(sandbox.first.faults.list()).toEqual([])
    await page.getByLabel('Percent').fill('')
    await page.getByRole('button', { name: 'Add fault' }).click()
    expect(sandbox.first.faults.list()).toEqual([])
  })

  test('downloads a snapshot, resets after a confirmation, and restores the snapshot', async () => {
    const { sandbox, page } = await openSandbox({}, { mayComplain: true })
    await createAssistant(sandbox, { name: 'Front desk' })
    await view(page, 'State')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download snapshot' }).click(),
    ])
    const file = await download.path()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ format: 'callyard-sandbox' })
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect([...sandbox.first.store.assistants()]).toHaveLength(1)
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('button', { name: 'Reset now' }).click()
    await page.getByText('Sandbox reset.').waitFor()
    expect([...sandbox.first.store.assistants()]).toHaveLength(0)
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Restore a snapshot' }).click()
    await (await chosen).setFiles(file)
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('Snapshot restored.').waitFor()
    expect([...sandbox.first.store.assistants()].map(({ name }) => name)).toEqual(['Front desk'])
    const other = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Restore a snapshot' }).click()
    await (await other).setFiles({
      name: 'x.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"a":1}'),
    })
    await page.getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => page.locator('#state-notice').textContent()).toMatch(/format/)
    // Another program removes the file between the choice and the confirmation.
    const gone = join(await temporaryFolder(), 'gone.json')
    await writeFile(gone, '{}')
    const third = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Restore a snapshot' }).click()
    await (await third).setFiles(gone)
    await page.getByRole('button', { name: 'Replace' }).waitFor()
    await rm(gone)
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('The file cannot be read: choose it again.').waitFor()
    expect([...sandbox.first.store.assistants()]).toHaveLength(1)
  })

  test('works with the keyboard alone', async () => {
    const { sandbox, page, log } = await openSandbox()
    const id = await beginCall(sandbox, welcoming)
    await log.getByText('Welcome.').waitFor()
    await page.getByText('It is the caller’s turn.').waitFor()
    const { keyboard } = page
    const to = (
      name: string | RegExp,
      role: 'button' | 'textbox' | 'spinbutton' | 'radio' | 'combobox' | 'searchbox',
    ) => tabTo(page, page.getByRole(role, { name, exact: typeof name === 'string' }))
    await to('Freeze', 'button')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: 'Freeze', pressed: true }).waitFor()
    await keyboard.press('Enter')
    await to('Advance by 1 h', 'button')
    const before = sandbox.first.clock.now()
    await keyboard.press('Space')
    await expect.poll(() => sandbox.first.clock.now()).toBeGreaterThanOrEqual(before + 3_600_000)
    await to('Advance by, as 90s or 2d', 'textbox')
    const between = sandbox.first.clock.now()
    await keyboard.type('90s')
    await keyboard.press('Enter')
    await expect.poll(() => sandbox.first.clock.now()).toBeGreaterThanOrEqual(between + 90_000)
    await to('Speed, times real time', 'spinbutton')
    await keyboard.type('0')
    await keyboard.press('Enter')
    await expect.poll(() => sandbox.first.clock.pace).toBe(0)
    await to('Caller’s message', 'textbox')
    await keyboard.type('Are you open?')
    await keyboard.press('Enter')
    await log.getByText('Are you open?', { exact: true }).waitFor()
    await to(/^Keys/, 'textbox')
    await keyboard.type('1')
    await keyboard.press('Enter')
    await expect.poll(() => log.getByRole('listitem').count()).toBeGreaterThan(3)
    await to('Caller’s message', 'textbox')
    await keyboard.type('Wait, one more thing')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await log.getByText('Wait, one more thing').waitFor()
    await to('Stay silent', 'button')
    const answered = page.waitForResponse(response => response.url().endsWith('/control'))
    await keyboard.press('Enter')
    expect((await answered).status()).toBe(200)
    await to('Hang up', 'button')
    await keyboard.press('Enter')
    await page.getByRole('option', { name: /finished/ }).waitFor()

    await to(/^Calls$/, 'radio')
    await keyboard.press('ArrowRight')
    await page.getByRole('heading', { name: 'Figures' }).waitFor()
    await keyboard.press('ArrowRight')
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    // Only what is shown takes the focus: `/` leads to its filter.
    await keyboard.press('/')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Filter requests')
    await keyboard.type(id)
    await page.getByRole('list', { name: 'Requests' }).getByRole('button').first().waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.locator('.panel .json').first().waitFor()
    await to(/^Requests$/, 'radio')
    await keyboard.press('ArrowRight')
    await keyboard.press('ArrowRight')
    await page.getByRole('heading', { name: 'Faults' }).waitFor()
    await to('Fault', 'combobox')
    await keyboard.press('ArrowDown')
    await to('Add fault', 'button')
    await keyboard.press('Enter')
    await page.getByText('100 % of webhooks sent twice').waitFor()
    await to(/^Remove 100 %/, 'button')
    await keyboard.press('Enter')
    await page.getByText('No faults. Webhooks and requests arrive as sent.').waitFor()
    await to(/^Faults$/, 'radio')
    await keyboard.press('ArrowRight')
    await page.getByRole('heading', { name: 'State' }).waitFor()
    await to('Download snapshot', 'button')
    const download = page.waitForEvent('download')
    await keyboard.press('Enter')
    const snapshot = await (await download).path()
    // Playwright takes file dialogs from the first listener on, and a key can overtake that: listen before Tab.
    const dialog = page.waitForEvent('filechooser')
    await to('Restore a snapshot', 'button')
    await keyboard.press('Enter')
    await (await dialog).setFiles(snapshot)
    await page.getByRole('button', { name: 'Replace' }).waitFor()
    expect(await page.locator(':focus').textContent()).toBe('Replace')
    await keyboard.press('Enter')
    await page.getByText('Snapshot restored.').waitFor()
    expect(await page.locator(':focus').textContent()).toBe('Restore a snapshot')
    await to('Reset', 'button')
    await keyboard.press('Enter')
    expect(await page.locator(':focus').textContent()).toBe('Reset now')
    await keyboard.press('Enter')
    await page.getByText('Sandbox reset.').waitFor()
    await to(/^State$/, 'radio')
    await keyboard.press('ArrowRight')
    await page.getByText('No calls yet.').first().waitFor()
  })

  test('shows anything that a client sends as text only', async () => {
    const { sandbox, page, rows } = await openSandbox()
    const text = hostileText.filter(value => value.isWellFormed())
    const hostile = fc.sample(
      fc.record({
        name: text,
        said: fc.array(text, { maxLength: 3 }),
        summary: text,
        path: text,
      }),
      everyCase ? 48 : 20,
    )
    const sent = hostile.flatMap(({ name, said, summary, path }) => [
      sandbox.send('POST', '/assistants/v1/assistants', { name, welcomeMessage: summary }),
      sandbox.send('POST', '/assistants/v1/tools', {
        type: 'function',
        function: { name, description: summary },
      }),
      sandbox.send('POST', `/kb/v1/knowledge-bases/${encodeURIComponent(path)}/faq-template`, {
        faq: [{ question: name, answer: summary }],
      }),
      sandbox.send('POST', '/calls/v1/conversations/connect', {
        direction: 'outbound',
        phoneNumberId: 'P-1',
        customer: { number: '+12025550123', name },
        assistant: { name, welcomeMessage: summary },
        metadata: { caller: said },
      }),
    ])
    await Promise.all(sent)
    await sandbox.idle()
    await expect.poll(() => rows.count()).toBeGreaterThan(10)
    // Until the page has all of them, rows move.
    await page.getByText(`0 live · ${sandbox.first.calls.list().length} calls`).waitFor()
    for (const row of (await rows.all()).slice(0, 4)) {
      await row.click()
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('true')
      expect(await everyText(page)).toMatch(harmlessPage)
    }
    for (const name of ['Requests', 'Records']) {
      await view(page, name)
      const buttons = page.locator('.view:visible .event > button')
      await expect.poll(() => buttons.count()).toBeGreaterThan(40)
      await page.evaluate(
        `for (const button of [...document.querySelectorAll('main:not([hidden]) .event > button')].slice(0, 24)) button.click()`,
      )
      await expect.poll(() => page.locator('.view:visible .panel .json').count()).toBeGreaterThanOrEqual(24)
      expect(await everyText(page)).toMatch(harmlessPage)
    }
    expect(
      await page
        .locator('body script, body img, body svg:not(#timeline > svg), [onerror], [onmouseover]')
        .count(),
    ).toBe(0)
  })

  test('keeps few elements with a thousand calls and thousands of requests', async () => {
    const { sandbox, page } = await openSandbox({ entries: Array.from({ length: 1000 }, storedCall) })
    await page.getByText('0 live · 1000 calls').waitFor()
    const parts = () => page.evaluate('document.querySelectorAll("*").length')
    expect(await parts()).toBeLessThan(4000)
    await view(page, 'Requests')
    // More than the sandbox keeps.
    const requests = everyCase ? 10_000 : 2000
    for (let number = 1; number <= requests; number++) {
      const head = { at: '2026-03-01T10:00:00.000Z', requestId: `req-${number}`, method: 'POST', headers: {} }
      const request = sandbox.first.requests.begin({ ...head, path: `/assistants/v1/tools/${number}` })
      request.tookBody('{}')
      request.answered(200, '{}')
      // Their reader reads them meanwhile, as it does when they come over the network.
      if (number % 100 === 0) await new Promise(setImmediate)
    }
    await page.getByRole('button', { name: new RegExp(`tools/${requests}`) }).waitFor()
    await page.getByText('1000 requests').waitFor()
    expect(await page.getByRole('list', { name: 'Requests' }).getByRole('listitem').count()).toBe(100)
    expect(await parts()).toBeLessThan(5000)
  })

  test('reports a lost connection, freezes and sends no requests', async () => {
    const { sandbox, url } = await startSandbox({ pace: 1 })
    const { page } = await openBrowser({ timezoneId: 'UTC', mayComplain: true })
    await page.clock.install()
    await page.goto(url)
    await beginCall(sandbox, welcoming)
    await page.getByRole('option', { name: /live, ongoing/ }).waitFor()
    await sandbox.close()
    await page.getByText(/^Disconnected since \d\d:\d\d:\d\d\. Showing the last known state\.$/).waitFor()
    await page.getByText(/^Retrying in \d s\.$/).waitFor()
    await page.getByText('1 call', { exact: true }).waitFor()
    expect(await page.title()).toBe('disconnected · callyard')
    for (const name of ['Freeze', 'Advance'])
      expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
    const times = () =>
      page.evaluate(`[...document.querySelectorAll('#clock-now, #call-line')].map(part => part.textContent)`)
    const before = await times()
    await page.clock.runFor(2000)
    expect(await times()).toEqual(before)
    expect(await dotColor(page)).toBe(
      await page.evaluate(`getComputedStyle(document.querySelector('#call-line')).color`),
    )
  })

  test('resumes when the sandbox is back, and reports a different sandbox', async () => {
    const { sandbox, token, page } = await openSandbox({}, { mayComplain: true })
    await beginCall(sandbox, welcoming)
    await page.getByRole('option').waitFor()
    await sandbox.close()
    await isConnected(page, 'Disconnected')
    const again = await startSandbox({ port: sandbox.port, controlToken: token })
    await page.getByRole('button', { name: 'Retry now' }).click()
    await isConnected(page)
    await page.getByText('0 live · 0 calls').waitFor()
    expect(await page.getByRole('button', { name: 'Freeze' }).isEnabled()).toBe(true)
    await again.sandbox.close()
    await isConnected(page, 'Disconnected')
    await startSandbox({ port: sandbox.port })
    await page.getByRole('heading', { name: 'This link belongs to another run.' }).waitFor()
    await page
      .locator('#other-run')
      .getByText('Open the address that callyard sandbox start --ui printed.')
      .waitFor()
    expect(await page.getByText('No calls yet').first().isVisible()).toBe(false)
  })

  test('says that there are no calls only when it knows', async () => {
    const { sandbox, url, page } = await openSandbox()
    await beginCall(sandbox, welcoming)
    await page.goto('about:blank')
    let isShown: readonly boolean[] = []
    await page.route('**/__sandbox/calls', async route => {
      await page.getByText('Loading calls.').waitFor()
      const notes = await page.getByText('No calls yet.').all()
      isShown = await Promise.all(notes.map(note => note.isVisible()))
      await route.continue()
    })
    await page.goto(url)
    await page.getByRole('option').waitFor()
    expect(isShown).not.toContain(true)
  })

  test('shows a call that starts while the page loads', async () => {
    const { sandbox, url, page, log } = await openSandbox()
    await page.goto('about:blank')
    let id: string | undefined
    await page.route('**/__sandbox/calls', async route => {
      const response = await route.fetch()
      if (id === undefined) {
        id = await beginCall(sandbox, welcoming)
        while ((await recordOf(sandbox, id)).listening !== true) await nextTurn()
      }
      await route.fulfill({ response })
    })
    await page.goto(url)
    await log.getByText('Welcome.').waitFor()
    await page.getByText('It is the caller’s turn.').waitFor()
  })

  test('two open pages show the same, including actions of either', async () => {
    const { sandbox, url, page, context } = await openSandbox()
    const other = await context.newPage()
    await other.goto(url)
    await beginCall(sandbox, welcoming)
    for (const each of [page, other]) await each.getByRole('log').getByText('Welcome.').waitFor()
    await other.getByText('It is the caller’s turn.').waitFor()
    await other.getByLabel('Caller’s message').fill('From the other page')
    await other.keyboard.press('Enter')
    for (const each of [page, other]) await each.getByRole('log').getByText('From the other page').waitFor()
    await view(page, 'Faults')
    await view(other, 'Faults')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await other.getByText('100 % of webhooks dropped').waitFor()
    await other.getByRole('button', { name: 'Freeze' }).click()
    await page.getByRole('button', { name: 'Freeze', pressed: true }).waitFor()
  })

  test('uses the browser’s speech, and says who may receive it', async () => {
    const { sandbox, page, log } = await openSandbox({}, { script: speechScript })
    await beginCall(sandbox, welcoming)
    await page.getByText('It is the caller’s turn.').waitFor()
    await page.getByText('which may send audio and text to its vendor').waitFor()
    await page.getByRole('button', { name: 'Listen' }).click()
    await page.getByRole('button', { name: 'Speak' }).click()
    await page.getByRole('button', { name: 'Speak', pressed: true }).waitFor()
    await page.evaluate(`speech.hears('Are you', false)`)
    expect(await page.getByLabel('Caller’s message').inputValue()).toBe('Are you')
    await page.evaluate(`speech.hears('Are you open?', true)`)
    await log.getByText('Are you open?', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Speak', pressed: false }).waitFor()
    const answer = log.getByRole('listitem').nth(2).locator('.text')
    const said = await answer.textContent()
    expect(await page.evaluate('speech.said')).toEqual([said])
    // Refused: the page says why, and the caller types on.
    await page.getByRole('button', { name: 'Speak' }).click()
    await page.evaluate(`speech.fails('not-allowed')`)
    await page.getByText('The browser does not let this page use the microphone.').waitFor()
    // A call that is over leaves the microphone alone.
    await page.getByRole('button', { name: 'Speak' }).click()
    await page.getByRole('button', { name: 'Hang up' }).click()
    await expect.poll(() => page.evaluate('speech.listening')).toBe(0)
  })

  test('has no speech buttons if the browser has no speech', async () => {
    const { sandbox, page } = await openSandbox({}, { script: noSpeechScript })
    await beginCall(sandbox, welcoming)
    await page.getByRole('button', { name: 'Hang up' }).waitFor()
    expect(await page.getByRole('button', { name: /^(Speak|Hear)$/ }).count()).toBe(0)
    expect(await page.getByText('to its maker').isVisible()).toBe(false)
  })

  test('the built command serves it and exits immediately while a page is open', async () => {
    const folder = await temporaryFolder()
    const child = startBin(['sandbox', 'start', '--in-memory', '--port', '0', '--ui', '--json'], {
      cwd: folder,
      env: { CALLYARD_CONFIG_DIR: folder },
    })
    const events = lines(child.stdout)
    await events.next()
    const { url } = JSON.parse((await events.next()).value ?? '')
    const { page } = await openBrowser()
    await page.goto(url)
    await isConnected(page)
    await page.getByText('callyard call start --from +12025550100 --to +12025550123').waitFor()
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 0 })
    await isConnected(page, 'Disconnected')
  })

  test('accepts only browsers of this machine, and shows nothing without its token', async () => {
    const { sandbox, url, page } = await openSandbox({}, { mayComplain: true })
    const own = url.split('#')[0] ?? ''
    expect((await fetch(own, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(403)
    expect((await fetch(own, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    expect((await fetch(`${own}page.js`, { headers: { origin: 'http://example.test' } })).status).toBe(403)
    expect((await fetch(own, { method: 'DELETE' })).status).toBe(405)
    const html = await fetch(own)
    expect(html.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html.headers.get('permissions-policy')).toContain('microphone=(self)')
    expect(await html.text()).not.toContain(sandbox.apiKey)
    await page.goto('about:blank')
    await page.goto(own)
    await isConnected(page, 'Not connected')
  })
})

const welcoming = { assistant: { welcomeMessage: 'Welcome.', dtmfInputEnabled: true } }

/** A record in the form of the journal. */
function storedCall(_: unknown, number: number): RecordEntry {
  const at = new Date(Date.UTC(2026, 2, 1, 10, 0, number)).toISOString()
  const id = `CC-${number}`
  return {
    kind: 'call',
    record: {
      id,
      teamId: 'team-1',
      direction: 'outbound',
      createdAt: at,
      updatedAt: at,
      startAt: at,
      endAt: at,
      customer: { number: '+12025550123' },
      status: 'completed',
      phoneVendor: 'vendor',
      phoneVendorDetails: { from: '+12025550100', to: '+12025550123' },
      monitor: { controlUrl: `http://127.0.0.1/${id}` },
      messages: [{ messageId: `m-${number}`, role: 'user', text: `Words ${number}`, timestamp: at }],
    },
  }
}

/** Color of the dot beside the state of the first call. */
function dotColor(page: Page): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector('.row .state'), '::before').borderTopColor`)
}

/** The parts of the Web Speech API that the page uses. */
const speechScript = `window.speech = { said: [], listening: 0, now: undefined,
  hears(transcript, isFinal) {
    const result = Object.assign([{ transcript }], { isFinal })
    speech.now.onresult({ results: [result] })
    if (isFinal) speech.now.end()
  },
  fails(error) { speech.now.onerror({ error }); speech.now.end() },
}
window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() { speech.listening++; speech.now = this }
  abort() { this.end() }
  end() { if (speech.now !== this) return; speech.now = undefined; speech.listening--; this.onend() }
}
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text } }
Object.defineProperty(window, 'speechSynthesis', { value: { speak: ({ text }) => speech.said.push(text), cancel() {} } })`

const noSpeechScript =
  'delete window.SpeechRecognition; delete window.webkitSpeechRecognition; delete window.speechSynthesis; delete Window.prototype.speechSynthesis'
