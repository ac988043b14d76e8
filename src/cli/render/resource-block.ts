import { oneLine } from '../../lib/text/escape.ts'
import { hang, widthOf } from '../../lib/text/layout.ts'
import { bold, dim, join, paint, type Text, text } from '../../lib/text/text.ts'

/** What is said of one resource: its line, then whatever stands indented below. */
export type ResourceBlock = readonly Text[]

/** `~ tool/book  tools/book.yaml`; the file goes below where both do not fit. Width in columns. */
export function resourceLine(
  sign: Text,
  { address, file }: { readonly address: string; readonly file: string | undefined },
  width: number,
): Text {
  const indent = widthOf(paint(sign, { color: false })) + 1
  const head = hang(text`${sign} `, indent, oneLine(address), width, bold)
  if (file === undefined) return head
  return indent + widthOf(address) + 2 + widthOf(file) <= width
    ? text`${head}  ${dim(oneLine(file))}`
    : join([head, hang('    ', 4, oneLine(file), width, dim)], '\n')
}

/** A resource of which more is said stands apart from its neighbours. */
export function joinBlocks(blocks: readonly ResourceBlock[]): Text {
  return blocks.flatMap((block, index) => {
    const before = blocks[index - 1]
    const apart = before !== undefined && (block.length > 1 || before.length > 1)
    return [index === 0 ? '' : apart ? '\n\n' : '\n', join(block, '\n')]
  })
}
