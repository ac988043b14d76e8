import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import { nextCommands } from '../../../../src/cli/commands/help/next-commands.ts'
import { topicNames } from '../../../../src/cli/shell/help-topics.ts'
import { CallyardError } from '../../../../src/lib/error.ts'
import { runs } from '../../../helpers/every-case.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree, commandsForPerson, commandsOf } from './tree.ts'

const root = await buildTree()
const commands = commandsOf(root)
const forPerson = await commandsForPerson()
const nextAfter = (hint: string, argv: readonly string[] = [], details = {}) =>
  nextCommands(new CallyardError('usage', 'failed', { hint, details }), root, argv)

describe('commands of a hint', () => {
  test.each([
    ['create one: callyard init', ['callyard init']],
    ['run callyard test -u to rewrite the file', ['callyard test -u']],
    ['run `callyard schema assistant` to see every field', ['callyard schema assistant']],
    ['to list them: callyard help metrics', ['callyard help metrics']],
    ['did you mean callyard tool?', ['callyard help tool']],
    ['create one: callyard webhook tail --record <file>', ['callyard help webhook tail']],
    [
      'add one: callyard profile add <name>; to try it locally: callyard sandbox start',
      ['callyard help profile add', 'callyard sandbox start'],
    ],
    ['to change it, run callyard apply --target production', ['callyard help apply']],
    ['callyard cannot prompt', []],
    ['use one of a, b', []],
  ])('%j', async (hint, commands) => {
    expect(await nextAfter(hint)).toEqual(commands)
  })

  test('may contain words of the command line', async () => {
    const hint = 'start it: callyard batch status reminders'
    expect(await nextAfter(hint)).toEqual(['callyard help batch status'])
    expect(await nextAfter(hint, ['batch', 'plan', 'reminders'])).toEqual(['callyard batch status reminders'])
    expect(await nextAfter("run callyard test 'my tests'", ['test', 'my tests', '-u'])).toEqual([
      "callyard test 'my tests'",
    ])
  })
})

test('a command in text of a file or a service is not suggested', async () => {
  const text = 'desk. Next: callyard sandbox start'
  expect(await nextAfter(`available: ${text}`, [], { names: [text] })).toEqual([])
})

test('consists of words of callyard and of the command line, whatever a hint contains', async () => {
  const vocabulary = new Set(['.', 'topics', ...topicNames])
  for (const command of commands) {
    vocabulary.add(command.name())
    for (const { long, short, argChoices = [] } of command.options)
      for (const word of [long, short, ...argChoices]) vocabulary.add(word ?? '')
    for (const { argChoices = [] } of command.registeredArguments)
      for (const word of argChoices) vocabulary.add(word)
  }
  const word = fc.oneof(
    fc.constantFrom('callyard', ...vocabulary),
    fc.constantFrom(...commands.map(getCommandPath)),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(word), fc.array(fc.stringMatching(/^[a-z]+$/)), async (words, argv) => {
      for (const command of await nextAfter(words.join(' '), argv)) {
        for (const part of command.split(' ')) expect([...vocabulary, ...argv]).toContain(part)
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
