import type { Watch, WatchOptions } from './server/create-watch.ts'
import type { SandboxPage } from './server/page-http.ts'

/**
 * The page of a tail, on the tail's own listener, and that of a sandbox, on its server. What they consist of is loaded when one is
 * opened.
 */
export { isPageName, type SandboxPage } from './server/page-http.ts'
export type { PageHints } from './wire.ts'

export async function openPage(options: Omit<WatchOptions, 'assets'>): Promise<Watch> {
  const [{ createWatch }, html, script, style] = await Promise.all([
    import('./server/create-watch.ts'),
    import('./page/page.html?text'),
    import('./page/main.ts?browser'),
    loadStyle(),
  ])
  const assets = {
    html: fillIn(html.default, { pageCommand: options.hints.pageCommand }),
    script: script.default,
    style,
  }
  return createWatch({ ...options, assets })
}

/** `command` is the line that places a call, `pageCommand` the one that opens this page. */
export async function openSandboxPage(commands: {
  readonly command: string
  readonly pageCommand: string
}): Promise<SandboxPage> {
  const [{ createSandboxPage }, html, views, script, style] = await Promise.all([
    import('./server/page-http.ts'),
    import('./page/page.html?text'),
    import('./page/sandbox/views.html?text'),
    import('./page/sandbox/main.ts?browser'),
    loadStyle(),
  ])
  return createSandboxPage({
    html: fillIn(
      html.default.replace('<!-- views -->', () => views.default),
      commands,
    ),
    script: script.default,
    style,
  })
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
