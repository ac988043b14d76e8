import { Argument } from '@commander-js/extra-typings'
import { expect, expectTypeOf, test } from 'vitest'
import { CliCommand, defineCommand, type Runner } from '../../../src/cli/shell/cli-command.ts'
import {
  Flag,
  type NoOptions,
  type OptionsOf,
  type withFileFlags,
  withTargetFlag,
} from '../../../src/cli/shell/flags/flag.ts'
import { collect, parsePort } from '../../../src/cli/shell/flags/option-parsers.ts'

const push = defineCommand({
  description: 'Push files',
  effect: 'changes',
  flags: command =>
    withTargetFlag(
      command
        .argument('<file>')
        .addArgument(new Argument('[kind]').choices(['tool', 'assistant']))
        .option('--port <number>', 'Port', parsePort, 4000)
        .option('--dry-run', 'Send nothing')
        .addOption(new Flag('--only <name>', 'Only this one').repeatable(collect)),
    ),
  result: async () => ({}),
  run: async (options, _context, [file, kind]) => {
    expectTypeOf(options).toEqualTypeOf<{
      port: number
      dryRun?: true
      only?: string[]
      target?: string
    }>()
    expectTypeOf(file).toEqualTypeOf<string>()
    expectTypeOf(kind).toEqualTypeOf<'tool' | 'assistant' | undefined>()
    // @ts-expect-error: a flag that is not declared under this name
    expectTypeOf(options.onlyThis)
  },
  handlesSignal: ({ dryRun }) => dryRun === true,
})

test('run gets typed flags and arguments; options decide whether it ends itself', async () => {
  const ends: boolean[] = []
  const run: Runner = async (_command, _work, { handlesSignal }) => void ends.push(handlesSignal)
  const parse = async (...argv: string[]) => {
    const command = new CliCommand('push', async each => push(each, run))
    await command.declared()
    await command.parseAsync(argv, { from: 'user' })
  }
  await parse('a.yaml', '--only', 'a', '--only', 'b', '--dry-run')
  await parse('a.yaml')
  expect(ends).toEqual([true, false])
})

test('a flag group keeps earlier declarations and has its own type', () => {
  expectTypeOf<OptionsOf<typeof withFileFlags<[], NoOptions>>>().toEqualTypeOf<{
    readonly allowUnknown?: boolean | undefined
    readonly allowOutsideFiles?: boolean | undefined
  }>()
  const { description } = new Flag('--only <name>', 'Only this one').secret().repeatable(collect)
  expect(description).toBe('Only this one (repeatable)')
})
