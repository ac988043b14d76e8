import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandAsStarted } from '../../../src/cli/shell/started-as.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const platform = 'linux'

test.each([
  ['a link on the PATH', '/usr/local/bin/callyard', {}, 'callyard'],
  ['a link elsewhere', '/work/desk/node_modules/.bin/callyard', {}, 'node_modules/.bin/callyard'],
  ['a link in this folder', '/work/desk/callyard', {}, './callyard'],
  ['a link in another folder', '/opt/my tools/callyard', {}, "'/opt/my tools/callyard'"],
  ['node with the file of a clone', '/work/desk/bin/callyard.js', {}, 'node bin/callyard.js'],
  ['node with a file elsewhere', '/opt/callyard/bin/callyard.js', {}, 'node /opt/callyard/bin/callyard.js'],
  ['npm start', '/work/desk/bin/callyard.js', { npm_lifecycle_event: 'start' }, 'npx callyard'],
  ['npx', '/work/desk/node_modules/.bin/callyard', { npm_lifecycle_event: 'npx' }, 'npx callyard'],
])('after %s', (_, script, env, command) => {
  const all = { PATH: '/usr/bin:/usr/local/bin/', ...env }
  expect(commandAsStarted({ script, env: all, platform }, '/work/desk')).toBe(command)
})

test('a wrapper script on the PATH is callyard, as those of pnpm and npm on Windows', async () => {
  const folder = await temporaryFolder()
  const script = join(folder, 'lib/node_modules/callyard/bin/callyard.js')
  const env = { PATH: join(folder, 'bin') }
  const command = () => commandAsStarted({ script, env, platform }, folder)
  expect(command()).toBe('node lib/node_modules/callyard/bin/callyard.js')
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin/callyard'), '')
  expect(command()).toBe('callyard')
  expect(commandAsStarted({ script, env, platform: 'win32' }, folder)).toMatch(/^node /)
})
