import { createInterface } from 'node:readline'
import stringWidth from 'string-width'
import { escapeForTerminal } from '../../../lib/text/escape.ts'
import { type Colors, paint, type Text } from '../../../lib/text/text.ts'
import type { EditorOptions, LineEditor } from '../context.ts'

/** Terminal that the editor draws on; a Node stream, or a test's. */
export interface Screen {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

type KeyListener = (text: unknown, key: { name?: string; ctrl?: boolean } | undefined) => void

/**
 * Keys, history and editing are node:readline's; it draws nothing. What is seen is drawn here, always as one write: the
 * cursor leaves the rows of before, what comes above is written, and the rows are drawn again, so that no output ever runs
 * into what a person types. Ctrl-C calls `interrupt`: in raw mode it is a key, not a signal.
 */
export function createLineEditor(
  { stdin, stdout }: { readonly stdin: NodeJS.ReadableStream; readonly stdout: Screen },
  { color, complete, interrupt }: EditorOptions & { readonly color: Colors | false; interrupt(): void },
): LineEditor {
  const reader = createInterface({
    input: stdin,
    terminal: true,
    historySize: 200,
    removeHistoryDuplicates: true,
    completer: (line: string) => [[...(complete?.(line) ?? [])], line],
  })
  // Taken at once: a line that is entered before a listener is there must not be lost.
  const lines = reader[Symbol.asyncIterator]()
  let above: Text = ''
  let prompt: Text = ''
  let lastDrawing: Drawing | undefined
  let waiting = false
  let closed = false

  const columns = () => stdout.columns ?? 80
  /** To the first of the drawn rows. A terminal that became narrower may have broken them into more. */
  const home = ({ rows, cursor }: Drawing) => {
    const tall = (width: number) => Math.max(1, Math.ceil(width / columns()))
    const before = rows.slice(0, cursor.row).map(row => tall(stringWidth(row)))
    const up = before.reduce((sum, height) => sum + height, Math.floor(cursor.column / columns()))
    return `${moved(up, 'A')}\r`
  }
  const draw = () => {
    waiting = false
    if (closed) return
    const painted = paint(above, { color })
    const next = layOut({
      above: painted === '' ? [] : painted.split('\n'),
      prompt: paint(prompt, { color }),
      line: reader.line,
      cursor: reader.cursor,
      columns: columns(),
      height: stdout.rows ?? 24,
    })
    const back = next.rows.length - 1 - next.cursor.row
    // Each row is cleared before it is written: after a full row the cursor is still on its last cell.
    stdout.write(
      [
        lastDrawing === undefined ? '\r' : home(lastDrawing),
        next.rows.map(row => `\x1b[2K${row}`).join('\r\n'),
        '\x1b[J',
        `${moved(back, 'A')}\r${moved(next.cursor.column, 'C')}`,
      ].join(''),
    )
    lastDrawing = next
  }
  /** Soon, and once for all that happens until then. */
  const drawSoon = () => {
    if (waiting || closed) return
    waiting = true
    queueMicrotask(draw)
  }
  const erase = () => {
    if (lastDrawing !== undefined) stdout.write(`${home(lastDrawing)}\x1b[J`)
    lastDrawing = undefined
  }
  const onKey: KeyListener = (_, key) => {
    if (key?.ctrl === true && key.name === 'l') {
      stdout.write('\x1b[2J\x1b[H')
      lastDrawing = undefined
    }
    drawSoon()
  }
  /** Before readline, which stops the process: what is drawn would stay in the shell, out of reach. */
  const beforeKey: KeyListener = (_, key) => {
    if (key?.ctrl === true && key.name === 'z') erase()
  }
  stdin.prependListener('keypress', beforeKey)
  stdin.on('keypress', onKey)
  stdout.on('resize', drawSoon)
  reader.on('resume', drawSoon)
  reader.on('SIGINT', interrupt)
  // readline pauses itself then, and takes no key until it is resumed.
  reader.on('SIGCONT', () => reader.resume())
  reader.on('close', () => {
    erase()
    closed = true
    stdin.off('keypress', beforeKey)
    stdin.off('keypress', onKey)
    stdout.off('resize', drawSoon)
  })

  return {
    lines: { [Symbol.asyncIterator]: () => lines },
    get width() {
      return columns()
    },
    show(parts) {
      above = parts.above ?? above
      prompt = parts.prompt ?? prompt
      drawSoon()
    },
    aside(write) {
      erase()
      write()
      drawSoon()
    },
    close: () => reader.close(),
  }
}

/** Moves the cursor up (A) or to the right (C). */
function moved(by: number, way: 'A' | 'C'): string {
  return by > 0 ? `\x1b[${by}${way}` : ''
}

export interface LineView {
  /** Rows above the line, painted, none wider than the terminal. */
  readonly above: readonly string[]
  /** Painted, one row. */
  readonly prompt: string
  readonly line: string
  /** Place in the line, in UTF-16 code units. */
  readonly cursor: number
  readonly columns: number
  /** Rows of the terminal. */
  readonly height: number
}

export interface Drawing {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const narrowest = 8

/**
 * Lays out the rows above, then prompt and line, wrapped below its beginning. The last column stays empty, because terminals differ
 * there. What does not fit is omitted: the first rows above, and the rows of a long line that are far from the cursor.
 */
export function layOut({ above, prompt, line, cursor, columns, height }: LineView): Drawing {
  const input = wrapInput(prompt, line, cursor, Math.max(columns, narrowest) - 1)
  const most = Math.max(1, height - 1)
  const first = Math.max(0, Math.min(input.cursor.row - most + 1, input.rows.length - most))
  const inputRows = input.rows.slice(first, first + most)
  const room = most - inputRows.length
  const visibleRows = above.length > room ? above.slice(above.length - room) : above
  return {
    rows: [...visibleRows, ...inputRows],
    cursor: { row: visibleRows.length + input.cursor.row - first, column: input.cursor.column },
  }
}

function wrapInput(prompt: string, line: string, cursor: number, columns: number): Drawing {
  const promptWidth = stringWidth(prompt)
  const indent = columns - promptWidth >= narrowest ? promptWidth : 0
  const rows = indent === 0 ? [prompt, ''] : [prompt]
  let column = indent
  let cursorAt = { row: rows.length - 1, column }
  for (const { segment, index } of graphemes.segment(line)) {
    const safeText = escapeForTerminal(segment)
    const width = stringWidth(safeText)
    if (column + width > columns && column > indent) {
      rows.push(' '.repeat(indent))
      column = indent
    }
    if (index <= cursor) cursorAt = { row: rows.length - 1, column }
    rows.push(`${rows.pop() ?? ''}${safeText}`)
    column += width
  }
  if (cursor >= line.length) cursorAt = { row: rows.length - 1, column }
  return { rows, cursor: cursorAt }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
