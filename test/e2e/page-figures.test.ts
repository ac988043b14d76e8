import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveRuleStatus } from '../../src/calls/guard/index.ts'
import { drawRules } from '../../src/cli/shell/call-figures/rules.ts'
import { hostileTexts } from '../events/transcript/hostile-calls.ts'
import { conversationUpdate, message, statusUpdate } from '../helpers/events.ts'
import { everyText, harmlessPage, openBrowser, openTailWithPage } from './browser.ts'
import { fillSandbox, fillTail, view } from './page-states.ts'
import { openTail, startSandbox } from './pages.ts'

const rule: LiveRuleStatus = {
  name: 'slow',
  when: 'p95(reply) over 10m > 3s',
  fired: 1,
  firing: [{ since: '2026-03-01T10:00:00.000Z' }],
  values: [{ value: 4200 }],
  unit: 'ms',
  recoveredAt: null,
  lastEventAt: null,
}

describe('figures on the pages', { tags: 'chromium' }, () => {
  test('the page of a tail follows them, and each call is one click away', async () => {
    const { page, tail, post } = await openTail()
    await fillTail(tail.url)
    await view(page, 'Figures')
    await page.getByText(/^4 calls · /).waitFor()
    // What the reader opened stays open when the figures change.
    await page.getByText('Table', { exact: true }).first().click()
    await post(statusUpdate('CC-99', 'finished', { phoneCallStatus: 'busy' }))
    await page.getByText(/^5 calls · /).waitFor()
    await page.getByRole('cell', { name: '67%', exact: true }).first().waitFor()
    const link = page.locator('#figures [data-call]').first()
    await link.click()
    await page.getByRole('heading', { name: 'Ada', level: 2 }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('call-title')
    await page.locator('#timeline svg.timeline').waitFor()
    expect(new URL(page.url()).hash).toBe('#call=CC-51fa429b')
  })

  test('hostile text of calls and rules stays text', async () => {
    const rules = hostileTexts.map(text => ({
      ...rule,
      name: text,
      when: text,
      firing: [{ ...rule.firing[0], group: text, since: rule.firing[0]?.since ?? '' }],
    }))
    const { pageUrl, post } = await openTailWithPage({
      rules: () => ({ version: 1, show: () => ({ firing: rules.length, drawing: drawRules(rules) }) }),
    })
    for (const [index, text] of hostileTexts.entries()) {
      const call = {
        callEndTriggerBy: text,
        assistantName: text,
        analysis: { structuredData: { [text]: text } },
      }
      await post(
        conversationUpdate(`CC-${index}`, message('m1', `${text} ?`), message('m2', text, 'assistant')),
      )
      await post(statusUpdate(`CC-${index}`, 'finished', call))
    }
    const { page } = await openBrowser()
    await page.goto(`${pageUrl}#view=figures`)
    await page.getByRole('heading', { name: 'Distributions' }).waitFor({ state: 'attached' })
    expect(await everyText(page)).toMatch(harmlessPage)
    expect(await page.locator('main script, main img, main iframe, [onmouseover], [onerror]').count()).toBe(0)
  })

  test('the page of a tail shows when a rule fires and recovers', async () => {
    let rules = { version: 1, status: rule }
    const { pageUrl, tailPage } = await openTailWithPage({
      rules: () => ({
        version: rules.version,
        show: () => ({ firing: rules.status.firing.length, drawing: drawRules([rules.status]) }),
      }),
    })
    const { page } = await openBrowser()
    await page.goto(pageUrl)
    await page.getByRole('button', { name: '1 rule firing' }).click()
    await page.getByText('firing since 2026-03-01').waitFor()
    await page.getByText('Now: 4.2s').waitFor()
    rules = {
      version: 2,
      status: { ...rule, firing: [], values: [{ value: 1200 }], recoveredAt: '2026-03-01T10:05:00.000Z' },
    }
    tailPage.changed()
    await page.getByText(/^Now: 1\.2s · Recovered: 2026-03-01/).waitFor()
    expect(await page.getByRole('button', { name: /firing/ }).count()).toBe(0)
  })

  test('the page of a sandbox has them for its token alone, and leads to calls', async () => {
    const { sandbox, token: controlToken, path, url } = await startSandbox()
    await fillSandbox({ ...sandbox, controlToken })
    const other = await sandbox.world({ teamId: 'other' })
    onTestFinished(() => other.close())
    const read = async (token: string, world = '') => {
      const response = await fetch(`${path}figures${world}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: response.status, text: await response.text() }
    }
    expect(await read('wrong')).toMatchObject({ status: 401 })
    expect(await read(controlToken, '?world=unknown')).toMatchObject({ status: 401 })
    expect((await read(controlToken)).text).toContain('6 calls')
    expect((await read(controlToken, '?world=other')).text).toContain('No calls yet.')
    const { page } = await openBrowser()
    await page.goto(`${url}&view=figures`)
    await page.getByText(/^6 calls · /).waitFor()
    await page.locator('#figures [data-call]').first().click()
    await page.locator('#timeline svg.timeline').waitFor()
  })
})
