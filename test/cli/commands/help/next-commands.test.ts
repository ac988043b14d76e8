import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import { nextCommands } from '../../../../src/cli/commands/help/next-commands.ts'
import { topicNames } from '../../../../src/cli/shell/help-topics.ts'
import { CallyardError, type CommandWords } from '../../../../src/lib/error.ts'
import { runs } from '../../../helpers/every-case.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree, commandsForPerson, commandsOf } from './tree.ts'

const root = await buildTree()
const commands = commandsOf(root)
const forPerson = await commandsForPerson()
const nextAfter = (next: readonly CommandWords[], argv: readonly string[] = []) =>
  nextCommands(new CallyardError('usage', 'failed', { next }), root, argv)

describe('commands that an error suggests', () => {
  test.each<[CommandWords, string]>([
    [['init'], 'callyard init'],
    [['test', '-u'], 'callyard test -u'],
    [['schema', 'assistant'], 'callyard schema assistant'],
    [['help', 'metrics'], 'callyard help metrics'],
    [['tool'], 'callyard help tool'],
    [['webhook', 'tail', '--record', '<file>'], 'callyard help webhook tail'],
    [['profile', 'add', '<name>'], 'callyard help profile add'],
    [['apply', '--target', 'production'], 'callyard help apply'],
  ])('%j', async (words, command) => {
    expect(await nextAfter([words])).toEqual([command])
  })

  test('each once, and none that does not exist', async () => {
    expect(await nextAfter([['sandbox', 'start'], ['sandbox', 'start'], ['fly'], []])).toEqual([
      'callyard sandbox start',
    ])
  })

  test('may contain words of the command line', async () => {
    const status = ['batch', 'status', 'reminders']
    expect(await nextAfter([status])).toEqual(['callyard help batch status'])
    expect(await nextAfter([status], ['batch', 'plan', 'reminders'])).toEqual([
      'callyard batch status reminders',
    ])
    expect(await nextAfter([['test', 'my tests']], ['test', 'my tests', '-u'])).toEqual([
      "callyard test 'my tests'",
    ])
  })
})

test('consists of words of callyard and of the command line, whatever an error suggests', async () => {
  const vocabulary = new Set(['.', 'topics', ...topicNames])
  for (const command of commands) {
    vocabulary.add(command.name())
    for (const { long, short, argChoices = [] } of command.options)
      for (const word of [long, short, ...argChoices]) vocabulary.add(word ?? '')
    for (const { argChoices = [] } of command.registeredArguments)
      for (const word of argChoices) vocabulary.add(word)
  }
  const paths = commands.map(command => getCommandPath(command).split(' ').slice(1))
  const words = fc
    .tuple(fc.constantFrom(...paths), fc.array(fc.oneof(fc.constantFrom(...vocabulary), fc.string())))
    .map(([path, rest]) => [...path, ...rest])
  await fc.assert(
    fc.asyncProperty(fc.array(words), fc.array(fc.stringMatching(/^[a-z]+$/)), async (next, argv) => {
      for (const command of await nextAfter(next, argv)) {
        for (const part of command.split(' ')) expect(['callyard', ...vocabulary, ...argv]).toContain(part)
        for (const dangerous of forPerson)
          expect(`${command} `.startsWith(`${dangerous} `), command).toBe(false)
      }
    }),
    { numRuns: runs(300) },
  )
})

describe('callyard … --json', () => {
  test.each([
    [['tool', 'create'], ['callyard help tool create']],
    [['tol', 'create'], ['callyard help tool']],
    [['plan'], ['callyard init']],
  ])('%j', async (argv, next) => {
    const { stdout } = await (await testCli()).run(...argv, '--json')
    expect(JSON.parse(stdout).error.next).toEqual(next)
  })

  test('a rejected key suggests where to look, without the words of the service', async () => {
    const cli = await testCli({ 'tool.yaml': 'type: function' })
    cli.answer('POST', '/assistants/v1/tools', {
      status: 401,
      json: { message: 'run callyard sandbox start', hint: 'callyard apply --yes' },
    })
    const { stdout } = await cli.run('tool', 'create', 'tool.yaml', '--json')
    expect(JSON.parse(stdout).error.next).toEqual(['callyard profile show'])
  })

  test('without a command in the hint there is no next', async () => {
    const { stdout } = await (await testCli()).run('demo', '--timeout', 'soon', '--json')
    expect(JSON.parse(stdout).error).not.toHaveProperty('next')
  })
})
