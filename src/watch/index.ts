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
    import('./page/page.css?text'),
  ])
  const assets = { html: html.default, script: script.default, style: style.default }
  return createWatch({ ...options, assets })
}

/** `command` is the line that places a call. */
export async function openSandboxPage({ command }: { readonly command: string }): Promise<SandboxPage> {
  const [{ createSandboxPage }, html, views, script, style] = await Promise.all([
    import('./server/page-http.ts'),
    import('./page/page.html?text'),
    import('./page/sandbox/views.html?text'),
    import('./page/sandbox/main.ts?browser'),
    import('./page/page.css?text'),
  ])
  const own = views.default.replace('{command}', () => escapeAttribute(command))
  return createSandboxPage({
    html: html.default.replace('<!-- views -->', () => own),
    script: script.default,
    style: style.default,
  })
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
