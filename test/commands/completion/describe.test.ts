import { Command } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { describeTree } from '../../../src/commands/completion/describe.ts'
import { knownPlaces } from '../../../src/commands/completion/values.ts'
import { buildTree } from '../help/tree.ts'
import { sampleTree } from './sample-tree.ts'

const tree = describeTree(sampleTree(), [{ name: 'exit-codes', description: 'Exit codes' }])
const command = (...path: string[]) => tree.commands.find(each => each.path.join(' ') === path.join(' '))
const option = (name: string, ...path: string[]) =>
  command(...path)?.options.find(({ names }) => names.includes(name))

describe('describeTree', () => {
  test('lists every visible command with its path', () => {
    expect(tree.commands.map(({ path }) => path.join(' '))).toEqual([
      '',
      'tool',
      'tool create',
      'tool update',
      'webhook',
      'webhook tail',
      'profile',
      'profile add',
      'profile use',
      'profile show',
      'validate',
      'schema',
      'help',
      'help tool',
      'help webhook',
      'help profile',
    ])
  })

  test('keeps global options apart, and --version with the root', () => {
    expect(tree.globals.map(({ names }) => names.join(' '))).toEqual([
      '--profile',
      '--json',
      '--timeout',
      '-h --help',
    ])
    expect(command()?.options.map(({ names }) => names.join(' '))).toEqual(['-V --version'])
    expect(command('tool')?.options).toEqual([])
  })

  test('leaves hidden options and commands out', () => {
    expect(command('tool', 'create')?.options.map(({ names }) => names.join(' '))).toEqual(['--dry-run'])
    expect(command()?.subcommands.map(({ name }) => name)).not.toContain('secret')
    expect(command('help')?.subcommands.map(({ name }) => name)).not.toContain('secret')
  })

  test.each([
    ['--until', { kind: 'choices', choices: ['finished', "it's over", 'a:b'] }],
    ['--record', { kind: 'file' }],
    ['--data-dir', { kind: 'folder' }],
    ['--path', { kind: 'text' }],
  ])('knows what the value of %s is', (name, value) => {
    expect(option(name, 'webhook', 'tail')?.value).toMatchObject(value)
  })

  test.each([
    [['tool', 'create'], [{ kind: 'file' }]],
    [
      ['tool', 'update'],
      [{ kind: 'dynamic', source: 'tool', files: false }, { kind: 'file' }],
    ],
    [['validate'], [{ kind: 'file' }]],
    [['schema'], [{ kind: 'choices', choices: ['assistant', 'tool'] }]],
    [['profile', 'add'], [{ kind: 'text' }]],
    [['profile', 'use'], [{ kind: 'dynamic', source: 'profile', files: false }]],
  ])('knows what the arguments of %j are', (path, values) => {
    expect(command(...path)?.arguments.map(({ value }) => value)).toEqual(values)
  })

  test('a placeholder may hold brackets of its own', () => {
    const root = new Command('callwright').helpCommand(false)
    root.command('tail').option('--send <[type=]file>', 'send').option('--tunnel [command]', 'tunnel')
    expect(describeTree(root).commands[1]?.options).toMatchObject([
      { names: ['--send'], value: { placeholder: '[type=]file' } },
      { names: ['--tunnel'], value: { placeholder: 'command' } },
    ])
  })

  test('knows values only of flags and arguments that exist', () => {
    const described = describeTree(buildTree())
    const places = described.commands.flatMap(({ path, options, arguments: all }) => [
      ...options.flatMap(({ names }) => names),
      ...all.map(argument => [...path, argument.name].join(' ')),
    ])
    const globals = described.globals.flatMap(({ names }) => names)
    expect([...places, ...globals]).toEqual(expect.arrayContaining(knownPlaces))
  })

  test('offers commands and topics after help, but not help itself', () => {
    expect(command('help')?.subcommands.map(({ name }) => name)).toEqual([
      'tool',
      'webhook',
      'profile',
      'validate',
      'schema',
      'exit-codes',
    ])
    expect(command('help')?.arguments).toEqual([])
  })

  test('a flag stands alone unless it names a value', () => {
    expect(tree.globals.find(({ names }) => names.includes('--json'))).toEqual({
      names: ['--json'],
      description: 'print JSON',
    })
  })

  test('a description of several lines becomes one', () => {
    const root = new Command('callwright').helpCommand(false)
    root.command('demo').description('one\n  two')
    expect(describeTree(root).commands[0]?.subcommands).toEqual([{ name: 'demo', description: 'one two' }])
  })
})
