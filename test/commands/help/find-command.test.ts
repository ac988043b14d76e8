import { expect, test } from 'vitest'
import { findCommand, getCommandPath } from '../../../src/commands/help/command-help.ts'
import { undeclaredTree } from './tree.ts'

const root = undeclaredTree()

test.each([
  [[], 'callwright', undefined],
  [['--json'], 'callwright', undefined],
  [['call'], 'callwright call', undefined],
  [['--profile', 'tool', 'call', 'start'], 'callwright call start', undefined],
  [['--profile=work', 'call', '--json', 'start'], 'callwright call start', undefined],
  [['call', 'start', '--to', 'chat', 'chat'], 'callwright call start', undefined],
  [['tool', 'list', 'create'], 'callwright tool', 'list'],
  [['--timeout', '3s', 'lst'], 'callwright', 'lst'],
])('%j means %s', async (argv, path, unknown) => {
  const found = await findCommand(root, argv)
  expect({ path: getCommandPath(found.command), unknown: found.unknown }).toEqual({ path, unknown })
})
