// Help topics as a module: texts of reference, sections of the guides, and what the search of help finds in the other sections.
import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lexer } from 'marked'
import { guideText } from './guide-text.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Pages of docs/ that are generated, or about the code. */
const notGuides = ['README.md', 'reference.md', 'architecture.md', 'speed.md']
/** Content of the file of a topic that a guide explains: its page and headings. */
const reference = /^docs\/(?<page>[\w-]+\.md): (?<headings>.+)\n$/

/**
 * Returns the source of a module with the text of each topic of the folder as its default, the sections of the guides that they print as
 * `guides`, and the others as `sections`.
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
  const sections = await otherSections(guides)
  return `export default ${JSON.stringify(texts)}
export const guides = ${JSON.stringify(guides)}
export const sections = ${JSON.stringify(sections)}
`
}

/**
 * Sections of the guides that no topic prints, with their words.
 * @param {Readonly<Record<string, { page: string, headings: string[] }>>} topics
 */
async function otherSections(topics) {
  const pages = (await readdir(join(root, 'docs')))
    .filter(page => page.endsWith('.md') && !notGuides.includes(page))
    .sort()
  const sections = []
  for (const page of pages) {
    const printed = Object.values(topics).flatMap(topic => (topic.page === page ? topic.headings : []))
    sections.push(...sectionsOf(page, await readFile(join(root, 'docs', page), 'utf8'), printed))
  }
  /** @type {Map<string, number>} */
  const frequencies = new Map()
  for (const { words } of sections)
    for (const word of words) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  // A word of every page finds none.
  const isTelling = (/** @type {string} */ word) => (frequencies.get(word) ?? 0) <= sections.length / 8
  return sections.map(section => ({ ...section, words: section.words.filter(isTelling).join(' ') }))
}

/**
 * @param {string} page
 * @param {string} markdown
 * @param {readonly string[]} printed headings of sections to leave out, with their subsections
 */
function sectionsOf(page, markdown, printed) {
  /** @type {{ page: string, title: string, heading: string, words: string[] }[]} */
  const sections = []
  let title = ''
  let depthLeftOut = Infinity
  for (const token of lexer(markdown)) {
    if (token.type === 'heading') {
      if (token.depth === 1) title = token.text
      if (token.depth <= depthLeftOut) depthLeftOut = printed.includes(token.text) ? token.depth : Infinity
      if (depthLeftOut === Infinity) sections.push({ page, title, heading: token.text, words: [] })
    } else if (depthLeftOut === Infinity) {
      const { words } = sections.at(-1) ?? { words: [] }
      for (const [word] of token.raw.toLowerCase().matchAll(/[\p{L}\d]{3,}/gu))
        if (!words.includes(word)) words.push(word)
    }
  }
  return sections
}
