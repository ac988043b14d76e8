import type { Watch, WatchOptions } from './server/create-watch.ts'

/** The page of a tail, on the tail's own listener. What it consists of is loaded when one is opened. */
export { isPageName } from './server/page-guard.ts'

export async function openPage(options: Omit<WatchOptions, 'assets'>): Promise<Watch> {
  const [{ createWatch }, { pageAssets }] = await Promise.all([
    import('./server/create-watch.ts'),
    import('./server/page-assets.ts'),
  ])
  return createWatch({ ...options, assets: pageAssets })
}
