import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GlobalOptions } from '../../../src/cli/flags/flag.ts'
import { colors } from '../../../src/cli/output/colors.ts'
import { createOutput, loadColors } from '../../../src/cli/output/create-output.ts'
import { cyan, paint, red, text } from '../../../src/lib/text/text.ts'

const terminal = { isTTY: true }
const pipe = { isTTY: false }

test('colours are loaded where one of the streams takes them', async () => {
  expect(await loadColors([pipe, terminal], { env: {} })).toBe(colors)
})

test.each<[string, { isTTY: boolean }, Pick<GlobalOptions, 'color'>, Record<string, string>]>([
  ['a pipe, also with FORCE_COLOR', pipe, {}, { FORCE_COLOR: '3' }],
  ['--no-color', terminal, { color: false }, { FORCE_COLOR: '3' }],
  ['NO_COLOR', terminal, {}, { NO_COLOR: '1' }],
  ['CI', terminal, {}, { CI: 'true' }],
  ['TERM=dumb', terminal, {}, { TERM: 'dumb' }],
])('colours are neither loaded nor written: %s', async (_, sink, options, env) => {
  const look = { ...options, env }
  expect(await loadColors([sink, sink], look)).toBe(false)
  const printed: string[] = []
  const stream = { ...sink, write: (piece: string) => printed.push(piece) }
  createOutput({ stdout: stream, stderr: stream, cwd: '/' }, look, colors).note(red('no'))
  expect(printed).toEqual(['no\n'])
})

test('every line of a coloured text has its own codes, and a colour inside another ends where it ends', () => {
  expect(paint(red('a\nb'), { color: colors })).toBe('\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m')
  expect(paint(red(text`a ${cyan('b')} c`), { color: colors })).toBe(
    '\u001b[31ma \u001b[36mb\u001b[39m\u001b[31m c\u001b[39m',
  )
})

test('chalk is imported in one file, and that file is imported where colour is decided alone', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => ({ name, source: readFileSync(join('src', name), 'utf8') }))
  const having = (words: string) =>
    sources.flatMap(({ name, source }) => (source.includes(words) ? [name] : []))
  expect(having("from 'chalk'")).toEqual([join('cli', 'output', 'colors.ts')])
  expect(having("import('./colors.ts')")).toEqual([join('cli', 'output', 'create-output.ts')])
  expect(having("colors.ts'")).toEqual([join('cli', 'output', 'create-output.ts')])
})
