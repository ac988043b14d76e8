import type { Watch, WatchOptions } from './server/create-watch.ts'
import type { SandboxPage } from './server/page-http.ts'

/**
 * The page of a tail, on the tail's own listener, and that of a sandbox, on its server. What they consist of is loaded when one is
 * opened.
 */
export { isPageName, type SandboxPage } from './server/page-http.ts'
export type { PageHints } from './wire.ts'

export async function openPage(options: Omit<WatchOptions, 'assets'>): Promise<Watch> {
  const [{ createWatch }, calls, script, style] = await Promise.all([
    import('./server/create-watch.ts'),
    import('./page/calls.html?text'),
    import('./page/main.ts?browser'),
    loadStyle(),
  ])
  const texts = { pageCommand: options.hints.pageCommand, failedKey: failedCallsKey }
  const html = await loadHtml([calls.default], texts)
  return createWatch({ ...options, assets: { html, script: script.default, style } })
}

/** `command` is the line that places a call, `pageCommand` the one that opens this page. */
export async function openSandboxPage(commands: {
  readonly command: string
  readonly pageCommand: string
}): Promise<SandboxPage> {
  const [{ createSandboxPage }, script, style, ...views] = await Promise.all([
    import('./server/page-http.ts'),
    import('./page/sandbox/main.ts?browser'),
    loadStyle(),
    import('./page/calls.html?text'),
    import('./page/sandbox/views.html?text'),
  ])
  const html = await loadHtml(
    views.map(view => view.default),
    { ...commands, failedKey: failedCallsKey },
  )
  return createSandboxPage({ html, script: script.default, style })
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

async function loadStyle(): Promise<string> {
  const styles = await Promise.all([
    import('./page/page.css?text'),
    import('../transcript/timeline.css?text'),
  ])
  return styles.map(style => style.default).join('')
}

/** Replaces `{name}` by a text. */
function fillIn(html: string, texts: Readonly<Record<string, string>>): string {
  return html.replace(/\{(\w+)\}/g, (whole, name: string) => escapeHtml(texts[name] ?? whole))
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
