import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTestFigures } from '../../src/cli/commands/scenario/read-figures.ts'
import { testsPage } from '../../src/cli/shell/ci-reports/conversations-html.ts'
import { renderDocument } from '../../src/events/transcript/index.ts'
import { paint } from '../../src/lib/text/text.ts'
import { openBatchPage } from '../../src/web/index.ts'
import { everyCase } from '../helpers/every-case.ts'
import { realClock } from '../helpers/real-clock.ts'
import { readTranscripts, recorded, stream } from '../helpers/recordings.ts'
import { triggeredCall } from '../helpers/triggered-events.ts'
import { madeResult, madeTurn } from '../scenario/made-results.ts'
import { batchStates, filledBatch, waitForPeople } from './batch-states.ts'
import { isShot, openBrowser, openTailWithPage, shoot } from './browser.ts'
import { accessibilityProblems, contrastProblems, layoutProblems, printProblems } from './page-layout.ts'
import {
  type ColorScheme,
  colorSchemes,
  fillSandbox,
  fillTail,
  sandboxStates,
  shownRules,
  startReceiver,
  tailStates,
  visitStates,
  widths,
} from './page-states.ts'
import { batchCommand, startSandbox } from './pages.ts'

describe('pages at 360, 800 and 1280 px, light and dark', { tags: 'chromium' }, () => {
  test('every state of the tail’s page', { timeout: 600_000 }, async () => {
    const receiver = await startReceiver()
    onTestFinished(async () => void (await receiver.close()))
    const targets = [{ url: receiver.url, type: undefined, headers: {} }]
    const tail = await openTailWithPage({ targets, forwards: true, rules: () => shownRules })
    await fillTail(tail.tail.url)
    const shown = { url: tail.pageUrl, states: tailStates, stop: tail.close }
    expect(await problemsOf('tail', shown)).toEqual({})
  })

  test('every state of the sandbox page', { timeout: 600_000 }, async () => {
    const { sandbox, token: controlToken, url } = await startSandbox()
    const receiver = await startReceiver()
    onTestFinished(async () => void (await receiver.close()))
    await fillSandbox({ ...sandbox, controlToken }, receiver.url)
    expect(await problemsOf('sandbox', { url, states: sandboxStates, stop: sandbox.close })).toEqual({})
  })

  test('every state of the page of a batch', { timeout: 600_000 }, async () => {
    const batch = filledBatch()
    const page = await openBatchPage({
      feed: batch,
      clock: realClock,
      pageCommand: batchCommand,
    })
    onTestFinished(page.close)
    const shown = { url: page.url, states: batchStates(batch), stop: page.close, beforeStop: waitForPeople }
    expect(await problemsOf('batch', shown)).toEqual({})
  })

  test('the documents of calls and tests', async () => {
    const events = [3, 14].flatMap(messages => triggeredCall(messages, `CC-${messages}`))
    const transcripts = await readTranscripts(stream(recorded(...events)))
    const render = (calls: typeof transcripts.calls) =>
      paint(renderDocument(calls, { format: 'html', width: 80 }), { color: false })
    const results = failedAndPassed()
    const documents = {
      'all-calls': render(transcripts.calls),
      'one-call': render(transcripts.calls.slice(1)),
      tests: testsPage({ results, figures: await readTestFigures(results), startedAt: 0 }),
    }
    const { page } = await openBrowser()
    const found: Record<string, string[]> = {}
    for (const [name, html] of Object.entries(documents)) {
      await page.goto('about:blank')
      await page.setContent(html)
      for (const colorScheme of colorSchemes) {
        await page.emulateMedia({ colorScheme })
        for (const width of widths) {
          await page.setViewportSize({ width, height: 740 })
          await shoot(page, `document-${name}-${width}-${colorScheme}`)
          found[`${name}-${width}-${colorScheme}`] = await problemsIn(page, width, colorScheme)
        }
      }
      found[name] = await printProblems(page)
    }
    expect(Object.fromEntries(Object.entries(found).filter(([, { length }]) => length > 0))).toEqual({})
  })

  test('the checks find the problems they look for', async () => {
    const { page } = await openBrowser({ viewport: { width: 360, height: 740 } })
    await page.setContent(`<!doctype html><html lang="en"><title>Bad</title><style>
      .view { width: 20rem } button { outline: none !important } .high { height: 5rem; color: #ccc }
      .narrow { width: 2rem; overflow-wrap: anywhere } .cut { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
      .empty { break-before: page; height: 10px }</style>
      <main class="view"><h1>Title</h1><p style="margin-left: 9px">Moved</p><button class="high">High</button>
      <p class="narrow">Assistants</p><p class="cut">${'مكتب الاستقبال '.repeat(9)}</p><div style="width: 500px">Wide</div><div class="empty"></div></main>`)
    const problems = [...(await layoutProblems(page)), ...(await accessibilityProblems(page))].join('\n')
    for (const part of [
      'sideways',
      'is cut at its beginning',
      'begins at',
      'px high',
      'breaks "Assistants"',
      'shows no focus',
      'axe color-contrast',
    ])
      expect(problems).toContain(part)
    expect(await printProblems(page)).toEqual(['printed page 2 of 2 is empty'])
  })
})

