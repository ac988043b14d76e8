import { expect, test } from 'vitest'
import { getCommandPath, hasAction, usageLine } from '../../../../src/cli/commands/help/command-help.ts'
import { commandPaths } from '../../../../src/cli/commands/program.ts'
import { CliCommand } from '../../../../src/cli/shell/cli-command.ts'
import { testCli } from '../../../helpers/test-cli.ts'
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

/** `start, connect and log`. */
const callVerbs = new Intl.ListFormat('en-GB').format(
  commandPaths().flatMap(path => path.match(/^call (\w+)$/)?.[1] ?? []),
)

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
      next: [['callyard help', ...argv].join(' ')],
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
  [['call', 'start'], '--from and --to are missing', 'callyard call start [flags]'],
  [['call', 'start', '--from'], '--from needs a value: --from <number>', 'callyard call start [flags]'],
  [['webhook', 'trigger', 'call'], '--to is missing', 'callyard webhook trigger <what> [flags]'],
  [['assistant', 'create'], 'cannot prompt', 'callyard assistant create [file] [flags]'],
  [['demo', 'now'], 'callyard demo takes no argument', 'callyard demo [flags]'],
])('%j prints the missing or extra arguments and the usage line', async (argv, message, usage) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(message)
  expect(result.stderr).toContain(`\nusage: ${usage}\nexample: callyard `)
})

test.each([
  [['call', 'start', '--phone-number-id', 'pn_1'], '--phone-number-id is a flag of callyard call connect'],
  [
    ['call', '--to', '+12025550123'],
    '--to is a flag of callyard call start, callyard call connect and callyard call list',
  ],
  [['call', 'chat', '--assistant', 'desk'], 'pass it as an argument: callyard call chat <assistant>'],
  [['call', 'start', '--form', '+12025550123'], 'did you mean --from?'],
  [['demo', '--verbose'], '--debug'],
  [['-v'], 'callyard --version'],
  [['call', 'begin'], `callyard call has the commands ${callVerbs}`],
  [['webhook', 'tail', '--until', 'noon'], 'use finished'],
  [['plan', '--api-key', 'k'], 'CALLYARD_API_KEY'],
  [['plan', '--frobnicate'], 'for its flags: callyard plan --help'],
  [['schema', 'asistant'], 'did you mean assistant?'],
  [['demo', '--pace', 'soon'], 'Use 0'],
])('%j lists the alternatives', async (argv, hint) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(hint)
})

test.each([
  [['-h'], 'callyard <command> [flags]'],
  [[], 'callyard <command> [flags]'],
  [['call', '-h'], 'callyard call <command> [flags]'],
  [['call', 'start', '--to', '-h'], 'callyard call start [flags]'],
  [['--json', 'tool', 'update', 'x', '--help'], 'callyard tool update <id> <file> [flags]'],
  [['webhook', 'tail', '--port', 'abc', '-h'], 'callyard webhook tail [flags]'],
])('%j shows the page of what is typed so far', async (argv, usage) => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run(...argv)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toContain(usage)
})

test.each([
  [['help', 'exit-code'], 'did you mean callyard help exit-codes?'],
  [['help', 'call', 'strat'], 'did you mean callyard help call start?'],
  [['help', 'topic'], 'did you mean callyard help topics?'],
  [['help', 'listen'], 'callyard webhook tail'],
  [['help', 'frobnication'], 'callyard help topics'],
])('%j suggests the probable name', async (argv, hint) => {
  const cli = await testCli()
  const result = await cli.run(...argv)
  expect(result).toMatchObject({ exitCode: 2, stdout: '' })
  expect(result.stderr).toContain(hint)
})

test.each([
  ['csv', 'callyard help batch export', 'Batch calls: A list'],
  ['opt-out', 'callyard help batch run', 'Batch calls: Opting out'],
  ['tail', 'callyard help webhook tail', 'Team: Tails'],
])('help %s lists the commands, topics and guides that have the word', async (word, command, section) => {
  const cli = await testCli()
  const { exitCode, stdout, stderr } = await cli.run('help', word)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout.split('\n').length).toBeLessThanOrEqual(14)
  const { matches } = JSON.parse((await cli.run('help', word, '--json')).stdout)
  for (const match of matches) expect(stdout).toContain(match.command ?? match.guide)
  expect(matches.map((match: { command: string }) => match.command)).toContain(command)
  expect(matches.map((match: { description: string }) => match.description)).toContain(section)
})
