import { Argument, Command, Option } from '@commander-js/extra-typings'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandTable } from '../../../../src/cli/commands/completion/command-table.ts'
import { candidatesAt, findCompletion } from '../../../../src/cli/commands/completion/complete.ts'
import { type AnyCommand, Flag, Operand } from '../../../../src/cli/shell/flags/flag.ts'
import { buildTree, undeclaredTree } from '../help/tree.ts'

/** A small tree with one of everything. */
function sampleTree(): Command {
  const root = new Command('callyard')
    .version('1.0.0', '-V, --version', 'Print the version')
    .helpCommand(false)
    .option('--json', 'Print JSON')
    .option('--timeout <duration>', 'Such as 500ms')
  const tool = new Command('tool').description('Tools').helpCommand(false)
  tool
    .command('create')
    .argument('<file>', 'File')
    .option('--dry-run', 'Send nothing')
    .addOption(new Option('--hidden <x>', 'Hidden').hideHelp())
  tool.command('update').argument('<key>', 'Id of the tool').argument('<file>', 'File')
  const webhook = new Command('webhook').summary('Short').description('Long').helpCommand(false)
  webhook
    .command('tail')
    .addOption(new Option('--until <state>', 'When to stop').choices(['finished', "it's over", 'a:b']))
    .addOption(new Flag('--role <role>', 'Roles').offers(['user', 'system']).repeatable(text => text))
    .option('-r, --record <file>', 'Record into a file')
    .addOption(new Flag('--out <file>', 'Write a file').completesExtensions(['.xml', '.sarif']))
    .option('--path <path>', 'Path of the URL')
    .option('--data-dir <folder>', 'Where records go')
    .option('--send <[type=]url>', 'Send')
    .option('--tunnel [command]', 'Tunnel')
  for (const command of [tool, webhook]) root.addCommand(command)
  root.command('validate').argument('<path...>', 'Files and folders')
  root.addCommand(
    new Command('print').addArgument(new Argument('<kind>', 'Kind').choices(['assistant', 'tool'])),
  )
  root.addCommand(new Command('secret'), { hidden: true })
  root.addCommand(
    new Command('help')
      .addArgument(new Operand('[topic...]', 'Topic').completes('topics'))
      .description('Help'),
  )
  return root
}

const sample = await commandTable(sampleTree())

const answerTo = (line: string) => {
  const words = line.split(' ')
  return candidatesAt(findCompletion(sample, words.slice(0, -1), words.at(-1) ?? ''))
}
const offersFor = (line: string) => answerTo(line).offers.map(({ value }) => value)

const globals = ['--json', '--timeout', '-h', '--help']

describe('commands and flags', () => {
  test.each([
    ['', ['tool', 'webhook', 'validate', 'print', 'help']],
    ['t', ['tool']],
    ['se', []],
    ['tool ', ['create', 'update']],
    ['--json --timeout tool webhook ', ['tail']],
    ['--timeout=tool webhook ', ['tail']],
    ['-', ['-V', '--version', '-h', '--help', '--json', '--timeout']],
    ['tool -', ['-h', '--help', '--json', '--timeout']],
    ['tool create -', ['--dry-run', '-h', '--help', '--json', '--timeout']],
    ['tool create --hidden=', []],
    ['tool create --dry-run=', []],
    ['tool create --none=', []],
    ['tool nothing ', ['-h', '--help', '--json', '--timeout']],
    ['tool nothing -- ', []],
    ['tool create a.yaml -- --', []],
  ])('%j', (line, expected) => {
    expect(offersFor(line).sort()).toEqual([...expected].sort())
  })

  test('a flag is offered once, unless it is repeatable', () => {
    const offered = offersFor('--json webhook tail --role user -r a --path p --tunnel --')
    expect(offered).toEqual(['--until', '--role', '--out', '--data-dir', '--send', '--help', '--timeout'])
    expect(offersFor('webhook tail -r a --record')).toEqual([])
  })

  test('a command is described by its summary', () => {
    expect(answerTo('w').offers).toEqual([{ value: 'webhook', description: 'Short' }])
  })

  test('completes commands and topics after help, but neither help nor flags', () => {
    const offered = offersFor('help ')
    expect(offered).toEqual(expect.arrayContaining(['tool', 'print', 'topics', 'exit-codes']))
    expect(offered).not.toContain('help')
    expect(offered).not.toContain('secret')
    expect(offersFor('help tool ')).toEqual(['create', 'update'])
    expect(offersFor('help tool create ')).toEqual([])
    expect(offersFor('help tool create -').sort()).toEqual([...globals].sort())
  })
})

