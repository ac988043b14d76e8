import { expect, test } from 'vitest'
import { filesOf, headingsOf, textOf } from './markdown.ts'

const pages = (await filesOf('docs/decisions/*.md')).filter(path => !path.endsWith('README.md'))

test.each(pages)('%s says context, decision and consequence under its own number', async path => {
  const [title = '', ...parts] = headingsOf(await textOf(path))
  expect(title).toMatch(new RegExp(`^${/\d{4}/.exec(path)?.[0]} `))
  expect(parts).toEqual(['Context', 'Decision', 'Consequence'])
})

test('the index has every page once with its title, in order in each list', async () => {
  const index = await textOf('docs/decisions/README.md')
  const lists = index
    .split(/^##+ /m)
    .map(list =>
      [...list.matchAll(/^- \[(\d{4})\]\((.+?)\) (.+)$/gm)].map(
        ([, number, file, title]) => [`docs/decisions/${file}`, `${number} ${title}`] as const,
      ),
    )
  const titles = await Promise.all(pages.map(async path => headingsOf(await textOf(path))[0]))
  expect(lists.flat().toSorted()).toEqual(pages.map((path, at) => [path, titles[at]]))
  for (const list of lists) expect(list).toEqual(list.toSorted())
  expect(pages.map(path => Number(/\d{4}/.exec(path)?.[0]))).toEqual(pages.map((_, at) => at + 1))
})

test('each decision about the interface names sections of the interface that exist', async () => {
  const rows = [...(await textOf('docs/interface-decisions.md')).matchAll(/^\| ([\d., –]+) \|/gm)]
  const sections = headingsOf(await textOf('docs/interface.md')).map(
    heading => /^\d+(\.\d+)?/.exec(heading)?.[0],
  )
  expect(rows.length).toBeGreaterThan(30)
  const named = rows.flatMap(([, cell = '']) => cell.split(/, |–/)).filter(Boolean)
  expect(named.filter(section => !sections.includes(section))).toEqual([])
})
