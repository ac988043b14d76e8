import { oneLine } from '../../lib/text/escape.ts'
import { dim, join, type Text, text } from '../../lib/text/text.ts'
import type { Access } from '../../project/index.ts'

const rows = [
  ['variables', 'environment'],
  ['files', 'files'],
  ['outsideFiles', 'files outside'],
  ['hosts', 'hosts'],
] as const satisfies readonly (readonly [keyof Access, string])[]

const labelWidth = Math.max(...rows.map(([, label]) => label.length))

/** What files use, below a line that says so. */
export async function usesText(access: Access, width: number): Promise<Text> {
  return join(['The files use', await renderAccess(access, width)], '\n')
}

/** One line for each kind of what files use, wrapped under itself; kinds without any are left out. */
export async function renderAccess(access: Access, width: number): Promise<Text> {
  const lines: Text[] = []
  for (const [kind, label] of rows) {
    const words = access[kind].map(oneLine).join(', ')
    if (words !== '') lines.push(await line(text`  ${dim(label.padEnd(labelWidth))}  `, words, width))
  }
  return join(lines, '\n')
}

/** Loading what measures text takes longer than a check of a file: plain words that fit need none of it. */
async function line(margin: Text, words: string, width: number): Promise<Text> {
  const indent = labelWidth + 4
  if (indent + words.length <= width && /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(words)) return [margin, words]
  const { hang, plain } = await import('../../lib/text/layout.ts')
  return hang(margin, indent, words, width, plain)
}
