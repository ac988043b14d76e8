import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root, textOf } from './markdown.ts'

test('test/README.md lists every folder of test/ and every helper', async () => {
  const text = await textOf('test/README.md')
  const entries = await readdir(join(root, 'test'), { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  const helpers = (await readdir(join(root, 'test/helpers'))).filter(name => !name.endsWith('.test.ts'))
  expect([...folders, ...helpers].filter(name => !text.includes(`\`${name}\``))).toEqual([])
})

test('AGENTS.md names scripts and files that exist', async () => {
  const text = await textOf('AGENTS.md')
  const scripts = [...text.matchAll(/`npm run (\w+)/g)].map(([, name = '']) => name)
  expect(scripts).toContain('check')
  expect(scripts.filter(name => !Object.hasOwn(packageJson.scripts, name))).toEqual([])
  const files = [...text.matchAll(/`((?:[\w-]+\/)+[\w-]+\.\w+)`/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(15)
  const missing = files.filter(file => ![file, `src/${file}`].some(path => existsSync(join(root, path))))
  expect(missing).toEqual([])
})

test('CONTRIBUTING.md mentions every check and every generator', async () => {
  const text = await textOf('CONTRIBUTING.md')
  const hooks = ['dependencies', 'prepack', 'build', 'release:version']
  const scripts = Object.keys(packageJson.scripts).filter(name => !hooks.includes(name))
  expect(scripts.filter(name => !new RegExp(`\`npm (run )?${name}\``).test(text))).toEqual([])
})