describe('values', () => {
  test.each([
    ['webhook tail --until ', ['finished', "it's over", 'a:b']],
    ['webhook tail --until fi', ['finished']],
    ['webhook tail --until=fi', ['--until=finished']],
    ['webhook tail --role user --role s', ['system']],
    ['print ', ['assistant', 'tool']],
    ['print -- t', ['tool']],
    ['webhook tail --tunnel --pa', ['--path']],
  ])('%j', (line, expected) => {
    expect(answerTo(line)).toMatchObject({
      offers: expected.map(value => ({ value })),
      alsoTakes: 'words',
    })
  })

  test.each([
    ['', []],
    ['../', []],
    ['out/report', ['out/report.xml', 'out/report.sarif']],
    ['v1.2/report.s', ['v1.2/report.sarif']],
    ['report.xml', ['report.xml']],
    ['report.pdf', []],
  ])('a new file %j gets an extension of the flag', (word, expected) => {
    expect(answerTo(`webhook tail --out ${word}`)).toEqual({
      offers: expected.map(value => ({ value })),
      alsoTakes: 'files',
      noSpace: false,
    })
    expect(offersFor(`webhook tail --out=${word}`)).toEqual(expected.map(value => `--out=${value}`))
  })

  test.each([
    ['webhook tail --record ', 'files'],
    ['webhook tail -r ', 'files'],
    ['webhook tail --record=', 'files'],
    ['webhook tail --send ', 'words'],
    ['webhook tail --data-dir ', 'folders'],
    ['webhook tail --path ', 'words'],
    ['webhook tail --tunnel ', 'words'],
    ['tool create ', 'files'],
    ['tool create -- -', 'files'],
    ['tool update ', 'words'],
    ['tool update 1 ', 'files'],
    ['tool update 1 --json ', 'files'],
    ['validate ', 'files'],
    ['validate a b ', 'files'],
  ])('%j accepts %s', (line, alsoTakes) => {
    expect(answerTo(line)).toEqual({ offers: [], alsoTakes, noSpace: false })
  })

  test('are not looked up if none are known', () => {
    expect(findCompletion(sample, ['tool', 'update'], '').source).toBeUndefined()
    expect(findCompletion(sample, ['--timeout'], '').source).toBeUndefined()
  })
})

test('looks up the values of a flag as its command declares it', async () => {
  const table = await commandTable(undeclaredTree())
  const sourceOf = (line: string) => findCompletion(table, line.split(' '), '').source
  expect(sourceOf('apply --forget')).toBe('forget')
  expect(sourceOf('faq push --forget')).toBeUndefined()
})

test('completes every command of the tree with its description', async () => {
  const root = await buildTree()
  const table = await commandTable(undeclaredTree())
  const check = (command: AnyCommand, path: readonly string[]): void => {
    for (const child of command.createHelp().visibleCommands(command)) {
      expect(candidatesAt(findCompletion(table, path, child.name())).offers).toContainEqual({
        value: child.name(),
        description: child.summary() || child.description(),
      })
      check(child, [...path, child.name()])
    }
  }
  check(root, [])
})

test('accepts any line, and each completion starts with the word', () => {
  const word = fc.oneof(
    fc.constantFrom('tool', 'webhook', 'tail', 'help', '--', '-', '-r', '--until', '--until=', '--tunnel'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(word), word, (before, at) => {
      const { offers } = candidatesAt(findCompletion(sample, before, at))
      expect(offers.filter(({ value }) => !value.startsWith(at))).toEqual([])
    }),
  )
})
