import { describe, expect, onTestFinished, test } from 'vitest'
import { openSandboxPage } from '../../src/watch/index.ts'
import { startTestSandbox } from '../sandbox/start-test-sandbox.ts'
import { contrastProblems, layoutProblems, printProblems } from './page-layout.ts'
import {
  fillSandbox,
  fillTail,
  sandboxStates,
  startReceiver,
  tailStates,
  visitStates,
} from './page-states.ts'
import { browserMissing, openBrowser, openWatchedTail, shoot } from './watch-browser.ts'

describe.skipIf(browserMissing)(
  'every view and state of the pages, at 360, 800 and 1280 px, light and dark',
  () => {
    test('the page of a tail', { timeout: 600_000 }, async () => {
      const receiver = await startReceiver()
      onTestFinished(async () => void (await receiver.close()))
      const targets = [{ url: receiver.url, type: undefined, headers: {} }]
      const tail = await openWatchedTail({ targets, forwards: true })
      await fillTail(tail.tail.url)
      const shown = { url: tail.pageUrl, states: tailStates, stop: tail.close }
      expect(await problemsOf('tail', shown)).toEqual({})
    })

    test('the page of a sandbox', { timeout: 600_000 }, async () => {
      const page = await openSandboxPage({
        command: 'callwright call start --from +12025550100 --to +12025550123',
        pageCommand: 'callwright sandbox start --ui',
      })
      const sandbox = await startTestSandbox({ caller: 'live', page })
      const { controlToken = '' } = sandbox
      const receiver = await startReceiver()
      onTestFinished(async () => void (await receiver.close()))
      await fillSandbox({ ...sandbox, controlToken }, receiver.url)
      const url = `${sandbox.baseUrl}${page.path}#token=${controlToken}`
      expect(await problemsOf('sandbox', { url, states: sandboxStates, stop: sandbox.close })).toEqual({})
    })

    test('the checks notice what they are for', async () => {
      const { page } = await openBrowser({ viewport: { width: 360, height: 740 } })
      await page.setContent(`<!doctype html><html lang="en"><title>Bad</title><style>
      .view { width: 20rem } button { outline: none !important } .high { height: 5rem; color: #ccc }
      .narrow { width: 2rem; overflow-wrap: anywhere } .empty { break-before: page; height: 10px }</style>
      <main class="view"><h1>Title</h1><p style="margin-left: 9px">Moved</p><button class="high">High</button>
      <p class="narrow">Assistants</p><div style="width: 500px">Wide</div><div class="empty"></div></main>`)
      const problems = (await layoutProblems(page)).join('\n')
      for (const part of [
        'sideways',
        'begins at',
        'px high',
        'breaks "Assistants"',
        'shows no focus',
        'axe color-contrast',
      ])
        expect(problems).toContain(part)
      expect(await printProblems(page)).toEqual(['printed page 2 of 2 is empty'])
    })
  },
)

/** Problems by state, width and theme. */
async function problemsOf(kind: string, shown: Parameters<typeof visitStates>[1]) {
  const found: Record<string, string[]> = {}
  const { page } = await openBrowser()
  await visitStates(page, shown, async (state, width, colorScheme) => {
    const key = `${kind}-${state}-${width}-${colorScheme}`
    await shoot(page, key)
    // Colors depend on the theme alone, and what is printed on neither.
    const problems = await (colorScheme === 'light' ? layoutProblems(page) : contrastProblems(page))
    if (width === 360 && colorScheme === 'dark') problems.push(...(await printProblems(page)))
    if (problems.length > 0) found[key] = problems
  })
  return found
}
