import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLineEditor, type LineView, layOut } from '../../../../src/cli/shell/output/line-editor.ts'
import { runs } from '../../../helpers/every-case.ts'
import { smallTerminal } from './small-terminal.ts'

test('keeps typed text below what is printed meanwhile', async () => {
  const { screen, type, editor } = open()
  await type('hello wor')
  editor.aside(() => screen.write('assistant  Good morning\n'))
  await type('ld')
  expect(screen.text()).toBe('assistant  Good morning\n> hello world')
  expect(screen.cursor()).toEqual({ row: 1, column: 13 })
})

test('draws changing text above the line and removes it when done', async () => {
  const { screen, type, editor } = open()
  editor.show({ above: 'assistant  We are' })
  await type('no')
  editor.show({ above: 'assistant  We are open\n           on Monday' })
  await settled()
  expect(screen.text()).toBe('assistant  We are open\n           on Monday\n> no')
  editor.show({ above: '' })
  editor.aside(() => screen.write('assistant  We are\n'))
  await settled()
  expect(screen.text()).toBe('assistant  We are\n> no')
})

test('passes on a line when it is entered and clears its space', async () => {
  const { screen, type, editor } = open()
  const lines = editor.lines[Symbol.asyncIterator]()
  await type('first\rsec')
  expect(await lines.next()).toEqual({ value: 'first', done: false })
  expect(screen.text()).toBe('> sec')
})

test('editing keys and history work', async () => {
  const { screen, type } = open()
  await type('abc\r')
  await type('\x1b[A\x1b[D\x1b[DX')
  expect(screen.text()).toBe('> aXbc')
  expect(screen.cursor()).toEqual({ row: 0, column: 4 })
})

test('Tab completes', async () => {
  const { screen, type } = open({ complete: () => ['/restart'] })
  await type('/re\t')
  await settled()
  expect(screen.text()).toBe('> /restart')
})

test('Ctrl-D on an empty line ends the input and leaves no text behind', async () => {
  const { screen, type, editor } = open()
  await type('\x04')
  const all: string[] = []
  for await (const line of editor.lines) all.push(line)
  expect(all).toEqual([])
  editor.aside(() => screen.write('bye\n'))
  await settled()
  expect(screen.text()).toBe('bye')
})

test('Ctrl-C is the signal', async () => {
  let interrupts = 0
  const { type } = open({ interrupt: () => void interrupts++ })
  await type('abc\x03')
  expect(interrupts).toBe(1)
})

test('Ctrl-Z hides the line, which is restored and accepts keys after the process continues', async () => {
  const { screen, type, editor } = open()
  let left = ''
  // Here readline stops this process; the shell writes, and its fg sends SIGCONT.
  const stop = vi.spyOn(process, 'kill').mockImplementation(() => {
    left = screen.text()
    screen.write('[1]+ Stopped\n')
    return true
  })
  onTestFinished(() => stop.mockRestore())
  editor.show({ above: 'assistant  We are' })
  await type('half')
  await type('\x1a')
  expect(left).toBe('')
  process.emit('SIGCONT')
  await type(' a line')
  expect(screen.text()).toBe('[1]+ Stopped\nassistant  We are\n> half a line')
})

test('however typing and printing mix, nothing is lost and nothing is garbled', async () => {
  const word = fc.stringMatching(/^[a-z 日本é]{1,30}$/)
  const step = fc.oneof(
    fc.record({ do: fc.constant('type' as const), text: word }),
    fc.record({ do: fc.constant('print' as const), text: word }),
    fc.record({ do: fc.constant('draft' as const), text: word }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.integer({ min: 34, max: 60 }),
      async (steps, columns) => {
        const { screen, type, editor } = open({ columns })
        let typed = ''
        let draft = ''
        const printed: string[] = []
        for (const { do: what, text } of steps) {
          if (what === 'type') {
            typed += text
            await type(text)
          } else if (what === 'print') {
            printed.push(text.trimEnd())
            editor.aside(() => screen.write(`${text}\n`))
          } else {
            draft = text.trim()
            editor.show({ above: draft })
          }
        }
        await settled()
        editor.show({ above: '' })
        await settled()
        const seen = screen.text().split('\n')
        expect(seen.slice(0, printed.length)).toEqual(printed)
        const line = seen.slice(printed.length).map(row => row.slice(2))
        expect(line.join('').replaceAll(' ', '')).toBe(typed.replaceAll(' ', ''))
        editor.close()
      },
    ),
    { numRuns: runs(50) },
  )
})

