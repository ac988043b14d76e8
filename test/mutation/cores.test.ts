import { readFile } from 'node:fs/promises'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { cores } from './cores.ts'

test.each(Object.entries(cores))('the files and tests of %s exist', async (_, core) => {
  for (const pattern of [...core.sources, ...core.tests].flatMap(alternatives)) {
    expect(await glob(pattern, { expandDirectories: false }), pattern).not.toEqual([])
  }
  const sources = await glob([...core.sources], { expandDirectories: false })
  for (const { file } of core.equivalent) {
    expect(
      sources.filter(path => path.endsWith(`/${file}`)),
      file,
    ).toHaveLength(1)
  }
})

test('the table of test/README.md has a row for each core', async () => {
  const text = await readFile('test/README.md', 'utf8')
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| \d+ \| [\d.]+ % \| \d+ \|$/gm)].map(([, name]) => name)
  expect(rows.toSorted()).toEqual(Object.keys(cores).toSorted())
})

/** Returns one pattern for each name in `{a,b}` or `!(a|b)`, so that none of them may match nothing. */
function alternatives(pattern: string): string[] {
  const [list, names] = /!?[({](.*)[)}]/.exec(pattern) ?? []
  if (list === undefined || names === undefined) return [pattern]
  return names.split(/[,|]/).map(name => pattern.replace(list, name))
}
