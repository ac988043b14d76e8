import { oneLine } from '../../lib/text/escape.ts'
import { hang, plain } from '../../lib/text/layout.ts'
import { dim, join, type Text, text } from '../../lib/text/text.ts'
import type { Access } from '../../project/index.ts'

const rows = [
  ['variables', 'environment'],
  ['outsideFiles', 'files outside'],
  ['hosts', 'hosts'],
] as const satisfies readonly (readonly [keyof Access, string])[]

const labelWidth = Math.max(...rows.map(([, label]) => label.length))

/** What files use, below a line that says so. */
export function usesText(access: Access, width: number): Text {
  return join(['The files use', renderAccess(access, width)], '\n')
}

/** One line for each kind of what files use, wrapped under itself; kinds without any are left out. */
export function renderAccess(access: Access, width: number): Text {
  const lines = rows.flatMap(([kind, label]) => {
    const items = access[kind]
    if (items.length === 0) return []
    const margin = text`  ${dim(label.padEnd(labelWidth))}  `
    return [hang(margin, labelWidth + 4, items.map(oneLine).join(', '), width, plain)]
  })
  return join(lines, '\n')
}
