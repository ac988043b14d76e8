import type { Access } from '../../../files/access/index.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { dim, join, type Text, text } from '../../../lib/text/text.ts'

const rows = [
  ['variables', 'environment'],
  ['files', 'files'],
  ['outsideFiles', 'files outside'],
  ['commands', 'commands'],
  ['hosts', 'hosts'],
] as const satisfies readonly (readonly [keyof Access, string])[]

const labelWidth = Math.max(...rows.map(([, label]) => label.length))

/** Lists what files use, below a heading. */
export function usesText(access: Access): Text {
  return join(['The files use', renderAccess(access)])
}

/** One line for each kind of what files use, and for each command; kinds without any are left out. */
export function renderAccess(access: Access): Text {
  return join(
    rows.flatMap(([kind, label]) => {
      const words = access[kind].map(oneLine)
      const lines = kind === 'commands' || words.length === 0 ? words : [words.join(', ')]
      return lines.map(
        (line, index) => text`  ${dim((index === 0 ? label : '').padEnd(labelWidth))}  ${line}`,
      )
    }),
  )
}
