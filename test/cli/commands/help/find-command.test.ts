import { expect, test } from 'vitest'
import { findCommand, getCommandPath } from '../../../../src/cli/commands/help/command-help.ts'
import { undeclaredTree } from './tree.ts'

const root = undeclaredTree()

test.each([
  [[], 'callyard', undefined],
  [['--json'], 'callyard', undefined],
  [['call'], 'callyard call', undefined],
  [['--profile', 'tool', 'call', 'start'], 'callyard call start', undefined],
  [['--profile=work', 'call', '--json', 'start'], 'callyard call start', undefined],
  [['call', 'start', '--to', 'chat', 'chat'], 'callyard call start', undefined],
  [['tool', 'list', 'create'], 'callyard tool', 'list'],
  [['--timeout', '3s', 'lst'], 'callyard', 'lst'],
])('%j means %s', async (argv, path, unknown) => {
  const found = await findCommand(root, argv)
  expect({ path: getCommandPath(found.command), unknown: found.unknown }).toEqual({ path, unknown })
})
