import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { filesOf, textOf } from './docs/markdown.ts'

/** Verbs of another part of a sentence at the beginning of a docstring. */
const opening = /^(Of|By|What|Whether|Where|As|Those|That|Its|Such|All|How|Who|The one that)\b/
const isNo = /(?<!\b[Tt]here )\b(is|are|was|were) no (?!longer\b|more\b)\w+/
const peer =
  '(?:HTTP|API|services?|servers?|sandbox(?:es)?|receivers?|targets?|endpoints?|deployments?|prox(?:y|ies))'
/** An HTTP response is no answer: that is a field of an FAQ entry. */
const answer = new RegExp(
  `\\b${peer}(?:['’]s?)? answer(?:s|ed|ing)?\\b|\\banswer(?:s|ed)? (?:of|from) (?:a|an|the) ${peer}\\b|\\banswer(?:s|ed)?(?: with)? \\d{3}\\b`,
  'i',
)

/** Returns what to write instead of the first unusual phrase, ignoring code and quotations. */
function advice(text: string, { isDocstring = false } = {}): string | undefined {
  const words = text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, '``').replaceAll(/\s+/g, ' ')
  if (isDocstring && opening.test(words)) return 'begin with a noun, a verb in the third person, or "True if"'
  if (isNo.test(words)) return 'write "is not a …"'
  return answer.test(words) ? 'write "response", "responds" or "returns"' : undefined
}

function findings(file: string, texts: readonly string[]): string[] {
  return texts.flatMap(text => {
    const write = advice(text)
    return write === undefined ? [] : [`${file}: ${text.trim().slice(0, 80)}: ${write}`]
  })
}

function commentFindings(file: string, source: string): string[] {
  return [...source.matchAll(/\/\*\*([\s\S]*?)\*\/|(?<=^|\s)\/\/(?!\/)(.*)$/gm)].flatMap(match => {
    const text = (match[1] ?? match[2] ?? '').replaceAll(/^\s*\*\s?/gm, '').trim()
    const write = advice(text, { isDocstring: match[1] !== undefined })
    const line = source.slice(0, match.index).split('\n').length
    return write === undefined ? [] : [`${file}:${line}: ${text.slice(0, 80)}: ${write}`]
  })
}

/** String literals of several words. */
function literalsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .filter(text => /\w \w/.test(text))
}

/** Paragraphs, items and rows of a page, without its fenced blocks. */
function blocksOf(markdown: string): string[] {
  return markdown
    .replace(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, '')
    .split(/\n(?=[ \t]*(?:\n|[-*|#]|\d+\. ))/)
}

test.each(['src', 'scripts', 'test'])('comments in %s/ are idiomatic', async folder => {
  const files = (await filesOf(`${folder}/**/*.{js,ts}`)).filter(file => !file.includes('idiomatic-english'))
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(file => commentFindings(file, readFileSync(file, 'utf8')))).toEqual([])
})

test('pages, help topics and messages are idiomatic', async () => {
  // The interface has the words of the service; the reference is generated from the help.
  const excluded = ['docs/interface.md', 'docs/reference.md']
  const pages = (await filesOf('*.md', '{docs,test,.github,examples}/**/*.md')).filter(
    page => !excluded.includes(page),
  )
  const topics = await filesOf('src/cli/commands/help/**/*.txt')
  const modules = await filesOf('src/{cli,calls,service,project,lib,events}/**/*.ts')
  expect(Math.min(pages.length, topics.length)).toBeGreaterThan(15)
  for (const page of pages) expect(findings(page, blocksOf(await textOf(page)))).toEqual([])
  for (const topic of topics) expect(findings(topic, (await textOf(topic)).split('\n'))).toEqual([])
  for (const module of modules) expect(findings(module, literalsOf(await textOf(module)))).toEqual([])
})

describe('the rules', () => {
  test.each([
    'Of `turns`; undefined: of the whole call.',
    'Whether requests may go there.',
    'A port that is no number.',
    'The sandbox answered 429.',
    'The answer of the server is kept.',
  ])('reject: %s', text => {
    expect(commentFindings('a.ts', `/** ${text} */`)).toHaveLength(1)
  })

  test.each([
    'True if the bytes could be the start of a recording line.',
    'The call was answered by voicemail, and there is no limit.',
    'It says `the service answers` or "is no number".',
  ])('accept: %s', text => {
    expect(commentFindings('a.ts', `/** ${text} */`)).toEqual([])
  })
})
