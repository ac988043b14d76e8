import type { Watch, WatchOptions } from './server/create-watch.ts'

/** The page of a tail, on the tail's own listener. What it consists of is loaded when one is opened. */
export { isPageName } from './server/page-http.ts'
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
