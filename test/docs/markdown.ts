import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { glob } from 'tinyglobby'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Paths from the root of the repository, in order. */
export async function filesOf(...patterns: readonly string[]): Promise<string[]> {
  const ignore = ['**/node_modules/**', 'dist/**', '.bundled-*/**']
  return (await glob([...patterns], { cwd: root, dot: true, ignore })).sort()
}

export function textOf(path: string): Promise<string> {
  return readFile(join(root, path), 'utf8')
}

/** Text outside fenced blocks. */
export function proseOf(markdown: string): string {
  return markdown.replace(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, '')
}

/** The texts of the headings, in order. */
export function headingsOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, text = '']) => text)
}

/** The anchors of the headings as GitHub makes them; the second heading of a text gets `-1`. */
export function anchorsOf(markdown: string): Set<string> {
  const used = new Map<string, number>()
  return new Set(
    headingsOf(markdown).map(heading => {
      const anchor = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
        .replace(/\s/g, '-')
      const count = used.get(anchor) ?? 0
      used.set(anchor, count + 1)
      return count === 0 ? anchor : `${anchor}-${count}`
    }),
  )
}

export interface Fence {
  /** The first word behind the backticks, such as `sh`. */
  readonly language: string
  /** Text after the language, which tells the test how to treat the example (docs/README.md). */
  readonly mark: string
  readonly body: string
}

/** The fenced blocks, in order. */
export function fencesOf(markdown: string): Fence[] {
  return [...markdown.matchAll(/^```(\w+) *([^\n]*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', mark = '', body = '']) => ({ language, mark, body }),
  )
}

/** README.md and the guides: what a person reads and copies from. */
export function guides(): Promise<string[]> {
  return filesOf('README.md', 'docs/*.md')
}
