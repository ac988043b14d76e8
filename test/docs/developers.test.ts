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

test('AGENTS.md names scripts that exist', async () => {
  const text = await textOf('AGENTS.md')
  const scripts = [...text.matchAll(/`npm run (\w+)/g)].map(([, name = '']) => name)
  expect(scripts).toContain('check')
  expect(scripts.filter(name => !Object.hasOwn(packageJson.scripts, name))).toEqual([])
})

const roomRow = /^\| `(\w+)\/` \| (.*) \|$/gm

test.each(['AGENTS.md', 'CONTRIBUTING.md', 'docs/architecture.md'])(
  'the files and folders that %s names exist',
  async page => {
    const paths = [
      ...(await textOf(page)).replaceAll(roomRow, '').matchAll(/`((?:[\w-]+\/)+[\w-]+(?:\/|\.\w+))`/g),
    ].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(9)
    const isPresent = (path: string) =>
      [path, `src/${path}`].some(candidate => existsSync(join(root, candidate)))
    expect(paths.filter(path => !isPresent(path))).toEqual([])
  },
)

test('each room of docs/architecture.md has the files and folders of its row', async () => {
  const rows = [...(await textOf('docs/architecture.md')).matchAll(roomRow)]
  expect(rows).toHaveLength(13)
  for (const [, room = '', content = ''] of rows) {
    const entries = await readdir(join(root, 'src', room), { recursive: true })
    const names = [...content.matchAll(/`([\w/-]+(?:\/|\.ts))`/g)].map(([, name = '']) =>
      name.replace(/\/$/, ''),
    )
    expect(names.filter(name => !entries.some(entry => `/${entry}`.endsWith(`/${name}`)))).toEqual([])
  }
})

test('CONTRIBUTING.md mentions every check and every generator', async () => {
  const text = await textOf('CONTRIBUTING.md')
  const hooks = ['dependencies', 'prepack', 'build', 'release:version']
  const scripts = Object.keys(packageJson.scripts).filter(name => !hooks.includes(name))
  expect(scripts.filter(name => !new RegExp(`\`npm (run )?${name}\``).test(text))).toEqual([])
})
