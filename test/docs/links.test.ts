import { stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { anchorsOf, filesOf, proseOf, root, textOf } from './markdown.ts'

const pages = await filesOf('*.md', '{docs,test,.changeset,.github}/**/*.md')

test('the pages are found', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/interface.md']))
})

test.each(pages)('the links of %s lead to files and headings that exist', async page => {
  const targets = linksOf(await textOf(page))
  const problems = await Promise.all(targets.map(target => problemOf(page, target)))
  expect(problems.filter(problem => problem !== undefined)).toEqual([])
})

test.each(pages)('the source files in %s exist', async page => {
  const code = [...proseOf(await textOf(page)).matchAll(/`((?:src|test|scripts|\.github)\/[\w./-]+)`/g)]
  const paths = code.map(([, path = '']) => path)
  const found = await Promise.all(paths.map(path => stat(join(root, path)).catch(() => undefined)))
  expect(paths.filter((_, index) => found[index] === undefined)).toEqual([])
})

async function problemOf(page: string, target: string): Promise<string | undefined> {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : relative(root, join(root, dirname(page), decodeURI(path)))
  if (file.startsWith('..')) return `${target} leads out of the repository`
  const found = await stat(join(root, file)).catch(() => undefined)
  if (found === undefined) return `${target}: there is no ${file}`
  if (anchor === undefined || anchorsOf(await textOf(file)).has(anchor)) return undefined
  return `${target}: ${file} has no such heading`
}

/** Links, images and definitions of links; not those to other hosts. */
function linksOf(markdown: string): string[] {
  const prose = proseOf(markdown).replace(/`[^`\n]*`/g, '')
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)]
  const definitions = [...prose.matchAll(/^ *\[[^\]]+\]: +<?(\S+?)>?(?: .*)?$/gm)]
  const pictures = [...prose.matchAll(/<(?:source|img)\b[^>]* src(?:set)?="([^"]+)"/g)]
  return [...inline, ...definitions, ...pictures]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z][a-z+.-]*:/i.test(target))
}
