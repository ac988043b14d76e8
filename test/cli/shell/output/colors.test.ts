import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { GlobalOptions } from '../../../../src/cli/shell/flags/flag.ts'
import { colors } from '../../../../src/cli/shell/output/colors.ts'
import { createOutput, loadColors } from '../../../../src/cli/shell/output/create-output.ts'
import { cyan, paint, red, text } from '../../../../src/lib/text/text.ts'

const terminal = { isTTY: true, write() {} }
const pipe = { isTTY: false, write() {} }

test('loads colors only if a stream supports them', async () => {
  expect(await loadColors([pipe, terminal], { env: {} })).toBe(colors)
})

test.each<[Record<string, string>, 'terminal' | 'pipe', boolean]>([
  [{}, 'terminal', true],
  [{}, 'pipe', false],
  [{ TERM: 'dumb' }, 'terminal', false],
  [{ CI: 'true' }, 'terminal', false],
  [{ CI: '1' }, 'terminal', false],
  [{ CI: 'false' }, 'terminal', true],
  [{ CI: 'False' }, 'terminal', true],
  [{ CI: '0' }, 'terminal', true],
  [{ CI: '' }, 'terminal', true],
  [{ CLICOLOR: '1' }, 'pipe', false],
  [{ CLICOLOR: '0' }, 'terminal', false],
  [{ CLICOLOR: '0', CLICOLOR_FORCE: '1' }, 'pipe', true],
  [{ CLICOLOR: '0', FORCE_COLOR: '1' }, 'terminal', true],
  [{ CLICOLOR_FORCE: '1', CI: 'true', TERM: 'dumb' }, 'pipe', true],
  [{ CLICOLOR_FORCE: '0' }, 'pipe', false],
  [{ CLICOLOR_FORCE: '0' }, 'terminal', true],
  [{ FORCE_COLOR: '3' }, 'pipe', true],
  [{ FORCE_COLOR: 'true', CI: 'true' }, 'pipe', true],
  [{ FORCE_COLOR: '0' }, 'terminal', false],
  [{ FORCE_COLOR: 'false', CLICOLOR_FORCE: '1' }, 'terminal', false],
  [{ FORCE_COLOR: '' }, 'pipe', false],
  [{ FORCE_COLOR: '' }, 'terminal', true],
  [{ NO_COLOR: '1' }, 'terminal', false],
  [{ NO_COLOR: '0', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, 'terminal', false],
  [{ NO_COLOR: '', FORCE_COLOR: '1' }, 'pipe', true],
])('color with %o on a %s: %s', async (env, stream, expected) => {
  expect(await isColored(stream, { env })).toBe(expected)
})

test('--no-color wins over every variable', async () => {
  expect(await isColored('terminal', { color: false, env: { FORCE_COLOR: '3', CLICOLOR_FORCE: '1' } })).toBe(
    false,
  )
})

/** Returns true if colors are written; they are loaded only then. */
async function isColored(
  stream: 'terminal' | 'pipe',
  look: Pick<GlobalOptions, 'color'> & { readonly env: Record<string, string> },
) {
  const printed: string[] = []
  const sink = { isTTY: stream === 'terminal', write: (piece: string) => printed.push(piece) }
  const loaded = await loadColors([sink, sink], look)
  createOutput({ stdout: sink, stderr: sink, cwd: '/' }, look, { colors: loaded }).note(red('red'))
  const isPainted = printed.join('') !== 'red\n'
  expect(loaded).toBe(isPainted && colors)
  return isPainted
}

test('each line of a colored text has its own codes, with nested colors', () => {
  expect(paint(red('a\nb'), { color: colors })).toBe('\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m')
  expect(paint(red(text`a ${cyan('b')} c`), { color: colors })).toBe(
    '\u001b[31ma \u001b[36mb\u001b[39m\u001b[31m c\u001b[39m',
  )
})

test('chalk is imported in one file, which is only imported where color is decided', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => ({ name, source: readFileSync(join('src', name), 'utf8') }))
  const having = (words: string) =>
    sources.flatMap(({ name, source }) => (source.includes(words) ? [name] : []))
  expect(having("from 'chalk'")).toEqual([join('cli', 'shell', 'output', 'colors.ts')])
  expect(having("import('./colors.ts')")).toEqual([join('cli', 'shell', 'output', 'create-output.ts')])
  expect(having("colors.ts'")).toEqual([join('cli', 'shell', 'output', 'create-output.ts')])
})
