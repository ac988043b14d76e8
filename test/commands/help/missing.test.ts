import { expect, test } from 'vitest'
import { CliCommand } from '../../../src/cli/cli-command.ts'
import { getCommandPath, hasAction, usageLine } from '../../../src/commands/help/command-help.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { buildTree, commandsOf } from './tree.ts'

const commands = commandsOf(await buildTree())
const needy = commands
  .filter(({ registeredArguments: [first] }) => first?.required)
  .map(command => ({
    argv: getCommandPath(command).split(' ').slice(1),
    argument: `<${command.registeredArguments[0]?.name()}>`,
    usage: usageLine(command),
    example: command instanceof CliCommand ? (command.examples[0] ?? '') : '',
  }))

test('some commands need an argument', () => {
  expect(needy.length).toBeGreaterThan(8)
})

test.each(needy)(
  '$argv without $argument shows usage and an example',
  async ({ argv, argument, usage, example }) => {
    const cli = await testCli()
    const { exitCode, stdout, stderr } = await cli.run(...argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe(`error: ${argument} is missing\nusage: ${usage}\nexample: ${example}\n`)
    const document = JSON.parse((await cli.run(...argv, '--json')).stdout)
    expect(document.error).toEqual({
      kind: 'usage',
      exitCode: 2,
      message: `${argument} is missing`,
      missing: [argument],
      next: [['callwright help', ...argv].join(' ')],
      usage,
      example,
    })
  },
)

test.each(commands.filter(command => !hasAction(command) && command.parent !== null).map(getCommandPath))(
  '%s without a command prints its page and the missing argument to stderr',
  async path => {
    const cli = await testCli()
    const { exitCode, stdout, stderr } = await cli.run(...path.split(' ').slice(1))
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain(`${path} <command> [flags]`)
    expect(stderr).toMatch(new RegExp(`error: ${path} needs a command: \\w+`))
  },
)

test.each([
  [['call', 'start'], '--from and --to are missing', 'callwright call start [flags]'],
  [['call', 'start', '--from'], '--from needs a value: --from <number>', 'callwright call start [flags]'],
  [['webhook', 'trigger', 'call'], '--to is missing', 'callwright webhook trigger <what> [flags]'],
  [['assistant', 'create'], 'cannot prompt', 'callwright assistant create [file] [flags]'],
  [['demo', 'now'], 'callwright demo takes no argument', 'callwright demo [flags]'],
])('%j prints the missing or extra arguments and the usage line', async (argv, message, usage) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(message)
  expect(result.stderr).toContain(`\nusage: ${usage}\nexample: callwright `)
})

test.each([
  [['call', 'start', '--phone-number-id', 'pn_1'], '--phone-number-id is a flag of callwright call connect'],
  [
    ['call', '--to', '+12025550123'],
    '--to is a flag of callwright call start, callwright call connect and callwright call list',
  ],
  [['call', 'chat', '--assistant', 'desk'], 'pass it as an argument: callwright call chat <assistant>'],
  [['call', 'start', '--form', '+12025550123'], 'did you mean --from?'],
  [['demo', '--verbose'], '--debug'],
  [['-v'], 'callwright --version'],
  [
    ['call', 'begin'],
    'callwright call has the commands start, connect, chat, list, show, say, hangup, batch and log',
  ],
  [['webhook', 'tail', '--until', 'noon'], 'use finished'],
  [['plan', '--api-key', 'k'], 'CALLWRIGHT_API_KEY'],
  [['plan', '--frobnicate'], 'for its flags: callwright plan --help'],
  [['schema', 'asistant'], 'did you mean assistant?'],
  [['demo', '--pace', 'soon'], 'Use 0'],
])('%j lists the alternatives', async (argv, hint) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(hint)
})

test.each([
  [['-h'], 'callwright <command> [flags]'],
  [[], 'callwright <command> [flags]'],
  [['call', '-h'], 'callwright call <command> [flags]'],
  [['call', 'start', '--to', '-h'], 'callwright call start [flags]'],
  [['--json', 'tool', 'update', 'x', '--help'], 'callwright tool update <id> <file> [flags]'],
  [['webhook', 'tail', '--port', 'abc', '-h'], 'callwright webhook tail [flags]'],
])('%j shows the page of what is typed so far', async (argv, usage) => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toContain(usage)
})

test.each([
  [['help', 'exit-code'], 'did you mean callwright help exit-codes?'],
  [['help', 'call', 'strat'], 'did you mean callwright help call start?'],
  [['help', 'topic'], 'did you mean callwright help topics?'],
  [['help', 'tail'], 'callwright webhook tail'],
  [['help', 'listen'], 'callwright webhook tail'],
  [['help', 'frobnication'], 'callwright help topics'],
])('%j suggests the probable name', async (argv, hint) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(hint)
})
