import stringWidth from 'string-width'

/** A minimal terminal for the line editor: it supports moving the cursor up and right, erasing, and wraps like xterm. */
export function smallTerminal(columns: number, height: number) {
  let rows: string[][] = [[]]
  let row = 0
  let column = 0
  const put = (character: string) => {
    const width = stringWidth(character)
    if (column + width > columns) {
      lineFeed()
      column = 0
    }
    const line = rows[row] ?? []
    while (line.length < column) line.push(' ')
    line[column] = character
    if (width === 2) line[column + 1] = ''
    rows[row] = line
    column += width
  }
  const lineFeed = () => {
    row += 1
    rows[row] ??= []
  }
  const control = (count: number, command: string) => {
    // A terminal's screen has a first row: what scrolled out of it cannot be reached.
    if (command === 'A') row = Math.max(row - count, rows.length - height, 0)
    else if (command === 'C') column = Math.min(column + count, columns - 1)
    else if (command === 'K' && count === 2) rows[row] = []
    else if (command === 'J') {
      rows = rows.slice(0, row + 1)
      rows[row] = (rows[row] ?? []).slice(0, column)
    } else throw new Error(`an unknown sequence: ${count}${command}`)
  }
  return {
    columns,
    rows: height,
    on() {},
    off() {},
    write(text: string) {
      for (const [piece, count, command, character] of text.matchAll(/\x1b\[(\d*)([A-Z])|(\P{M}\p{M}*)/gsu)) {
        if (command !== undefined) control(count === '' ? 1 : Number(count), command)
        else if (piece === '\r') column = 0
        else if (piece === '\n') {
          lineFeed()
          column = 0
        } else put(character ?? '')
      }
    },
    /** Visible and scrolled text without trailing blanks. */
    text: () =>
      rows
        .map(line => line.join('').trimEnd())
        .join('\n')
        .trimEnd(),
    cursor: () => ({ row, column }),
  }
}
