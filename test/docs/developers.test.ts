import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root, textOf } from './markdown.ts'

test('test/README.md lists every folder of test/ and every helper', async () => {
  const text = await textOf('test/README.md')
  const entries = await readdir(join(root, 'test'), { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  const helpers = await readdir(join(root, 'test/helpers'))
  expect([...folders, ...helpers].filter(name => !text.includes(`\`${name}\``))).toEqual([])
})

test('CONTRIBUTING.md mentions every check and every generator', async () => {
  const text = await textOf('CONTRIBUTING.md')
  const hooks = ['dependencies', 'prepack', 'build', 'release:version']
  const scripts = Object.keys(packageJson.scripts).filter(name => !hooks.includes(name))
  expect(scripts.filter(name => !new RegExp(`\`npm (run )?${name}\``).test(text))).toEqual([])
})