function open({
  columns = 40,
  complete,
  interrupt = () => {},
}: {
  columns?: number
  complete?: (line: string) => readonly string[]
  interrupt?: () => void
} = {}) {
  const stdin = new PassThrough()
  const screen = smallTerminal(columns, 24)
  const editor = createLineEditor(
    { stdin, stdout: screen },
    { color: false, interrupt, ...(complete === undefined ? {} : { complete }) },
  )
  onTestFinished(() => editor.close())
  editor.show({ prompt: '> ' })
  return {
    screen,
    editor,
    async type(keys: string) {
      stdin.write(keys)
      await settled()
    },
  }
}

/** Resolves when the input has been read and drawn. */
async function settled() {
  await setImmediate()
  await setImmediate()
}

const view: LineView = { above: [], prompt: 'user       ', line: '', cursor: 0, columns: 40, height: 24 }

test('shows a short line after its prompt with the cursor in place', () => {
  expect(layOut({ ...view, line: 'hello', cursor: 2 })).toEqual({
    rows: ['user       hello'],
    cursor: { row: 0, column: 13 },
  })
})

test('a long line wraps under its beginning, before the last column', () => {
  const line = 'abcdefghijklmnopqrstuvwxyz0123456789'
  expect(layOut({ ...view, line, cursor: line.length })).toEqual({
    rows: ['user       abcdefghijklmnopqrstuvwxyz01', '           23456789'],
    cursor: { row: 1, column: 19 },
  })
})

test('wide characters are never cut in two', () => {
  const { rows, cursor } = layOut({ ...view, columns: 22, line: '日本語日本語', cursor: 5 })
  expect(rows).toEqual(['user       日本語日本', '           語'])
  expect(cursor).toEqual({ row: 1, column: 11 })
})

test('in a narrow terminal the line goes below its prompt', () => {
  expect(layOut({ ...view, columns: 18, line: 'hello', cursor: 5 })).toEqual({
    rows: ['user       ', 'hello'],
    cursor: { row: 1, column: 5 },
  })
})

test('pasted control characters are seen, not obeyed', () => {
  expect(layOut({ ...view, line: 'a\u001b[2Jb', cursor: 6 }).rows).toEqual(['user       a\\x1b[2Jb'])
})

test('shows only the end of earlier lines if there is little space', () => {
  expect(layOut({ ...view, above: ['1', '2', '3', '4'], height: 4 }).rows).toEqual(['3', '4', 'user       '])
})

test('everything fits the terminal, and the cursor precedes its character', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 200 })
  const numbers = fc.record({
    columns: fc.integer({ min: 12, max: 100 }),
    height: fc.integer({ min: 2, max: 30 }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(line, fc.array(fc.constant('above'), { maxLength: 40 }), numbers, (words, above, n) => {
      const { columns, height } = n
      const cursor = Math.round(words.length * n.at)
      const drawing = layOut({ ...view, line: words, cursor, above, columns, height })
      expect(drawing.rows.length).toBeLessThan(Math.max(2, height))
      for (const row of drawing.rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns)
      expect(drawing.cursor.row).toBeLessThan(drawing.rows.length)
      expect(drawing.cursor.row).toBeGreaterThanOrEqual(0)
      expect(drawing.cursor.column).toBeLessThan(columns)
    }),
  )
})
