import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { llmsText, skillFile } from '../../../../scripts/documents.ts'
import { filesOf } from '../../../docs/markdown.ts'

const read = (file: string) => readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8')
const index = llmsText(await read('docs/README.md'))

test.each([
  ['skills/callyard/SKILL.md', await skillFile()],
  ['llms.txt', index],
])('%s is current', async (file, text) => {
  expect((await read(file)) === text, `${file} is stale; run: npm run docs`).toBe(true)
})

test('llms.txt lists every guide, and the package has each as plain Markdown', async () => {
  const listed = [...index.matchAll(/\((.+?\.md)\)/g)].map(([, file]) => file)
  const guides = (await filesOf('docs/*.md')).filter(file => file !== 'docs/README.md')
  expect(listed).toEqual(expect.arrayContaining([...guides, 'README.md']))
  const { files } = JSON.parse(await read('package.json'))
  expect(files).toEqual(expect.arrayContaining(['docs/*.md', 'skills', 'llms.txt']))
})
