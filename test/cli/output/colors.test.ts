import { expect, test } from 'vitest'
import type { GlobalOptions } from '../../../src/cli/flags/flag.ts'
import { createOutput, takesColor } from '../../../src/cli/output/create-output.ts'
import { bold, cyan, dim, paint, red, text } from '../../../src/lib/text/text.ts'

const terminal = { isTTY: true }
const pipe = { isTTY: false }

test('each stream that is a terminal is coloured', () => {
  const printed: string[] = []
  const write = (piece: string) => printed.push(piece)
  const output = createOutput(
    { stdout: { ...pipe, write }, stderr: { ...terminal, write }, cwd: '/' },
    { env: {} },
  )
  output.result({}, () => red('data'))
  output.note(red('talk'))
  expect(printed).toEqual(['data\n', '\u001b[31mtalk\u001b[39m\n'])
})

test.each<[string, { isTTY: boolean }, Pick<GlobalOptions, 'color'>, Record<string, string>]>([
  ['a pipe, also with FORCE_COLOR', pipe, {}, { FORCE_COLOR: '3' }],
  ['--no-color', terminal, { color: false }, { FORCE_COLOR: '3' }],
  ['NO_COLOR', terminal, {}, { NO_COLOR: '1' }],
  ['CI', terminal, {}, { CI: 'true' }],
  ['TERM=dumb', terminal, {}, { TERM: 'dumb' }],
])('no colours are written: %s', (_, sink, options, env) => {
  const look = { ...options, env }
  expect(takesColor(sink, look)).toBe(false)
  const printed: string[] = []
  const stream = { ...sink, write: (piece: string) => printed.push(piece) }
  createOutput({ stdout: stream, stderr: stream, cwd: '/' }, look).note(red('no'))
  expect(printed).toEqual(['no\n'])
})

test('every line of a coloured text has its own codes, and a colour inside another ends where it ends', () => {
  expect(paint(red('a\nb'), { color: true })).toBe('\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m')
  expect(paint(red(text`a ${cyan('b')} c`), { color: true })).toBe(
    '\u001b[31ma \u001b[36mb\u001b[39m\u001b[31m c\u001b[39m',
  )
  expect(paint(bold(dim('a'), 'b'), { color: true })).toBe(
    '\u001b[1m\u001b[2ma\u001b[22m\u001b[1mb\u001b[22m',
  )
  expect(paint(red(''), { color: true })).toBe('')
})
