import { createServer, get } from 'node:http'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hostileText } from '../events/transcript/hostile-calls.ts'
import { conversationUpdate, message, statusUpdate } from '../helpers/events.ts'
import { everyCase } from '../helpers/every-case.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { patientClock } from '../helpers/patient-clock.ts'
import { triggeredCall } from '../helpers/triggered-events.ts'
import { everyText, harmlessPage, openBrowser, openTailWithPage, shoot } from './browser.ts'
import { isConnected, openTail } from './pages.ts'

describe('the page of webhook tail --ui', { tags: 'chromium' }, () => {
  test('counts the calls that it no longer keeps', async () => {
    const { post, page } = await openTail({ maxCalls: 2 })
    for (const id of ['CC-1', 'CC-2', 'CC-3']) await post(statusUpdate(id, 'finished'))
    await page.getByText('0 live · 2 of 3 calls').waitFor()
    await page.getByText('1 older call is no longer available.').waitFor()
  })

  test('shows live calls: list, transcript, edits, statuses, analysis, raw events', async () => {
    const { post, page, log, row, events } = await openTail()
    await page.getByText('Waiting for the first event.').waitFor()
    await page.getByText('No calls yet.').waitFor()
    await isConnected(page)
    await post(
      statusUpdate('CC-1', 'ongoing', { phoneCallStatus: 'in-progress', userNumber: '+12025550111' }),
    )
    await post(conversationUpdate('CC-1', message('m1', 'Hello', 'assistant')))
    // The first call is shown without a choice.
    await page.getByRole('heading', { name: '+12025550111', level: 2 }).waitFor()
    await log.getByText('Hello', { exact: true }).waitFor()
    await post(conversationUpdate('CC-1', message('m1', 'Hello there', 'assistant'), message('m2', 'Hi')))
    await log.getByText('Hello there').waitFor()
    await log.getByText('edited').waitFor()
    expect(await log.getByRole('listitem').count()).toBe(2)
    await post(
      statusUpdate('CC-1', 'finished', { analysis: { summary: 'Went well', data: { day: 'Tuesday' } } }),
    )
    await page.getByRole('region', { name: 'Analysis' }).getByText('Went well').waitFor()
    await page.getByRole('region', { name: 'Status' }).getByText('finished').waitFor()
    await page.getByRole('option', { name: '+12025550111, finished, answered, 2 messages' }).waitFor()
    expect(await events.getByRole('listitem').count()).toBe(4)
    await page.getByLabel('Type of raw events').selectOption({ label: 'status-update' })
    expect(await events.getByRole('listitem').count()).toBe(2)

    await post(statusUpdate('CC-2', 'ongoing'))
    await row('CC-2').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: /calls? began\./ })
      .waitFor({ state: 'attached' })
    // The page never moves the reader to another call.
    expect(await page.getByRole('heading', { level: 2, name: '+12025550111' }).isVisible()).toBe(true)
    expect(await page.title()).toBe('1 live · callyard')
  })

  test('shows statuses at the times of the call, like messages', async () => {
    const { post, page } = await openTail()
    const startAt = '2026-03-01T10:00:00.000Z'
    await post(statusUpdate('CC-1', 'ongoing', { startAt }))
    await post(statusUpdate('CC-1', 'finished', { startAt, endAt: '2026-03-01T10:00:21.000Z' }))
    const statuses = page.getByRole('region', { name: 'Status' })
    await statuses.getByText('+0:21').waitFor()
    const times = await statuses
      .locator('time')
      .evaluateAll(all => all.map(time => time.getAttribute('datetime')))
    expect(times).toEqual([startAt, '2026-03-01T10:00:21.000Z'])
  })

  test('shows why a call was not answered instead of a transcript', async () => {
    const { post, page } = await openTail()
    await post(statusUpdate('CC-1', 'queued', { phoneCallStatus: 'ringing' }))
    await page.getByText('No messages yet.').waitFor()
    const endAt = '2026-03-01T10:00:30.000Z'
    await post(statusUpdate('CC-1', 'finished', { phoneCallStatus: 'no-answer', endAt }))
    await page.getByText('The call was not answered: the phone rang and was not picked up.').waitFor()
    await page.getByRole('option', { name: 'CC-1, finished, no-answer, 0 messages' }).waitFor()
    const colorOf = (part: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('[role=option] ${part}')).color`)
    const [state, other] = [await colorOf('.state'), await colorOf('.number')]
    expect(state).not.toBe(other)
    await shoot(page, 'unanswered')
  })

  test('shows a command that sends a sample call if it is empty', async () => {
    const { post, tail, page, context } = await openTail({ requiredHeader: 'x-token' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByText(`Events go to ${tail.url}`).waitFor()
    await shoot(page, 'empty')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `callyard webhook trigger call --to ${tail.url} --header 'x-token: …'`,
    )
    await post(statusUpdate('CC-1', 'ongoing'))
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor({ state: 'hidden' })
  })

  test('shows times in one format, the duration of a call, and who called whom', async () => {
    const { post, page } = await openTail({}, { timezoneId: 'Asia/Kolkata' })
    for (const event of triggeredCall(5)) await post(event)
    await post(
      statusUpdate('CC-2', 'ongoing', {
        direction: 'inbound',
        userNumber: '+12025550111',
        assistantNumber: '+12025550100',
      }),
    )
    await page.getByRole('option', { name: /^\+12025550111, live, .*inbound/ }).click()
    await page.getByText('+12025550100 ← +12025550111').waitFor()
    expect(await page.getByRole('option', { name: /^\+12025550111/ }).textContent()).toMatch(/^← /)
    await page
      .getByRole('option', { name: /^Ada, finished, .*outbound, took 0:18, success: pass, began 15:29:42$/ })
      .click()
    await page.getByText('took 0:18 · +12025550100 → +12025550123 · 5 messages').waitFor()
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('2026-03-01 15:29:42').waitFor()
    expect(await details.getByText('2026-03-01 15:30:00').getAttribute('title')).toBe(
      '2026-03-01T10:00:00.000Z',
    )
    // Every time of the page is one that can be hovered, and none is written in another way; the list has ages.
    for (const age of await page.locator('#calls time').all())
      expect(await age.textContent()).toMatch(/^(now|\d+ (min|h|d))$/)
    const times = await page.locator('#call time').all()
    expect(times.length).toBeGreaterThan(12)
    for (const time of times) {
      expect(await time.textContent()).toMatch(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d$/)
      expect(await time.getAttribute('title')).toBe(await time.getAttribute('datetime'))
    }
    expect(await page.locator('body').innerText()).not.toMatch(/\d{4}-\d\d-\d\dT/)
    await shoot(page, 'times')
  })

  test('the list shows why a call has no messages, which calls failed, and filters without results', async () => {
    const { post, page, row, rows } = await openTail()
    const end = { phoneCallStatus: 'busy', userNumber: '+12025550181' }
    await post(statusUpdate('CC-1', 'finished', end))
    await post(conversationUpdate('CC-2', message('m1', 'مرحبا', 'assistant')))
    await post(statusUpdate('CC-3', 'finished', { analysis: { successEvaluation: 'fail' } }))
    await row('\\+12025550181').getByText('busy').waitFor()
    expect(await row('CC-2').getByText('مرحبا', { exact: true }).getAttribute('dir')).toBe('auto')
    await row('CC-2').getByText('assistant', { exact: true }).waitFor()
    await row('CC-3').getByText('✕ fail').waitFor()
    expect(await page.locator('.row[data-day]').count()).toBe(1)
    expect(await page.locator('.row').first().getAttribute('data-day')).toBe('Today')
    await page.keyboard.press('f')
    await row('CC-2').waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(2)
    await page.keyboard.press('f')
    await row('CC-2').waitFor()
    await page.getByRole('searchbox').fill('zzzz')
    await page.getByText('No call contains "zzzz".').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await row('CC-2').waitFor()
  })

  test('keys move through the calls, and the URL opens the same call again', async () => {
    const { post, page, context, log, row } = await openTail()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const id of ['CC-1', 'CC-2', 'CC-3']) {
      await post(conversationUpdate(id, message('m', `Words of ${id}`)))
      await row(id).waitFor()
    }
    const selected = (id: string) =>
      page.getByRole('option', { name: new RegExp(`^${id}`), selected: true }).waitFor()
    await selected('CC-1')
    await page.keyboard.press('k')
    await selected('CC-2')
    await page.keyboard.press('k')
    await selected('CC-3')
    await page.keyboard.press('j')
    await selected('CC-2')
    expect(new URL(page.url()).hash).toBe('#call=CC-2')
    await page.reload()
    await log.getByText('Words of CC-2').waitFor()
    await page.getByRole('button', { name: 'CC-2', exact: true }).click()
    await page.getByText('Copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('CC-2')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('j')
    await selected('CC-2')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  test('shows two calls without ids separately', async () => {
    const { post, page, log } = await openTail()
    for (const words of ['First call', 'Second call'])
      await post(conversationUpdate(undefined, message('user-1', words)))
    await page.getByRole('option', { name: /^Call 2 without id/ }).click()
    await log.getByText('Second call').waitFor()
    expect(await log.getByText('First call').count()).toBe(0)
    await page.getByRole('option', { name: /^Call without id/ }).click()
    await log.getByText('First call').waitFor()
  })

  test('shows the path of anything odd in an event', async () => {
    const { post, page, events } = await openTail()
    await post({
      message: { type: 'status-update', call: { id: 'CC-1', status: { word: 'ongoing' } }, assistant: 7 },
    })
    await post({ message: { type: 'conversation-update', call: { id: 'CC-1' }, messages: [null] } })
    await events.getByText('call.status is an object').waitFor()
    await events.getByText('messages[0] is not a message').waitFor()
    await shoot(page, 'odd')
  })

  test('works with the keyboard alone, and each control has a name', async () => {
    const { post, page, log, row, rows } = await openTail()
    for (const id of ['CC-1', 'CC-2', 'CC-3']) {
      await post(statusUpdate(id, id === 'CC-2' ? 'finished' : 'ongoing'))
      await post(conversationUpdate(id, message('m', `Words of ${id}`)))
    }
    await row('CC-3').waitFor()
    const focused = () => page.locator(':focus')
    const selected = (name: string) =>
      page.getByRole('option', { name: new RegExp(`^${name}`), selected: true }).waitFor()

    await page.keyboard.press('/')
    expect(await focused().getAttribute('aria-label')).toBe('Search calls')
    await page.keyboard.type('words of cc-2')
    await row('CC-3').waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(1)
    await page.keyboard.press('Escape')
    await row('CC-3').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused().getAttribute('value')).toBe('all')
    await page.keyboard.press('ArrowRight')
    await row('CC-2').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowRight')
    await row('CC-2').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('No failed calls.').waitFor()
    await page.keyboard.press('ArrowRight')
    await row('CC-3').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    await selected('CC-1')
    await log.getByText('Words of CC-1').waitFor()
    await page.keyboard.press('ArrowUp')
    await selected('CC-2')
    await page.keyboard.press('Home')
    await selected('CC-3')
    await page.keyboard.press('ArrowDown')
    await selected('CC-2')
    await log.getByText('Words of CC-2').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused().textContent()).toBe('? All keys')
    await page.keyboard.press('Tab')
    expect(await focused().getAttribute('aria-label')).toBe('user: Words of CC-2, 0:00 to 0:00')
    await page.keyboard.press('Enter')
    expect(await page.locator('.message[data-found] .text').textContent()).toBe('Words of CC-2')
    await page.keyboard.press('Tab')
    expect(await focused().getAttribute('role')).toBe('log')
    await page.keyboard.press('Tab')
    expect(await focused().textContent()).toBe('CC-2')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^conversation-update/, expanded: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('button', { expanded: true }).count()).toBe(2)
    await page.keyboard.press('Tab')
    expect(await focused().textContent()).toBe('Copy as curl')
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid')
  })

  test('shows hostile texts as text in every field', async () => {
    const { post, page } = await openTail()
    const hostile = (field: string) =>
      `${field}</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"'\`><svg onload=window.broken=1>\u001b[31m\u0000\u009b2J\u202egnp\u2066\u200f\u2028\ud800 javascript:window.broken=1 \${1}`
    const fields = [
      'userNumber',
      'assistantNumber',
      'teamId',
      'assistantId',
      'direction',
      'callType',
      'startAt',
      'endAt',
      'callEndTriggerBy',
      'phoneCallStatus',
    ]
    await post({
      message: {
        type: 'status-update',
        call: {
          id: hostile('id'),
          status: hostile('status'),
          ...Object.fromEntries(fields.map(name => [name, hostile(name)])),
        },
        assistant: { name: hostile('assistant') },
        customer: { name: hostile('customer'), number: hostile('number') },
        analysis: { [hostile('key')]: hostile('value'), deep: { [hostile('inner')]: [hostile('item')] } },
      },
    })
    await post({
      message: {
        type: 'conversation-update',
        call: { id: hostile('id') },
        messages: [
          {
            messageId: hostile('message'),
            role: hostile('role'),
            text: hostile('text'),
            timestamp: hostile('when'),
          },
          hostile('malformed'),
        ],
      },
    })
    await post({
      message: { type: hostile('type'), call: { id: hostile('id') }, [hostile('name')]: hostile('more') },
    })
    for (const field of ['customer', 'text', 'role', 'when', 'status', 'value', 'key'])
      await page.getByText(`${field}</script>`).first().waitFor()
    for (const button of await page.locator('#events > li > button').all()) await button.click()
    for (const body of await page.locator('.panel .json').all())
      await body.getByText('"message": {').waitFor()
    await page.getByRole('searchbox').fill('</script>')
    const everything = await everyText(page)
    expect(everything).toMatch(/\\x1b\[31m/)
    expect(everything).toContain('\\u202egnp')
    expect(everything).toMatch(harmlessPage)
    expect(await page.evaluate('window.broken')).toBe(undefined)
    expect(
      await page.locator('body script, body img, body svg:not(#timeline > svg), [onerror]').count(),
    ).toBe(0)
    await shoot(page, 'hostile')
  })

  test('shows anything that a service sends as text only', async () => {
    const { post, page, row, rows } = await openTail()
    const field = fc.option(hostileText, { nil: undefined })
    const hostileEvent = fc.record({
      message: fc.record({
        type: fc.oneof(fc.constantFrom('status-update', 'conversation-update'), hostileText),
        call: fc.record({
          id: fc.oneof(fc.constantFrom('CC-1', 'CC-2'), hostileText),
          status: field,
          phoneCallStatus: field,
          userNumber: field,
          direction: field,
          startAt: field,
        }),
        customer: fc.record({ name: field, number: field }),
        assistant: fc.record({ name: field }),
        analysis: fc.dictionary(hostileText, fc.oneof(hostileText, fc.jsonValue())),
        messages: fc.array(
          fc.record({ messageId: field, role: hostileText, text: field, timestamp: field }),
          { maxLength: 4 },
        ),
      }),
    })
    for (const event of fc.sample(hostileEvent, everyCase ? 150 : 60)) await post(event)
    await post(statusUpdate('last', 'ongoing'))
    await row('last').waitFor()
    const listed = await rows.all()
    expect(listed.length).toBeGreaterThan(10)
    for (const row of listed.slice(everyCase ? -12 : -5)) {
      await row.click()
      await expect.poll(() => row.getAttribute('aria-selected')).toBe('true')
      await page.locator('#call:not([data-loading])').waitFor()
      await page.locator('#events > li > button').first().click()
      await page.locator('.panel .json').first().getByText('"message": {').waitFor()
      expect(await everyText(page)).toMatch(harmlessPage)
    }
  })

  test('a copied curl command sends the same bytes', async () => {
    const got: { type: string | undefined; body: string }[] = []
    const { origin } = await listenOnLoopback(
      createServer(async (request, response) => {
        got.push({ type: request.headers['content-type'], body: await text(request) })
        response.end('{}')
      }),
    )
    const target = `${origin}/it's?a=$HOME&b[]={x}`
    const { post, page, context, eventsOf } = await openTail({
      targets: [{ url: target, type: undefined, headers: {} }],
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const said = 'it\'s "quoted" $HOME `id` \\ !! \u009b2J \u202e é 😀\n\t%s'
    const events = [
      conversationUpdate('CC-1', message('m1', said)),
      conversationUpdate('CC-1', message('m1', `${said} ${'long '.repeat(40_000)}`)),
    ]
    for (const event of events) await post(JSON.stringify(event, null, '\t').replaceAll('\\u009b', '\u009b'))
    await eventsOf('conversation-update').nth(1).waitFor()
    for (const index of [0, 1]) {
      await eventsOf('conversation-update')
        .nth(1 - index)
        .click()
      const panel = page.locator('.event').nth(1 - index)
      await panel.getByRole('button', { name: 'Copy as curl' }).click()
      await panel.getByText('Copied.').waitFor()
      const command = (await page.evaluate('navigator.clipboard.readText()')) as string
      expect(command).toMatch(/^curl -X POST --globoff 'http:/)
      expect(command).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      await execa('sh', [], { input: `${command.replace(/^curl /, 'curl -sS --noproxy "*" ')}\n` })
    }
    expect(got.map(({ type }) => type)).toEqual(['application/json', 'application/json'])
    expect(got.map(({ body }) => JSON.parse(body))).toEqual(events)
  })

  test('resends to the forward target and shows its response', async () => {
    const got: string[] = []
    const { origin } = await listenOnLoopback(
      createServer(async (request, response) => {
        got.push(await text(request))
        response.writeHead(503).end('<b>busy</b>')
      }),
    )
    const { post, page, eventsOf } = await openTail({
      targets: [
        {
          url: `${origin}/hook?token=hidden`,
          type: 'status-update',
          headers: { 'x-one': 's3cret', 'x-two': 's3cret' },
        },
      ],
    })
    const event = JSON.stringify(statusUpdate('CC-1', 'ongoing'))
    await post(event)
    await post(conversationUpdate('CC-1', message('m1', 'Hello')))
    await eventsOf('status-update').click()
    await page.getByRole('button', { name: 'Resend' }).click()
    await page.getByText(`${origin}/hook responded 503 in`).waitFor()
    await page.getByText('<b>busy</b>').waitFor()
    expect(got).toEqual([event])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText("Add -H 'x-one: …' -H 'x-two: …': this page does not know the values.").waitFor()
    expect(await everyText(page)).not.toMatch(/hidden|s3cret/)
    await shoot(page, 'resent')
    await eventsOf('conversation-update').click()
    await page.getByRole('button', { name: 'Resend', disabled: true }).dispatchEvent('click')
    await page.getByText('No forward target accepts conversation-update.').waitFor()
    expect(got).toHaveLength(1)
  })

  test('reports that the tail ended, keeps its content, and resumes when it is back', async () => {
    const { post, close, tail, tailPage, page, row, rows, eventsOf } = await openTail()
    await post(statusUpdate('CC-1', 'ongoing'))
    await row('CC-1').waitFor()
    await eventsOf('status-update').click()
    const controlsDisabled = `document.querySelector('.panel fieldset.online').disabled`
    expect(await page.evaluate(controlsDisabled)).toBe(false)
    await close()
    await isConnected(page, 'Disconnected')
    expect(await row('CC-1').isVisible()).toBe(true)
    expect(await page.evaluate(controlsDisabled)).toBe(true)
    await page.getByText(/^The tail ended at \d\d:\d\d:\d\d\. Showing the last known state\.$/).waitFor()
    const again = await openTailWithPage({ port: tail.port, path: tailPage.path })
    await again.post(statusUpdate('CC-2', 'ongoing'))
    await page.getByRole('option', { name: /^CC-2/, selected: true }).waitFor()
    await isConnected(page)
    expect(await rows.count()).toBe(1)
    // Without a word before: the connection is lost.
    await again.close()
    await isConnected(page, 'Disconnected')
  })

  test('keeps recently opened calls available after the tail ended', async () => {
    const { post, close, page, log, row, events } = await openTail()
    for (const id of ['CC-1', 'CC-2', 'CC-3']) {
      await post(conversationUpdate(id, message('m', `Words of ${id}`)))
      await row(id).waitFor()
    }
    await row('CC-2').click()
    await log.getByText('Words of CC-2').waitFor()
    await row('CC-1').click()
    await log.getByText('Words of CC-1').waitFor()
    await post(
      conversationUpdate('CC-2', message('m', 'Words of CC-2'), message('m2', 'Later words of CC-2')),
    )
    await row('CC-2').getByText('Later words').waitFor()
    await close()
    await isConnected(page, 'Disconnected')

    await row('CC-2').click()
    await log.getByText('Words of CC-2', { exact: true }).waitFor()
    await page.getByText('Shown as it was when it was open last, 1 event ago.').waitFor()
    expect(await log.getByText('Later words').count()).toBe(0)
    await shoot(page, 'ended-shown-before')
    await row('CC-3').click()
    await page.getByText('The tail has ended, and this call was not open before').waitFor()
    expect(await log.isVisible()).toBe(false)
    await shoot(page, 'ended-never-shown')
    await row('CC-1').click()
    await log.getByText('Words of CC-1').waitFor()
    expect(await page.locator('#call-note').textContent()).toBe('')
    expect(await events.getByRole('listitem').count()).toBe(1)
  })

  test('one page too many reports the limit and stops', async () => {
    const tail = await openTailWithPage()
    const others = await Promise.all(Array.from({ length: 32 }, () => hold(`${tail.pageUrl}events`)))
    const { page } = await openBrowser({ script: countingScript, mayComplain: true })
    await page.goto(tail.pageUrl)
    await isConnected(page, 'Not connected')
    // For good: a browser opens a closed stream no more, and the page has opened but this one.
    expect(await page.evaluate('counted.streams.map(({ readyState }) => readyState)')).toEqual([2])
    await shoot(page, 'crowded')
    others[0]?.()
    await page.reload()
    await isConnected(page)
  })

  test('shows one view at a time at 360 px', async () => {
    const { post, page, log, row } = await openTail({}, { viewport: { width: 360, height: 740 } })
    await post(conversationUpdate('CC-1', message('m1', 'Hello')))
    await row('CC-1').waitFor()
    expect(await log.isVisible()).toBe(false)
    await row('CC-1').click()
    await log.getByText('Hello').waitFor()
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back to calls' }).click()
    expect(await row('CC-1').isVisible()).toBe(true)
    expect(await page.locator(':focus').getAttribute('role')).toBe('option')
  })

  test('prints the complete call', async () => {
    const { post, page, log, eventsOf } = await openTail()
    const messages = manyMessages(450)
    await post(conversationUpdate('CC-1', ...messages))
    await log.getByText('message 449', { exact: true }).waitFor()
    expect(await log.getByRole('listitem').count()).toBe(200)
    await eventsOf('conversation-update').click()
    const folds = page.locator('.panel .json details:not([open])')
    await folds.first().waitFor()
    await page.pdf({ format: 'A4' })
    expect(await log.getByRole('listitem').count()).toBe(450)
    expect(await folds.count()).toBe(0)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(25, 27, 34)')
    expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    const heights = `[...document.querySelectorAll('#transcript')].map(part => part.scrollHeight - part.clientHeight)`
    expect(await page.evaluate(heights)).toEqual([0])
  })

  test('collapses an event, and shows its changes since the previous event', async () => {
    const { post, page, eventsOf } = await openTail()
    const first = conversationUpdate('CC-1', message('m1', 'Hello'))
    await post(first)
    await post(conversationUpdate('CC-1', message('m1', 'Hello there'), message('m2', '<b>Hi</b>')))
    const event = (index: number) => eventsOf('conversation-update').nth(index)
    await event(1).waitFor()
    await event(0).click()
    await page.getByText('Since event 1: 1 added, 1 changed').waitFor()
    const body = page.getByRole('group', { name: 'Body of event 2' })
    await body.getByText('was "Hello"').waitFor()
    const added = body.locator('details[data-mark=added]')
    expect(await added.locator('summary').textContent()).toBe('added: { 4 fields')
    expect(await added.getByText('<b>Hi</b>').isVisible()).toBe(true)
    const message1 = body.getByText(/^changed: "messages": \[/)
    await message1.click()
    expect(await body.getByText('was "Hello"').isVisible()).toBe(false)
    await message1.press('Enter')
    expect(await body.getByText('was "Hello"').isVisible()).toBe(true)
    // There is nothing before the first.
    await event(1).click()
    await page.getByRole('group', { name: 'Body of event 1' }).getByText('"text": "Hello"').waitFor()
    expect(await page.getByText(/^Since event/).count()).toBe(1)
  })

  test('shows and prints an event with thousands of levels', async () => {
    const { post, page, eventsOf } = await openTail()
    const nested = (text: string) => `${'['.repeat(5000)}"${text}"${']'.repeat(5000)}`
    for (const text of ['a', 'b'])
      await post(JSON.stringify(statusUpdate('CC-1', text)).replace(/}$/, `,"nested":${nested(text)}}`))
    const events = eventsOf('status-update')
    await events.nth(1).waitFor()
    await events.first().click()
    await page.getByText(/^Since event 1: /).waitFor()
    expect(await page.locator('.panel .json details[open]').count()).toBeLessThan(100)
    await page.pdf({ format: 'A4' })
  })

  test('shows the deliveries of each event, and filters the failed ones', async () => {
    const answers = [200, 503, 200]
    const { origin } = await listenOnLoopback(
      createServer(async (request, response) => {
        await text(request)
        response.writeHead(answers.shift() ?? 500).end()
      }),
    )
    const targets = [{ url: `${origin}/hook?token=hidden`, type: undefined, headers: {} }]
    const { post, page, events } = await openTail({ targets, forwards: true })
    await post(statusUpdate('CC-1', 'ongoing'))
    await events.getByText(/^forwarded: 200 in \d+ ms$/).waitFor()
    expect(await page.getByText(/deliver(y|ies) failed/).count()).toBe(0)
    await post(conversationUpdate('CC-1', message('m1', 'Hello')))
    await events.getByText(/^✕ forwarded: 503 in \d+ ms$/).waitFor()
    await page.getByText('1 delivery failed').waitFor()
    await page.getByRole('option', { name: /1 delivery failed/ }).waitFor()
    await post(statusUpdate('CC-1', 'finished'))
    await expect.poll(() => events.getByText(/forwarded: 200/).count()).toBe(2)
    await page.getByLabel('Type of raw events').selectOption({ label: 'Failed deliveries' })
    expect(await events.getByRole('button').count()).toBe(1)
    await events.getByRole('button', { name: /^conversation-update/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('body').press('f')
    await page.getByRole('option', { name: /1 delivery failed/ }).waitFor()
  })

  test('the timeline shows who spoke when, and links to each turn', async () => {
    const { post, page, log } = await openTail()
    const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString()
    const messages = Array.from({ length: 450 }, (_, place) => ({
      ...message(`m${place}`, `message ${place} is said`, place % 2 === 0 ? 'assistant' : 'user'),
      timestamp: at(3 * place + 3),
    }))
    await post(statusUpdate('CC-1', 'ongoing', { startAt: at(0) }))
    await post(conversationUpdate('CC-1', ...messages))
    await log.getByText('message 449 is said', { exact: true }).waitFor()
    const timeline = page.getByRole('group', { name: /^Timeline: assistant 4:\d\d, user 4:\d\d, silence/ })
    // Turns are drawn to scale: half way to the right is the middle of the call.
    const turn = (place: number) =>
      timeline.getByRole('button', { name: new RegExp(`^user: message ${place} is said, `) })
    expect(await turn(225).getAttribute('aria-label')).toMatch(/, 11:1\d to 11:18$/)
    expect(await turn(225).locator('rect').getAttribute('x')).toMatch(/^50\.\d+%$/)
    expect(await log.getByText('message 21 is said').count()).toBe(0)
    await turn(21).click()
    await log.getByText('message 21 is said').waitFor()
    expect(await page.locator('.message[data-found] .text').textContent()).toBe('message 21 is said')
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => page.locator('.message[data-found] .text').textContent())
      .toBe('message 22 is said')
    // What comes meanwhile leaves the reader where they are.
    await post(
      conversationUpdate('CC-1', ...messages, { ...message('last', 'The last'), timestamp: at(1360) }),
    )
    await page.getByRole('button', { name: '1 new message, go to the newest' }).waitFor()
    expect(await page.locator(':focus').getAttribute('aria-label')).toMatch(/^assistant: message 22 /)
  })

  test('has a dark theme, and forced colors keep the legend, the states and the chosen filter apart', async () => {
    const { post, page } = await openTail()
    const backgroundIn = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme })
      return page.evaluate('getComputedStyle(document.body).backgroundColor')
    }
    expect(await backgroundIn('dark')).not.toBe(await backgroundIn('light'))
    await page.emulateMedia({ forcedColors: 'active' })
    await post(statusUpdate('CC-1', 'ongoing', { startAt: '2026-03-01T10:00:00Z' }))
    await post(
      conversationUpdate(
        'CC-1',
        { ...message('m1', 'Hello', 'assistant'), timestamp: '2026-03-01T10:00:02Z' },
        { ...message('m2', 'Hello', 'user'), timestamp: '2026-03-01T10:00:04Z' },
      ),
    )
    await page.locator('.timeline-legend .user').waitFor()
    const styleOf = (selector: string, name: string, pseudo = '') =>
      page.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)}), '${pseudo}').${name}`,
      )
    const dotOf = (selector: string) => styleOf(selector, 'backgroundColor', '::before')
    const dots = ['.timeline-legend .assistant', '.timeline-legend .user', '.legend'].map(dotOf)
    expect(new Set(await Promise.all(dots)).size).toBe(3)
    expect(await dotOf('#statuses li')).not.toBe(await dotOf('.legend'))
    const decorationOf = (state: string) => styleOf(`input[name=state]${state} + span`, 'textDecorationLine')
    expect([await decorationOf(':checked'), await decorationOf(':not(:checked)')]).toEqual([
      'underline',
      'none',
    ])
  })

  test('follows the newest message unless scrolled up', async () => {
    const { post, page, log } = await openTail()
    const messages = manyMessages(500)
    await post(conversationUpdate('CC-1', ...messages.slice(0, 450)))
    await log.getByText('message 449', { exact: true }).waitFor()
    expect(await log.getByRole('listitem').count()).toBe(200)
    await page.getByRole('button', { name: 'Show 200 earlier' }).click()
    await log.getByText('message 50', { exact: true }).waitFor()
    const logElement = `document.querySelector('[role=log]')`
    await page.evaluate(`${logElement}.scrollTop = 0; new Promise(requestAnimationFrame)`)
    await post(conversationUpdate('CC-1', ...messages.slice(0, 452)))
    await page.getByRole('button', { name: '2 new messages, go to the newest' }).click()
    await post(conversationUpdate('CC-1', ...messages.slice(0, 453)))
    await log.getByText('message 452', { exact: true }).waitFor()
    await expect
      .poll(() =>
        page.evaluate(`(log => log.scrollHeight - log.scrollTop - log.clientHeight)(${logElement})`),
      )
      .toBeLessThan(5)
  })

  test('renders once per batch and keeps few elements with fifty calls of ten events per second', {}, async () => {
    // Time passes when the test says so: ten times in a round, as ten batches are sent in a second.
    const paced = patientClock()
    const clock = { now: paced.now, sleep: (milliseconds: number) => paced.sleep(milliseconds) }
    const { post, page, log } = await openTail({ clock }, { script: countingScript })
    const calls = 50
    const rounds = everyCase ? 8 : 3
    const said: ReturnType<typeof message>[] = []
    await isConnected(page)
    for (let round = 1; round <= rounds; round++) {
      for (let tenth = 0; tenth < 10; tenth++) {
        said.push(message(`m${said.length}`, `message ${said.length}`))
        await Promise.all(
          Array.from({ length: calls }, (_, call) => post(conversationUpdate(`CC-${call}`, ...said))),
        )
        paced.pass()
      }
      const complete = page.getByRole('option', { name: new RegExp(`, ${said.length} messages,`) })
      await complete.nth(calls - 1).waitFor({ timeout: 0 })
    }
    await page.getByRole('option', { name: /^CC-7,/ }).click()
    await log.getByText(`message ${said.length - 1}`, { exact: true }).waitFor()
    // The page may be drawing them: it has what it began with once all are there.
    await log
      .getByRole('listitem')
      .nth(said.length - 1)
      .waitFor()
    expect(await log.getByRole('listitem').count()).toBe(said.length)
    const counted = (await page.evaluate(
      '({ ...counted, streams: counted.streams.length, parts: document.querySelectorAll("*").length })',
    )) as Readonly<Record<'batches' | 'frames' | 'streams' | 'parts', number>>
    // What a stream begins with is a batch of its own.
    expect(counted.batches).toBeLessThanOrEqual(10 * rounds + counted.streams)
    expect(counted.batches).toBeGreaterThan(rounds)
    expect(counted.frames).toBeLessThanOrEqual(counted.batches + 10)
    expect(counted.parts).toBeLessThan(3000)
  })
})

function manyMessages(length: number) {
  return Array.from({ length }, (_, index) => message(`m${index}`, `message ${index}`))
}

const countingScript = `window.counted = { batches: 0, frames: 0, streams: [] }
const frame = window.requestAnimationFrame
window.requestAnimationFrame = run => { counted.frames++; return frame.call(window, run) }
window.EventSource = class extends EventSource {
  constructor(url) { super(url); counted.streams.push(this); this.addEventListener('changes', () => counted.batches++) }
}`

/** Opens a stream and holds it, as a page does, until what comes back is called. */
function hold(url: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const asked = get(url, answer => {
      const close = () => {
        asked.destroy()
      }
      onTestFinished(close)
      answer.once('data', () => resolve(close))
      answer.on('error', () => {})
    })
    asked.on('error', reject)
  })
}
