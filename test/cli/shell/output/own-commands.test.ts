import { expect, test } from 'vitest'
import { commandPaths } from '../../../../src/cli/commands/program.ts'
import { createAsStarted } from '../../../../src/cli/shell/output/own-commands.ts'

const asStarted = createAsStarted(commandPaths())
const shown = (text: string) => asStarted(text, () => 'node bin/callyard.js')

test('every command is shown as it was started', () => {
  const groups = ['sandbox <command>', 'sandbox --help']
  for (const path of [...commandPaths(), ...groups, '--version'].filter(word => word !== 'sandbox'))
    expect(shown(`run callyard ${path}; or (callyard ${path})`)).toBe(
      `run node bin/callyard.js ${path}; or (node bin/callyard.js ${path})`,
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
