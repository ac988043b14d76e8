// Help topics as a module: texts of reference, and sections of the guides.
import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guideText } from './guide-text.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Content of the file of a topic that a guide explains: its page and headings. */
const reference = /^docs\/(?<page>[\w-]+\.md): (?<headings>.+)\n$/

/**
 * Returns the source of a module with the text of each topic of the folder as its default, and the sections of the guides as `guides`.
 * @param {string} folder
 */
export async function topicsModule(folder) {
  /** @type {Record<string, string>} */
  const texts = {}
  /** @type {Record<string, { page: string, headings: string[] }>} */
  const guides = {}
  for (const file of (await readdir(folder)).sort()) {
    const { name } = parse(file)
    const text = await readFile(join(folder, file), 'utf8')
    const { page, headings = '' } = reference.exec(text)?.groups ?? {}
    if (page === undefined) texts[name] = text
    else {
      guides[name] = { page, headings: headings.split(' | ') }
      const markdown = await readFile(join(root, 'docs', page), 'utf8')
      texts[name] = `${guideText(markdown, headings.split(' | '))}\nGuide: docs/${page}\n`
    }
  }
  return `export default ${JSON.stringify(texts)}\nexport const guides = ${JSON.stringify(guides)}\n`
}
