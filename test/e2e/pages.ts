import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openSandboxFigures } from '../../src/cli/commands/sandbox/page-figures.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { openBatchPage, openSandboxPage } from '../../src/web/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { startTestSandbox } from '../helpers/test-sandbox.ts'
import { filledBatch } from './batch-states.ts'
import { openBrowser, openTailWithPage } from './browser.ts'

export type PageOptions = Parameters<typeof openBrowser>[0]

/** The page of a tail. */
export async function openTail(
  tailOptions: Parameters<typeof openTailWithPage>[0] = {},
  options: PageOptions = {},
) {
  const tail = await openTailWithPage(tailOptions)
  return { ...tail, ...(await openPage(tail.pageUrl, options)) }
}

/** Starts a sandbox that has a page. Returns its URL, including the token. */
export async function startSandbox(options: Parameters<typeof startTestSandbox>[0] = {}) {
  let running: Sandbox | undefined
  const servedPage = await openSandboxPage({
    figures: await openSandboxFigures(() => running),
    command: 'callyard call start --from +12025550100 --to +12025550123',
    pageCommand: 'callyard sandbox start --ui',
  })
  const sandbox = await startTestSandbox({ caller: 'live', page: servedPage, ...options })
  running = sandbox
  const token = sandbox.controlToken ?? ''
  const path = `${sandbox.baseUrl}${servedPage.path}`
  return { sandbox, token, path, url: `${path}#token=${token}` }
}

/** The page of a sandbox whose caller is the reader. */
export async function openSandbox(
  options: Parameters<typeof startTestSandbox>[0] = {},
  browser: PageOptions = {},
) {
  const started = await startSandbox(options)
  return { ...started, ...(await openPage(started.url, browser)) }
}

/** The page of a batch run. */
export async function openBatch(batch = filledBatch(), options: PageOptions = {}) {
  const { url, close } = await openBatchPage({ feed: batch, clock: realClock, pageCommand: batchCommand })
  onTestFinished(close)
  return { batch, close, ...(await openPage(url, { timezoneId: 'UTC', ...options })) }
}

export const batchCommand = 'callyard batch run reminders --ui'

/** Opens a page, and waits until it is connected. */
export async function openPage(url: string, options: PageOptions = {}) {
  const opened = await openBrowser(options)
  const { page } = opened
  await page.goto(url)
  await isConnected(page)
  return {
    ...opened,
    log: page.getByRole('log', { name: 'Transcript' }),
    /** A row of the list of calls, by the beginning of its name. */
    row: (name: string) => page.getByRole('option', { name: new RegExp(`^${name}`) }),
    rows: page.getByRole('listbox', { name: 'Calls' }).getByRole('option'),
    events: page.getByRole('list', { name: 'Raw events' }),
    /** The buttons of the events of a type. */
    eventsOf: (type: string) => page.getByRole('button', { name: new RegExp(`^${type}`) }),
  }
}

/** Waits for the state of the connection that the page reports. */
export function isConnected(page: Page, state = 'Connected'): Promise<void> {
  return page.getByRole('status').filter({ hasText: state }).waitFor()
}