/** Problems by state, width and theme. */
async function problemsOf(kind: string, shown: Parameters<typeof visitStates>[1]) {
  const found: Record<string, string[]> = {}
  const { page } = await openBrowser({ mayComplain: true })
  const isVisited = (width: number, colorScheme: ColorScheme) =>
    isShot || checksOf(width, colorScheme).length > 0
  await visitStates(page, { isVisited, ...shown }, async (state, width, colorScheme) => {
    const key = `${kind}-${state}-${width}-${colorScheme}`
    await shoot(page, key)
    const problems = await problemsIn(page, width, colorScheme)
    // What is printed depends on neither.
    if (width === 360 && colorScheme === 'dark') problems.push(...(await printProblems(page)))
    if (problems.length > 0) found[key] = problems
  })
  return found
}

async function problemsIn(page: Page, width: number, colorScheme: ColorScheme): Promise<string[]> {
  const found: string[] = []
  for (const problems of checksOf(width, colorScheme)) found.push(...(await problems(page)))
  return found
}

/**
 * The layout depends on the width, colors on the theme. Names and roles depend on neither: axe runs on the widest page.
 * `npm run attack -- cases` checks everything at each width.
 */
function checksOf(width: number, colorScheme: ColorScheme): readonly ((page: Page) => Promise<string[]>)[] {
  const isNarrowest = width === Math.min(...widths)
  const isWidest = width === Math.max(...widths)
  if (colorScheme === 'dark') return everyCase || isNarrowest ? [contrastProblems] : []
  const layout = everyCase || isNarrowest || isWidest ? [layoutProblems] : []
  return everyCase || isWidest ? [...layout, accessibilityProblems] : layout
}

function failedAndPassed() {
  const tool = { id: '1', name: 'look_up', arguments: { day: 'Friday' }, content: '{"ok":true}' }
  const turns = [
    madeTurn(undefined, 'Hello'),
    madeTurn('When are you open?', 'We are open from nine to six', {
      tools: [{ ...tool, from: Date.UTC(2026, 0, 1), until: Date.UTC(2026, 0, 1) + 1500 }],
    }),
  ]
  const failure = {
    code: 'not-exactly' as const,
    details: { text: 'We are open from ten to six', messages: turns[1]?.messages ?? [] },
    location: { file: 'tests/hours.test.yaml', path: ['turns', 0], position: { line: 9, column: 15 } },
    turn: 1,
  }
  const spoken = ['Hello', 'When are you open?', 'We are open from nine to six'].map((text, index) => ({
    ...{ messageId: `m${index}`, role: index === 1 ? ('user' as const) : ('assistant' as const), text },
    timestamp: new Date(Date.UTC(2026, 0, 1) + index * 8000).toISOString(),
  }))
  const record = { messages: spoken, startAt: '2026-01-01T00:00:00.000Z', endAt: '2026-01-01T00:00:20.000Z' }
  const failed = madeResult(turns, { status: 'failed', record })
  return [
    { ...failed, attempts: failed.attempts.map(attempt => ({ ...attempt, failures: [failure] })) },
    madeResult(turns, { record }),
  ]
}
