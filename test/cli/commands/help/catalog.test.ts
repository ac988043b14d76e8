import { describe, expect, test } from 'vitest'
import { commandSchema } from '../../../../src/cli/commands/command-schemas.ts'
import { helpCatalog } from '../../../../src/cli/commands/help/catalog.ts'
import { getCommandPath, leafCommands } from '../../../../src/cli/commands/help/command-help.ts'
import { CliCommand, effectOf } from '../../../../src/cli/shell/cli-command.ts'
import { exitCodes } from '../../../../src/cli/shell/exit-codes.ts'
import { topicNames } from '../../../../src/cli/shell/help-topics.ts'
import { testCli } from '../../../helpers/test-cli.ts'
import { buildTree } from './tree.ts'

const root = await buildTree()
const leaves = leafCommands(root)
const shells = ['bash', 'zsh', 'fish', 'powershell']
const catalog = await helpCatalog(root)

test('help --json lists every command, exit code and topic', async () => {
  const { exitCode, stdout, stderr } = await (await testCli()).run('help', '--json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(catalog)))
  expect(catalog.commands.map(({ command }) => command)).toEqual(leaves.map(getCommandPath))
  expect(catalog.topics.map(({ name }) => name)).toEqual(topicNames)
  expect(catalog.exitCodes.map(({ exitCode }) => exitCode)).toEqual([0, ...Object.values(exitCodes)])
  expect(catalog.exitCodes.filter(({ meaning }) => meaning === '')).toEqual([])
})

describe.each(leaves.map(command => [getCommandPath(command), command] as const))('%s', (path, command) => {
  const facts = catalog.commands.find(each => each.command === path)

  test('has all of its arguments, flags, examples and topics', () => {
    const visible = command.options.filter(({ hidden }) => !hidden)
    expect(facts?.flags.map(({ flags }) => flags).sort()).toEqual(visible.map(({ flags }) => flags).sort())
    expect(facts?.arguments.map(({ name }) => name)).toEqual(
      command.registeredArguments.map(argument => argument.name()),
    )
    expect(facts).toMatchObject({ examples: [...examplesOf(command)] })
  })
})

test('each command has the schema of its result, unless others read its stdout', async () => {
  const { $id: _, $schema: __, ...schema } = await commandSchema('result:call-start', root)
  expect(catalog.commands.find(({ command }) => command === 'callyard call start')?.result).toEqual(schema)
  const without = catalog.commands.flatMap(({ command, result }) => (result === undefined ? [command] : []))
  expect(without.sort()).toEqual(['callyard mcp', 'callyard sandbox exec'])
})

test('flags have types, allowed values and defaults', () => {
  const flagOf = (path: string, start: string) =>
    catalog.commands
      .find(({ command }) => command === path)
      ?.flags.find(({ flags }) => flags.startsWith(start))
  expect(flagOf('callyard sandbox start', '--port')).toMatchObject({ type: 'integer', minimum: 0 })
  expect(flagOf('callyard webhook tail', '--drain')).toMatchObject({ type: 'string', default: '10s' })
  expect(flagOf('callyard call start', '--var')).toMatchObject({ type: 'array' })
  const completion = catalog.commands.find(({ command }) => command === 'callyard completion')
  expect(completion?.arguments).toEqual([expect.objectContaining({ name: 'shell', enum: shells })])
})

test('help of a command or a group with --json has only those commands', async () => {
  const cli = await testCli()
  const commandsIn = async (...words: string[]) =>
    JSON.parse((await cli.run('help', ...words, '--json')).stdout).commands.map(
      ({ command }: { command: string }) => command,
    )
  expect(await commandsIn('call', 'start')).toEqual(['callyard call start'])
  expect(await commandsIn('faq')).toEqual(['callyard faq push', 'callyard faq ask', 'callyard faq import'])
  const { exitCode, stdout } = await cli.run('help', 'cal', '--json')
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'error', error: { kind: 'usage' } })
})

test('commands with an effect are left to a person', () => {
  const effects = new Map(leaves.map(command => [getCommandPath(command), effectOf(command)]))
  for (const { command, effect, forPerson } of catalog.commands) {
    expect(effect, command).toBe(effects.get(command))
    expect(forPerson, command).toBe(effect !== 'none')
  }
  expect(effects.get('callyard call start')).toBe('calls')
  expect(effects.get('callyard apply')).toBe('changes')
  const ofProfiles = [...effects].filter(([path]) => path.startsWith('callyard profile '))
  const readers = ofProfiles.flatMap(([path, effect]) => (effect === 'none' ? [path] : []))
  expect(readers.sort()).toEqual(['callyard profile list', 'callyard profile show'])
})

function examplesOf(command: unknown): readonly string[] {
  return command instanceof CliCommand ? command.examples : []
}
