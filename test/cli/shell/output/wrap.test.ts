import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { commandPaths } from '../../../../src/cli/commands/program.ts'
import { colors } from '../../../../src/cli/shell/output/colors.ts'
import { createWrap } from '../../../../src/cli/shell/output/wrap.ts'
import { cyan, paint, type Text, text, whole, yellow } from '../../../../src/lib/text/text.ts'
import { runs } from '../../../helpers/every-case.ts'

const wrapForTerminal = createWrap(commandPaths())

function wrapped(line: Text, columns: number, color: typeof colors | false = false): string[] {
  return wrapForTerminal(paint(line, { color, wraps: true }), columns).split('\n')
}

test('keeps a line that fits and wraps a longer one at words with a hanging indent', () => {
  expect(wrapped('  two  columns', 14)).toEqual(['  two  columns'])
  expect(wrapped('  two  columns, and more words', 14)).toEqual([
    '  two',
    '    columns,',
    '    and more',
    '    words',
  ])
})

test('wraps text behind a label below itself if there is space for its words', () => {
  const line = text`  ${yellow('tool try')}      0 an answer, 8 another one`
  expect(wrapped(line, 32)).toEqual(['  tool try      0 an answer, 8', '                another one'])
  expect(wrapped('  be the caller  callyard call chat desk.yaml', 40)).toEqual([
    '  be the caller',
    '    callyard call chat desk.yaml',
  ])
})

test('an indent leaves half of a narrow terminal for text', () => {
  expect(wrapped(`${' '.repeat(18)}five words that fit here`, 20)).toEqual([
    '     five words that',
    '       fit here',
  ])
})

test.each([
  'callyard completion bash > /tmp/a/callyard',
  'git checkout v1.4 -- assistants tools knowledge-bases',
  'git checkout <commit> -- callyard.lock.yaml',
])('%s stays on one line', command => {
  for (let columns = 20; columns < 100; columns += 1)
    expect(wrapped(`  a label  ${command}, then more`, columns).join('\n')).toContain(command)
})

test('a code moves to the next line as a whole', () => {
  expect(wrapped('tests/a.yaml:3:5: error: "open" was not said [not-said]', 50)).toEqual([
    'tests/a.yaml:3:5: error: "open" was not said',
    '  [not-said]',
  ])
})

test('prints a path or URL wider than the terminal on its own line without breaks', () => {
  const url = `http://127.0.0.1:4011/${'x'.repeat(40)}`
  expect(wrapped(text`    hint: look at ${url} now`, 40)).toEqual([
    '    hint: look at',
    `      ${url}`,
    '      now',
  ])
})

test.each([
  'callyard apply --forget tool/book=6650f0c2',
  'callyard apply --target staging --new-target',
  'callyard profile add <name> --api-key-stdin',
  'callyard faq ask "When are you open?" questions.csv',
  'callyard tool update 6650f0c2 …',
  'callyard help exit-codes',
  'npx callyard call chat assistants/front-desk.yaml',
])('a sentence is not broken within %s', command => {
  for (let columns = 20; columns < 100; columns += 1) {
    const rows = wrapped(`if that is what you want: ${command} takes it out of the lockfile`, columns)
    expect(rows.filter(row => row.includes(command))).toHaveLength(1)
    for (const row of rows)
      if (!row.includes('callyard')) expect(stringWidth(row)).toBeLessThanOrEqual(columns)
  }
})

test.each([
  'callyard profile use work',
  'callyard sandbox exec -- npm test',
  'callyard call start --assistant front-desk',
])('nor at the end of a sentence or clause: %s', command => {
  for (const after of ['', '; or leave it', ', which is another']) {
    const rows = wrapped(text`To use it: ${cyan(command)}${after}`, 30, colors)
    expect(rows.filter(row => row.includes(command))).toHaveLength(1)
  }
})

test.each(commandPaths())('does not break callyard %s, and ends it at the next word', path => {
  const command = `callyard ${path}`
  const rows = wrapped(`run ${command} once more`, command.length)
  // After help, any word may name a topic.
  expect(rows.map(row => row.trim())).toContain(path === 'help' ? `${command} once more` : command)
})

test('wraps prose about callyard like other prose', () => {
  expect(wrapped('another callyard is changing the file', 20)).toEqual([
    'another callyard is',
    '  changing the file',
  ])
})

test('breaks text without spaces between characters, but not within a path', () => {
  const long = '自転車の修理工場へようこそ'
  expect(wrapped(text`error: ${yellow(long)} [x]`, 20, colors)).toEqual([
    'error: \u001b[33m自転車の修理',
    '  工場へようこそ\u001b[39m [x]',
  ])
  expect(wrapped(`warning: tests/${long}.yaml`, 20)).toEqual(['warning:', `  tests/${long}.yaml`])
  expect(wrapped(`  actual  ${long}`, 20)).toEqual([
    '  actual  自転車の修',
    '          理工場へよ',
    '          うこそ',
  ])
})

test.each([
  ['accented words', 'déjà vu '],
  ['brackets that never end', 'callyard [not '],
])('a line of %s is wrapped in linear time', (_, words) => {
  const line = words.repeat(50_000)
  expect(wrapForTerminal(line, 80).replace(/\s+/g, ' ').trim()).toBe(line.trim())
})

test('does not wrap text that is to be copied', () => {
  expect(wrapped(text`run this:\n${whole('  {"a": 1, "b": 2}\n  ls | wc -l')}`, 10)).toEqual([
    'run this:',
    '  {"a": 1, "b": 2}',
    '  ls | wc -l',
  ])
})

test('colors have no width and stay with their words', () => {
  expect(wrapped(text`${yellow('warning:')} one two`, 12, colors)).toEqual([
    '\u001b[33mwarning:\u001b[39m one',
    '  two',
  ])
})

test('keeps all words, and no row exceeds the terminal unless a word does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 8, max: 60 }),
      (words, columns) => {
        const rows = wrapped(words, columns)
        const escaped = paint(words, { color: false })
        expect(rows.join('').replace(/[ \n]/g, '')).toBe(escaped.replace(/[ \n]/g, ''))
        for (const row of rows) if (stringWidth(row) > columns) expect(row.trim()).not.toContain(' ')
      },
    ),
    { numRuns: runs(40) },
  )
})
