import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { pageHints } from '../../src/cli/commands/webhook/open-sinks.ts'
import { loadSectionsStyle } from '../../src/cli/shell/call-figures/sections.ts'
import { loadForwarder } from '../../src/events/forward/index.ts'
import { openPage } from '../../src/web/index.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { type HttpTail, openHttpTail } from '../helpers/http-tail.ts'
import { chromiumPath } from '../helpers/programs.ts'
import { realClock } from '../helpers/real-clock.ts'
import { testContext } from '../helpers/test-context.ts'
import { pageFigures } from '../web/page-figures.ts'

export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
}

export interface BrowserOptions extends BrowserContextOptions {
  /** Runs before the scripts of the page. */
  readonly script?: string
  /** The page may write errors and warnings to the console, as it does without its server. */
  readonly mayComplain?: boolean
}

let browser: Promise<Browser> | undefined

/**
 * A page in a browser context of its own, which is closed when the test ends. The test fails if the page wrote an error, a warning
 * or a violation of its policy to the console. The tests of a worker share one browser, which ends with the worker.
 */
export async function openBrowser({
  script,
  mayComplain = false,
  ...options
}: BrowserOptions = {}): Promise<OpenedPage> {
  browser ??= launchBrowser()
  const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const complaints: string[] = []
  onTestFinished(async () => {
    await context.close()
    if (!mayComplain) expect(complaints).toEqual([])
  })
  // The only timeout is that of the test; this one says what was missing.
  context.setDefaultTimeout(55_000)
  const page = await context.newPage()
  if (script !== undefined) await page.addInitScript(script)
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  page.on('dialog', dialog => complaints.push(`dialog: ${dialog.message()}`))
  return { page, context }
}

/** Launches the browser of a worker. It outlives the test file, and so do its profile and its artifacts. */
async function launchBrowser(): Promise<Browser> {
  const { TMPDIR, CALLYARD_TESTS_FOLDER } = process.env
  process.env.TMPDIR = CALLYARD_TESTS_FOLDER
  const launched = chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return launched.finally(() => {
    process.env.TMPDIR = TMPDIR
  })
}

type WatchOptions = Parameters<typeof openPage>[0]

export interface TailWithPage {
  readonly tail: HttpTail
  readonly tailPage: Awaited<ReturnType<typeof openPage>>
  readonly pageUrl: string
  post(event: unknown): Promise<void>
  close(): Promise<void>
}

/** A tail with its page, on a free port of this machine or a given one. */
export async function openTailWithPage(
  options: Partial<WatchOptions> & {
    readonly port?: number
    /** Forwards events to the targets, too. */
    readonly forwards?: boolean
  } = {},
): Promise<TailWithPage> {
  const { port = 0, forwards = false, ...more } = options
  const hints = pageHints(more.requiredHeader, testContext())
  const figures = { ...pageFigures, style: await loadSectionsStyle() }
  const tailPage = await openPage({ clock: realClock, targets: [], hints, figures, ...more })
  const forwarder = forwards ? await openForwarderTo(more.targets ?? []) : undefined
  const listening = { host: '127.0.0.1', port, path: '/', clock: realClock }
  const tail = await openHttpTail({ ...listening, watcher: tailPage, forwarder })
  const close = async () => {
    tailPage.close()
    await tail.close()
    await forwarder?.close(0)
  }
  onTestFinished(close)
  void drain(tail)
  return {
    tail,
    tailPage,
    pageUrl: new URL(tailPage.path, tail.url).href,
    async post(event) {
      const answer = await fetch(tail.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof event === 'string' ? event : JSON.stringify(event),
      })
      if (answer.status !== 200) throw new Error(`the tail answered ${answer.status}`)
      await answer.text()
    },
    close,
  }
}

async function openForwarderTo(targets: WatchOptions['targets']) {
  const { openForwarder } = await loadForwarder()
  const forwarder = await openForwarder({
    targets,
    folder: join(await temporaryFolder(), 'waiting'),
    onlyNew: false,
    resume: false,
    timeout: 10_000,
    clock: realClock,
    onEvent() {},
  })
  forwarder.start()
  return forwarder
}

async function drain({ events }: HttpTail): Promise<void> {
  for await (const _ of events);
}

/** Texts and attributes of the page; lone surrogates would not survive the way here, so they are counted there. */
export function everyText(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const texts = [document.title, document.body.textContent,
      ...[...document.querySelectorAll('*')].flatMap(part => [...part.attributes].map(({ value }) => value))].join(' ')
    return texts.isWellFormed() ? texts : '\\u0000 a lone surrogate'
  })()`)
}

export const harmlessPage =
  /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/

export function hasFocus(part: Locator): Promise<boolean> {
  return part.evaluate(element => element === element.ownerDocument.activeElement)
}

/** Presses Tab until this part has the focus. It is looked up once, and again when the page replaces it. */
export async function tabTo(page: Page, part: Locator): Promise<void> {
  await part.waitFor()
  const lookUp = () => part.evaluateHandle(element => element)
  let target = await lookUp()
  for (let presses = 0; presses < 80; presses++) {
    const { isFocused, isConnected } = await target.evaluate(element => ({
      isFocused: element === element.ownerDocument.activeElement,
      isConnected: element.isConnected,
    }))
    if (isFocused) return
    if (isConnected) await page.keyboard.press('Tab')
    else target = await lookUp()
  }
  throw new Error(`Tab does not lead to ${part}`)
}

const shotsFolder = process.env.CALLYARD_SHOTS ?? ''
export const isShot = shotsFolder !== ''

/** For a person to look at, where a folder for it is given. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (isShot) await page.screenshot({ path: join(shotsFolder, `${name}.png`) })
}
