/** A plugin for rolldown and for vite. */
export function browserPage(onBundled?: (moduleIds: readonly string[]) => void): {
  readonly name: string
  readonly enforce: 'pre'
  resolveId(source: string, importer: string | undefined): string | undefined
  load(id: string): Promise<{ code: string; moduleType: 'js' } | undefined>
}
