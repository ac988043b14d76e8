import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { madeRecording, slowReply } from '../calls/report/made-recording.ts'
import { hostileTexts } from '../events/transcript/hostile-calls.ts'
import { testCli } from '../helpers/test-cli.ts'
import { everyText, harmlessPage, openBrowser, shoot } from './browser.ts'
import { accessibilityProblems, contrastProblems, layoutProblems, printProblems } from './page-layout.ts'

/** Builds the page of these calls. Returns its URL. */
async function writePage(recording: string, ...flags: string[]): Promise<string> {
  const cli = await testCli({ 'calls.ndjson': recording, 'before.ndjson': madeRecording({}, {}, {}) })
  const written = await cli.run('report', 'calls.ndjson', '--out', 'calls.html', ...flags)
  expect(written.stdout).toContain('Wrote calls.html')
  return pathToFileURL(join(cli.folder, 'calls.html')).href
}

const tools = [
  { name: 'book-appointment', ms: 900, fails: false },
  { name: 'find-customer', ms: 1500, fails: true },
]

const calls = madeRecording(
  ...Array.from({ length: 12 }, (_, index) => ({ tools, startAt: Date.UTC(2026, 2, 1, 8 + index) })),
  { messages: slowReply, success: 'fail', assistant: 'Night desk' },
  { end: 'busy', messages: [] },
  { end: 'none', messages: slowReply, assistant: 'Nightdesk'.repeat(12) },
)

describe('the page of a report', { tags: 'chromium' }, () => {
  test('has no requests, no script errors, and no problems of layout, accessibility or print', async () => {
    const flags = ['--by', 'assistant', '--compare', 'before.ndjson', '--fail', 'p95(reply) > 9s']
    const url = await writePage(calls, ...flags)
    const { page } = await openBrowser()
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    await page.goto(url)
    await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`)
    const found: Record<string, string[]> = {}
    for (const width of [1280, 800, 360]) {
      await page.setViewportSize({ width, height: 740 })
      found[`layout ${width}`] = await layoutProblems(page)
      await shoot(page, `report-${width}`)
    }
    found.light = await accessibilityProblems(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    found.dark = await contrastProblems(page)
    found.print = await printProblems(page)
    expect(Object.fromEntries(Object.entries(found).filter(([, { length }]) => length > 0))).toEqual({})
    expect(requests).toEqual([url])
  })

  test('a link of the slowest reply opens the lanes of its call', async () => {
    const { page } = await openBrowser()
    await page.goto(await writePage(calls))
    await page.getByRole('link', { name: '7.0s' }).first().click()
    await page.locator('.turns').getByText('I do not know that, sorry.').first().waitFor()
    const lanes = page.locator('details[open] svg.timeline')
    expect(await lanes.locator('.user').count()).toBe(1)
    expect(await lanes.locator('.silence').count()).toBeGreaterThan(0)
    expect(await lanes.getAttribute('aria-label')).toMatch(/^Timeline: assistant 0:01, user 0:01, silence/)
  })

  test('hostile text stays text', async () => {
    const messages = hostileTexts.map((text, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      text: `${text} ?`,
      gapMs: 1000,
    }))
    const hostile = hostileTexts.map(text => ({
      ...{ messages, assistant: text, endedBy: text as 'user' },
      ...{ tools: [{ name: text === '' ? 'x' : text, ms: 1, fails: true }] },
      data: { [text === '' ? 'x' : text]: text, topic: text },
    }))
    const { page } = await openBrowser()
    await page.goto(await writePage(madeRecording(...hostile), '--by', 'assistant'))
    expect(await everyText(page)).toMatch(harmlessPage)
    expect(await page.locator('script, img, iframe, form, [onmouseover], [onerror]').count()).toBe(0)
  })
})
