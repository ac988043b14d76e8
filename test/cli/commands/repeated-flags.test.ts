import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { type AnyCommand, Flag } from '../../../src/cli/shell/flags/flag.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { buildTree } from './help/tree.ts'

/** Two values that some parser takes. */
const samples = [
  ['1', '2'],
  ['/a', '/b'],
  ['a', 'b'],
  ['30s', '40s'],
  ['10mb', '20mb'],
  ['name=Ada', 'day=Monday'],
  ['name: Ada', 'day: Monday'],
  ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
  ['user', 'assistant'],
  ['queued', 'finished'],
  ['duplicate', 'drop'],
  ['hang', 'reset'],
  ['a.json', 'b.json'],
  ['a.xml', 'b.xml'],
  ['a.yaml', 'b.yaml'],
  ['a.csv', 'b.csv'],
] as const

function parsedFlags(command: AnyCommand, path: string): [string, Option][] {
  return [
    ...command.options.flatMap((option): [string, Option][] =>
      option.parseArg === undefined || option.argChoices !== undefined
        ? []
        : [[`${path} ${option.flags}`, option]],
    ),
    ...command.commands.flatMap(child => parsedFlags(child, `${path} ${child.name()}`)),
  ]
}

const parsed = parsedFlags(await buildTree(), 'callyard')

/** Result of the second of two values: alone, and after the first. */
function parsePairs(option: Option): { readonly alone: unknown; readonly both: unknown }[] {
  const parse = (text: string, before?: unknown): unknown => {
    try {
      return option.parseArg?.(text, before)
    } catch (error) {
      if (error instanceof InvalidArgumentError) return undefined
      throw error
    }
  }
  return samples.flatMap(([one, other]) => {
    const before = parse(one)
    const alone = parse(other)
    return before === undefined || alone === undefined ? [] : [{ alone, both: parse(other, before) }]
  })
}

const checked = parsed.flatMap(([flag, option]) => {
  const pairs = parsePairs(option)
  return pairs.length === 0 ? [] : [[flag, option, pairs] as const]
})

describe('flag with one value', () => {
  test('given twice is wrong usage, and nothing is sent', async () => {
    const cli = await testCli()
    const numbers = ['--from', '+12025550100', '--to', '+12025550123', '--to', '+12025550124']
    const { exitCode, stderr } = await cli.run('call', 'start', ...numbers)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--to is given twice: +12025550123 and +12025550124')
    expect(stderr).toContain('hint: it takes one value; remove the other')
    expect(cli.requests).toEqual([])
  })

  test('is found before and after the command, and in the form with =', async () => {
    const cli = await testCli()
    const { exitCode, stderr } = await cli.run('--profile', 'one', 'profile', 'list', '--profile=two')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--profile is given twice: one and two')
  })

  test('--json says so in its document', async () => {
    const cli = await testCli()
    const { stdout } = await cli.run('plan', '--json', '--target', 'a', '--target', 'a')
    expect(JSON.parse(stdout).error).toMatchObject({
      kind: 'usage',
      message: '--target is given twice: a and a',
    })
  })

  test.each(checked)('%s collects if and only if it is declared as repeatable', (_, option, pairs) => {
    const collects = option instanceof Flag && option.isRepeatable
    for (const { alone, both } of pairs) {
      if (collects) expect(both).not.toEqual(alone)
      else expect(both).toEqual(alone)
    }
  })

  test('most flags with a parser accept one of the samples', () => {
    expect(checked.length).toBeGreaterThan(parsed.length * 0.8)
    expect(checked.map(([flag]) => flag)).toContain('callyard call start --var <name=value>')
  })
})
