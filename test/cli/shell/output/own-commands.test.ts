import { expect, test } from 'vitest'
import { getCommandPath, leafCommands } from '../../../../src/cli/commands/help/command-help.ts'
import { asStarted } from '../../../../src/cli/shell/output/own-commands.ts'
import { buildTree } from '../../commands/help/tree.ts'

const shown = (text: string) => asStarted(text, () => 'node bin/callyard.js')

test('every command is shown as it was started', async () => {
  const paths = leafCommands(await buildTree()).map(getCommandPath)
  for (const path of [...paths, 'callyard --version'])
    expect(shown(`run ${path}; or (${path})`)).toBe(
      `run ${path}; or (${path})`.replaceAll('callyard', 'node bin/callyard.js'),
    )
})

test.each([
  'another callyard is using the project',
  'This is the callyard sandbox: no model is connected',
  'upgrade callyard, or record again',
  'remove .callyard test files, /opt/callyard test',
  'callyard testing',
])('prose stays: %s', text => {
  expect(shown(text)).toBe(text)
})
