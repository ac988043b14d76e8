/** Pages in a browser for a tail, a sandbox and a batch: the server, the code of the page, and their protocol. */
import type { Clock } from '../lib/clock.ts'
import type { BatchFeed } from './batch-wire.ts'
import type { PageAssets, SandboxFigures, SandboxPage } from './server/page-http.ts'
import type { OpenedPage } from './server/page-listener.ts'
import type { TailPage, TailPageOptions } from './server/tail-page.ts'

/**
 * The page of a tail, on the tail's own listener; that of a sandbox, on its server; and that of a batch, on a listener of its own. What
 * they consist of is loaded when one is opened.
 */
export type { BatchFeed, BatchPause, BatchRow, BatchSummary } from './batch-wire.ts'
export type { CurrentRules } from './server/batches.ts'
export type { PageFigures } from './server/call-figures.ts'
export { isPageName, type SandboxFigures, type SandboxPage } from './server/page-http.ts'
export type { PageHints } from './wire.ts'

export async function openPage(options: Omit<TailPageOptions, 'assets'>): Promise<TailPage> {
  const [{ createTailPage }, script, style, ...views] = await Promise.all([
    import('./server/tail-page.ts'),
    import('./page/main.ts?browser'),
    loadStyle(options.figures.style),
    import('./page/tail.html?text'),
    import('./page/calls.html?text'),
    import('./page/figures.html?text'),
  ])
  const texts = { pageCommand: options.hints.pageCommand, failedKey: failedCallsKey }
  const html = await loadHtml(
    views.map(view => view.default),
    texts,
  )
  return createTailPage({ ...options, assets: { html, script: script.default, style } })
}

/** Serves the page of a tail without a listener of its own, on a free loopback port. */
export async function openTailPageListener(
  page: TailPage,
  { clock }: { readonly clock: Clock },
): Promise<OpenedPage> {
  const { listenWithPage } = await import('./server/page-listener.ts')
  return listenWithPage({ ...page, close: async () => page.close() }, { port: 0, clock })
}

/** `command` is the line that places a call, `pageCommand` the one that opens this page. */
export async function openSandboxPage({
  figures,
  ...commands
}: {
  readonly command: string
  readonly pageCommand: string
  readonly figures: SandboxFigures
}): Promise<SandboxPage> {
  const [{ createSandboxPage }, script, style, ...views] = await Promise.all([
    import('./server/page-http.ts'),
    import('./page/sandbox/main.ts?browser'),
    loadStyle(figures.style),
    import('./page/calls.html?text'),
    import('./page/figures.html?text'),
    import('./page/sandbox/views.html?text'),
    import('./page/batch/batch.html?text'),
  ])
  const html = await loadHtml(
    views.map(view => view.default),
    { ...commands, failedKey: failedCallsKey },
  )
  return createSandboxPage({ html, script: script.default, style }, figures.load)
}

export interface BatchPageOptions {
  readonly feed: BatchFeed
  readonly clock: Clock
  /** The command that opens the page. */
  readonly pageCommand: string
  /** Default: a free one. */
  readonly port?: number | undefined
}

/**
 * Opens the page of a running batch on a loopback listener of its own, which does not keep the process alive. Its `url` is secret.
 * `close` tells open pages that the run has ended; they keep the last state.
 * @throws CallyardError `conflict` if the port is in use, `usage` if it cannot be listened on
 */
export async function openBatchPage(options: BatchPageOptions): Promise<OpenedPage> {
  const { feed, clock, pageCommand, port = 0 } = options
  const [{ createBatchPage }, { listenWithPage }, view, script, style] = await Promise.all([
    import('./server/batch-page.ts'),
    import('./server/page-listener.ts'),
    import('./page/batch/batch.html?text'),
    import('./page/batch/main.ts?browser'),
    loadStyle(''),
  ])
  const html = await loadHtml([view.default], { pageCommand, failedKey: 'Show failed people only, or all' })
  const assets: PageAssets = { html, script: script.default, style }
  return listenWithPage(createBatchPage({ feed, clock, assets }), { port, clock })
}

const failedCallsKey = 'Show failed calls only, or all'

/** Returns the shell of all pages with these views. */
async function loadHtml(views: readonly string[], texts: Readonly<Record<string, string>>): Promise<string> {
  const { default: shell } = await import('./page/page.html?text')
  return fillIn(
    shell.replace('<!-- views -->', () => views.join('')),
    texts,
  )
}

/** Returns the style of all pages, with that of figures. */
async function loadStyle(ofFigures: string): Promise<string> {
  const styles = await Promise.all([
    import('./page/page.css?text'),
    import('./page/batch/batch.css?text'),
    import('../events/transcript/timeline.css?text'),
  ])
  return styles.map(style => style.default).join('') + ofFigures
}

/** Replaces `{name}` by a text. */
function fillIn(html: string, texts: Readonly<Record<string, string>>): string {
  return html.replace(/\{(\w+)\}/g, (whole, name: string) => escapeHtml(texts[name] ?? whole))
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
