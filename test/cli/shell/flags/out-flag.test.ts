import { InvalidArgumentError } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import { Flag } from '../../../../src/cli/shell/flags/flag.ts'
import { outFlag, outFlags } from '../../../../src/cli/shell/flags/out-flag.ts'
import { buildTree, commandsOf } from '../../commands/help/tree.ts'

const formats = ['sarif', 'junit', 'json', 'folder'] as const
const parse = (text: string) => outFlag('Write a file', formats).parseArg?.(text, undefined)

test.each([
  ['report.XML', { file: 'report.XML', format: 'junit' }],
  ['a.b/plan.json', { file: 'a.b/plan.json', format: 'json' }],
  ['found.sarif.json', { file: 'found.sarif.json', format: 'sarif' }],
  ['junit:/dev/stdout', { file: '/dev/stdout', format: 'junit' }],
  ['junit:-', { file: '/dev/stdout', format: 'junit' }],
  ['junit:C:\\r.txt', { file: 'C:\\r.txt', format: 'junit' }],
  ['./junit:x.json', { file: './junit:x.json', format: 'json' }],
  ['html:x.json', { file: 'html:x.json', format: 'json' }],
  ['tests', { file: 'tests', format: 'folder' }],
])('%s', (text, expected) => {
  expect(parse(text)).toEqual(expected)
})

test.each(['report.txt', ''])('%j names no format', text => {
  expect(() => parse(text)).toThrow(InvalidArgumentError)
  expect(() => parse(text)).toThrow('Use the extension .sarif, .xml or .json, or put the format before')
})

test('several files are collected in their order', () => {
  const { parseArg } = outFlags('Write files', formats)
  expect(parseArg?.('b.json', [parse('a.xml')])).toEqual([parse('a.xml'), parse('b.json')])
})

const outs = commandsOf(await buildTree()).flatMap(command =>
  command.options
    .filter(({ long }) => long === '--out')
    .map(option => ({ path: getCommandPath(command), option })),
)

test('commands that write files have it', () => {
  expect(outs.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['callyard plan', 'callyard test', 'callyard call chat', 'callyard batch run']),
  )
})

describe.each(outs)('--out of $path', ({ option }) => {
  test('selects a format by the extensions that its description names, and no other', () => {
    const named = [...option.description.matchAll(/\.[a-z]+(?=\b)/g)].map(([extension]) => extension)
    expect(option instanceof Flag && [...option.extensions].sort()).toEqual(named.sort())
    for (const extension of named) expect(option.parseArg?.(`name${extension}`, undefined)).toBeDefined()
    expect(() => option.parseArg?.('name.unknown', undefined)).toThrow(InvalidArgumentError)
  })
})
