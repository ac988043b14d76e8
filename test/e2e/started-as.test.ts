import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { bin, pathWithBin, root } from '../helpers/run-bin.ts'

test.each([
  ['callyard', ['callyard'], {}],
  ['node bin/callyard.js', [process.execPath, 'bin/callyard.js'], {}],
  ['.packed/bin/callyard', [bin], { PATH: process.env.PATH }],
  ['npx callyard', [process.execPath, join(root, 'bin/callyard.js')], { npm_lifecycle_event: 'start' }],
])('a hint shows %s', async (command, [file = '', ...argv], more) => {
  const env = { PATH: pathWithBin, ...more }
  const { stderr } = await execa(file, [...argv, 'tol'], { cwd: root, env, extendEnv: false, reject: false })
  expect(stderr).toContain(`hint: did you mean ${command} tool?`)
})
