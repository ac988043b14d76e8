import { structuredPatch } from 'diff'
import { excerpt, hang, plain } from './layout.ts'
import { dim, green, join, red, type Text } from './text.ts'

interface DiffLayout {
  /** Columns. */
  readonly width: number
  /** Columns in front of every line. */
  readonly indent: number
  /** Lines around a change that are shown with it. */
  readonly context: number
}

/** Texts with more differing lines are shown as replaced as a whole: telling them apart would take too long. */
const maxEdits = 2000
const maxLines = 200

/** Two texts as the lines that differ, with a little around them; long lines wrap under themselves. */
export function renderLineDiff(before: string, after: string, layout: DiffLayout): Text {
  const lines = diffLines(before, after, layout.context)
  const visibleLines = lines.slice(0, maxLines).map(line => renderLine(line, layout))
  const left = lines.length - visibleLines.length
  const more = left === 0 ? [] : [aside(`and ${left} more lines (--json shows all)`, layout)]
  return join([...visibleLines, ...more])
}

/** Each line with `-`, `+` or a blank in front, with so many lines around a change; `⋮` where lines that both have are left out. Long lines are cut around what differs. */
export function diffLines(before: string, after: string, context: number): string[] {
  // That a text has no newline at its end is worth a line only where the other one has.
  const alike = before === '' || after === '' || before.endsWith('\n') === after.endsWith('\n')
  const [old, now] = alike ? [withNewline(before), withNewline(after)] : [before, after]
  const patch = structuredPatch('', '', old, now, undefined, undefined, {
    context,
    maxEditLength: maxEdits,
  })
  if (patch === undefined) return shortenContext([...linesOf('-', before), ...linesOf('+', after)])
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 || context === 0 ? [] : [gap]),
    ...shortenContext(lines),
  ])
}

const gap = '⋮'

function withNewline(words: string): string {
  return words === '' || words.endsWith('\n') ? words : `${words}\n`
}

function linesOf(sign: string, words: string): string[] {
  return words.split('\n').map(line => `${sign}${line}`)
}

/** A line that was removed and the one added in its place are cut around what differs; other long ones at their end. */
function shortenContext(lines: readonly string[]): string[] {
  const result: string[] = []
  for (let start = 0; start < lines.length; ) {
    const removed = runOf('-', lines, start)
    const added = runOf('+', lines, start + removed.length)
    const pairs = removed.map((line, index) => isSmallPair(line.slice(1), added[index]?.slice(1) ?? ''))
    for (const [before] of pairs) result.push(`-${before}`)
    for (const [index, line] of added.entries())
      result.push(`+${pairs[index]?.[1] ?? isSmallPair('', line.slice(1))[1]}`)
    start += removed.length + added.length
    const line = lines[start]
    if (line === undefined || line.startsWith('-') || line.startsWith('+')) continue
    result.push(`${line.slice(0, 1)}${isSmallPair('', line.slice(1))[1]}`)
    start += 1
  }
  return result
}

function runOf(sign: string, lines: readonly string[], start: number): string[] {
  const rest = lines.slice(start)
  const end = rest.findIndex(line => !line.startsWith(sign))
  return end === -1 ? rest : rest.slice(0, end)
}

function renderLine(line: string, layout: DiffLayout): Text {
  const sign = line.slice(0, 1)
  const words = line.slice(1)
  if (sign === gap) return aside(gap, layout)
  if (sign === '\\') return aside(`(${words.trim().toLowerCase()})`, layout)
  if (sign === ' ' && words.trim() === '') return ''
  const style = sign === '-' ? red : sign === '+' ? green : plain
  const leading = sign === ' ' ? /^ */ : /^ *(?=[^ ])/
  const [blanks = ''] = leading.exec(words) ?? []
  const visibleBlanks = blanks.slice(0, maxBlanks)
  const margin = [' '.repeat(layout.indent), style(sign), ` ${visibleBlanks}`]
  // Blanks at the end of a line may be all that differs.
  const visible = words.slice(blanks.length).replace(/ +$/, end => '·'.repeat(end.length))
  const rest = sign === ' ' ? words.trim() : visible
  return hang(margin, layout.indent + 2 + visibleBlanks.length, rest, layout.width, style)
}

/** Deeper lines are shown no deeper, so that there is room for their words. */
const maxBlanks = 8

function aside(words: string, { indent, width }: DiffLayout): Text {
  return hang(' '.repeat(indent), indent, words, width, dim)
}

/** Characters that are kept of what both long values begin with. */
const maxCommonLength = 60
const maxLength = 300

/** Two values of one field, each short enough to be read, with what differs still in them. `--json` has all. */
export function isSmallPair(before: string, after: string): readonly [string, string] {
  const [old, now] = [[...before], [...after]]
  if (old.length <= maxLength && now.length <= maxLength) return [before, after]
  const common = now.findIndex((character, index) => character !== old[index])
  const skipped = (common === -1 ? Math.min(old.length, now.length) : common) - maxCommonLength
  const cut = (characters: readonly string[]) =>
    skipped > 0 ? excerpt(`…${characters.slice(skipped).join('')}`) : excerpt(characters.join(''))
  return [cut(old), cut(now)]
}
