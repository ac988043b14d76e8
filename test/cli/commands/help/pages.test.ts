import { describe, expect, test } from 'vitest'
import { getCommandPath, usageLine } from '../../../../src/cli/commands/help/command-help.ts'
import { CliCommand } from '../../../../src/cli/shell/cli-command.ts'
import type { AnyCommand } from '../../../../src/cli/shell/flags/flag.ts'
import { buildTree, commandsOf } from './tree.ts'

const root = await buildTree()
const pages = commandsOf(root).map(command => ({
  path: getCommandPath(command),
  command,
  lines: command.helpInformation().trimEnd().split('\n'),
  allLines: linesOfAll(command),
}))
const below = pages.filter(({ command }) => command !== root)

/** Lines of the page with `--all`. */
function linesOfAll(command: AnyCommand): string[] {
  if (!(command instanceof CliCommand)) return []
  command.showsAllFlags = true
  const page = command.helpInformation()
  command.showsAllFlags = false
  return page.trimEnd().split('\n')
}

/** First words of what a command does. */
const verbs = [
  'Add',
  'Approve',
  'Build',
  'Call',
  'Cancel',
  'Continue',
  'Convert',
  'Chat',
  'Check',
  'Create',
  'Deploy',
  'Draft',
  'End',
  'Export',
  'Find',
  'Generate',
  'Insert',
  'List',
  'Make',
  'Manage',
  'Pause',
  'Place',
  'Print',
  'Protect',
  'Receive',
  'Remove',
  'Replace',
  'Run',
  'Save',
  'Say',
  'Send',
  'Serve',
  'Show',
  'Start',
  'Switch',
  'Test',
  'Update',
  'Watch',
  'Write',
]

test('the root, groups and commands have pages', () => {
  expect(pages.length).toBeGreaterThan(30)
})

test('the root page fits a screen of 24 lines, and names less used commands on one', () => {
  expect(pages[0]?.lines.length).toBeLessThan(24)
  expect(pages[0]?.lines.at(-1)).toBe('ALSO      schema, api, completion, mcp, approve')
  expect(pages[0]?.lines.join('\n')).toContain('callyard help flags')
})

test('the root page is wrapped on a narrow terminal', async () => {
  const lines = (await buildTree(undefined, 60)).helpInformation().split('\n')
  expect(lines.filter(line => line.length > 60)).toEqual([])
  expect(lines).toContain('START     demo       Watch an assistant take a call in a')
  expect(lines).toContain('                     local sandbox')
})

describe.each(pages)('$path', ({ path, command, lines, allLines }) => {
  test('is at most 45 lines of 80 columns', () => {
    expect(lines.length).toBeLessThanOrEqual(45)
    expect([...lines, ...allLines].filter(line => line.length > 80)).toEqual([])
  })

  test('says how many flags it leaves out', () => {
    const flagsIn = (page: readonly string[]) => page.filter(line => /^ {2}(-\w, )?--/.test(line)).length
    const left = flagsIn(allLines) - flagsIn(lines)
    const counts = lines.filter(line => line.endsWith(`: ${path} --help --all`))
    expect(counts.map(line => Number.parseInt(line, 10))).toEqual(left === 0 ? [] : [left])
  })

  test('says in one line what it does, a verb first, without a full stop', () => {
    const [first = ''] = lines
    expect(first).toBe(command.description())
    expect(first).toMatch(/[^.]$/)
    expect(verbs).toContain(first.split(/[ ,]/)[0])
    if (command.summary() !== '') expect(verbs).toContain(command.summary().split(/[ ,]/)[0])
  })

  test('shows one to three examples that start or continue with callyard', () => {
    const examples = command instanceof CliCommand ? command.examples : []
    expect(examples.length).toBeGreaterThanOrEqual(1)
    expect(examples.length).toBeLessThanOrEqual(3)
    for (const example of examples) expect(example).toMatch(/(^|\| |\()callyard /)
    if (command.commands.length === 0) for (const example of examples) expect(example).toContain(path)
  })
})

describe.each(below)('$path', ({ command, lines, allLines }) => {
  const at = (line: string) => lines.indexOf(line)

  test('is ordered: usage, examples, commands or flags, topics', () => {
    expect(lines.slice(1, 4)).toEqual(['', 'USAGE', `  ${usageLine(command)}`])
    expect(at('EXAMPLES')).toBe(5)
    const headings = lines.filter(line => /^[A-Z][A-Z ]+$/.test(line))
    expect(headings.slice(0, 2)).toEqual(['USAGE', 'EXAMPLES'])
    expect(headings.at(-1)).toBe('LEARN MORE')
  })

  test('lists the global flags in the last line', () => {
    expect(lines.at(-1)).toMatch(/^ {2}callyard help flags +\S/)
    expect(lines.join('\n')).not.toMatch(/^ {2}--(json|profile|base-url|no-color)\b/m)
  })

  test('with --all, describes each flag and argument in one or two lines, with many choices three: sentence case, no full stop', () => {
    const listed = allLines.slice(allLines.indexOf('EXAMPLES'), allLines.indexOf('LEARN MORE'))
    const options = command.createHelp().visibleOptions(command)
    for (const { description } of [...options, ...command.registeredArguments]) {
      expect(description).toMatch(/^(\p{Lu}|-)/u)
      expect(description).toMatch(/[^.]$/)
    }
    for (const { long, argChoices = [] } of options) {
      if (long === '--help' || long === undefined) continue
      const first = listed.findIndex(line => new RegExp(`^ +(-\\w, )?${long}\\b`).test(line))
      expect(first, long).toBeGreaterThan(0)
      const more = listed.slice(first + 1).findIndex(line => !/^ {10}/.test(line))
      expect(more, long).toBeLessThanOrEqual(argChoices.length > 5 ? 2 : 1)
    }
  })

  test('prints one line per topic', () => {
    for (const line of lines.slice(at('LEARN MORE') + 1)) {
      expect(line).toMatch(/^ {2}callyard help [\w-]+ +\S/)
    }
  })
})

test.each(['pause', 'cancel', 'status', 'remove'])('batch %s has no flags for settings of a batch', verb => {
  const { allLines = [] } = pages.find(({ path }) => path === `callyard batch ${verb}`) ?? {}
  expect(allLines.join('\n')).toContain('--queue <url>')
  expect(allLines.join('\n')).not.toMatch(/^SETTINGS OF THE BATCH|--(from|rate|max-calls) /m)
})
