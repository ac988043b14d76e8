import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { filesOf, headingsOf, textOf } from './docs/markdown.ts'

interface Rule {
  readonly name: string
  readonly pattern: RegExp
  /** Only docstrings are checked, at their beginning. */
  readonly opening?: true
  readonly write: string
}

const rules: readonly Rule[] = [
  {
    name: 'opening',
    pattern: /^(Of|By|What|Whether|Where|As|Those|That|Its|Such|All|How|Who|The one that)\b/,
    opening: true,
    write: 'begin with a noun that names the thing, a verb in the third person, or "True if"',
  },
  {
    name: 'is no',
    pattern: /(?<!\b[Tt]here )\b(is|are|was|were) no (?!longer\b|more\b)\w+/,
    write: '"is not a …"',
  },
  { name: 'stands', pattern: /\b(stand|stands|stood|standing)\b/, write: '"is", "appears" or "contains"' },
  { name: 'goes on', pattern: /\b(go|goes|going|went) on\b/, write: '"continues", "is in progress"' },
  { name: 'answer', pattern: /\banswer(s|ed|ing)?\b/i, write: '"response", "responds", "returns"' },
  { name: 'comes to', pattern: /\b(came|comes|come) to (?!mind)\b/, write: '"reaches", "returns" or "is"' },
  { name: 'maniest', pattern: /\bhow manieth\b/, write: '"1-based count"' },
  {
    name: 'of the same',
    pattern: /\bthe same (as long as|for the same)\b/,
    write: '"constant while", "equal … for equal"',
  },
]

/** Sentences that a rule rejects and that stay, with the reason. */
const allowed: readonly { readonly file: string; readonly text: string; readonly reason: string }[] = []

interface Comment {
  readonly line: number
  readonly isDocstring: boolean
  readonly text: string
}

/** Returns the comments of a TypeScript module. */
function commentsOf(source: string): Comment[] {
  return [...source.matchAll(/\/\*\*([\s\S]*?)\*\/|(?<=^|\s)\/\/(?!\/)(.*)$/gm)].map(match => ({
    line: source.slice(0, match.index).split('\n').length,
    isDocstring: match[1] !== undefined,
    text: (match[1] ?? match[2] ?? '')
      .replaceAll(/^\s*\*\s?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }))
}

/** Removes code and quoted texts, which have rules of their own. */
function withoutQuotes(text: string): string {
  return text.replaceAll(/`[^`]*`/g, '``').replaceAll(/"[^"]*"/g, '""')
}

/** Returns what is not idiomatic in the comments of a module, each with its line and what to write instead. */
function findings(file: string, source: string): string[] {
  return commentsOf(source).flatMap(({ line, isDocstring, text }) =>
    rules.flatMap(({ name, pattern, opening, write }) => {
      if ((opening && !isDocstring) || !pattern.test(withoutQuotes(text))) return []
      const isAllowed = allowed.some(each => each.file === file && text.includes(each.text))
      return isAllowed ? [] : [`${file}:${line}: ${name}: ${text.slice(0, 80)} → ${write}`]
    }),
  )
}

test.each(['src', 'scripts', 'test'])('comments in %s/ are idiomatic', folder => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => /\.[jt]s$/.test(file) && file !== 'idiomatic-english.test.ts')
    .map(file => `${folder}/${file}`)
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(file => findings(file, readFileSync(file, 'utf8')))).toEqual([])
})

test('every allowed sentence exists and has a reason', () => {
  for (const { file, text, reason } of allowed) {
    expect(reason.length).toBeGreaterThan(10)
    const source = readFileSync(file, 'utf8')
    const texts = file.endsWith('.md') ? blocksOf(source) : commentsOf(source)
    expect(texts.some(each => each.text.includes(text))).toBe(true)
  }
})

describe('the rules reject', () => {
  test.each([
    'The one that was shown last stands last.',
    'Whether these bytes begin as a line of a recording does, as far as they go.',
    'Of `turns`; undefined: of the whole call.',
    'What stands in place of what names a person: numbered, the same for the same.',
    'All before the messages: the same as long as the call’s record is.',
    'Of a call that asks the same again: for the how manieth time, from 1.',
    'What of an event is neither message nor status: all of it where nothing was read.',
    'What a program leaves running when it ends by itself is left alone',
    'Ends all that goes on where it is, at once.',
    'No answer came, or not all of it: a few words without secrets.',
    'What makes the request of a target, from its headers.',
    'Whether requests may go there.',
    'A port that is no number.',
  ])('%s', text => {
    expect(findings('a.ts', `/** ${text} */`)).not.toEqual([])
  })

  test.each([
    'Sorted by when each was last shown.',
    'True if the bytes could be the start of a recording line.',
    'Turn index, or undefined for the whole call.',
    'Cancels all calls immediately, without webhooks, log lines or observations.',
    'Short reason, free of secrets.',
  ])('but not: %s', text => {
    expect(findings('a.ts', `/** ${text} */`)).toEqual([])
  })
})

/** Markdown files that are not checked, with the reason. */
const excludedPages: readonly { readonly file: string; readonly reason: string }[] = [
  { file: 'docs/interface.md', reason: 'it uses the words of the service' },
  { file: 'docs/reference.md', reason: 'it is generated from the help, which has tests of its own' },
]

const peer =
  '(?:HTTP|API|services?|servers?|sandbox(?:es)?|receivers?|targets?|endpoints?|deployments?|prox(?:y|ies))'

const proseRules: readonly Rule[] = [
  ...rules.filter(({ name, opening }) => !opening && name !== 'answer'),
  {
    name: 'answer',
    pattern: new RegExp(
      `\\b${peer}(?:['’]s?)? answer(?:s|ed|ing)?\\b|\\banswer(?:s|ed)? (?:of|from) (?:a|an|the) ${peer}\\b|\\banswer(?:s|ed)?(?: with)? \\d{3}\\b`,
      'i',
    ),
    write: '"response", "responds", "returns"',
  },
]

/** Phrases that were in texts for users, and that no tool would print. */
const phrases: Rule = {
  name: 'phrase',
  pattern:
    /\b(is there already|leads? out of|of which only|yours alone|up to date with the files|carry something new|deliver first what|hold a call|end the other program|what is wrong is|can you run it|its JSON on stdin|make events up|(?<!cannot )be reached)\b/i,
  write: 'the idiom of docs and other tools',
}

/** Openings of clauses and riddles: "What tests expect", "Be reached". */
const clause = /^(?:What|How|Where|Who|Whether|When|Which|Why|If|Be|Is|Are|Do|Does|Can|Make)\b/

/** Returns paragraphs, list items and table rows without code, each with its line. */
function blocksOf(markdown: string): { readonly line: number; readonly text: string }[] {
  const sameLines = (text: string) => text.replace(/[^\n]/g, '')
  const prose = markdown
    .replace(/^---\n[\s\S]*?\n---(?=\n)/, sameLines)
    .replace(/^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1 *$/gm, sameLines)
  let line = 1
  return prose.split(/\n(?=[ \t]*(?:\n|[-*|#]|\d+\. ))/).map(block => {
    const found = { line, text: block.replaceAll(/\s+/g, ' ').trim() }
    line += block.split('\n').length
    return found
  })
}

/** Returns the parts of a Markdown file that are not idiomatic, each with its line and a suggestion. */
function pageFindings(file: string, markdown: string): string[] {
  const isAllowed = (text: string) => allowed.some(each => each.file === file && text.includes(each.text))
  const sentences = blocksOf(markdown).flatMap(({ line, text }) =>
    proseRules
      .filter(
        ({ pattern }) => pattern.test(withoutQuotes(text).replaceAll(/“[^”]*”/g, '“”')) && !isAllowed(text),
      )
      .map(({ name, write }) => `${file}:${line}: ${name}: ${text.slice(0, 80)} → ${write}`),
  )
  const headings = headingsOf(markdown).filter(text => clause.test(text) && !isAllowed(text))
  return [...sentences, ...headings.map(text => `${file}: heading: ${text} → a noun phrase or an imperative`)]
}

/** Titles of tests and groups, and of the tables that tests run for. */
const title =
  /\b(?:test|describe)(?:\.\w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|<[^>]*>)?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1|\)\(\s*(['"`])((?:\\.|(?!\3).){8,})\3,/gs

test('titles of tests are idiomatic', async () => {
  const files = (await filesOf('test/**/*.test.ts')).filter(file => file !== 'test/idiomatic-english.test.ts')
  const titles = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(title)].map(match => ({
      file,
      text: match[2] ?? match[4] ?? '',
    })),
  )
  expect(titles.length).toBeGreaterThan(3000)
  const found = titles.flatMap(({ file, text }) =>
    proseRules
      .filter(({ pattern }) => pattern.test(text))
      .map(({ name, write }) => `${file}: ${name}: ${text} → ${write}`),
  )
  expect(found).toEqual([])
})

describe('the docs are idiomatic', async () => {
  const pages = (await filesOf('*.md', '{docs,.changeset}/**/*.md', 'test/README.md')).filter(
    file => !['CHANGELOG.md', 'CODE_OF_CONDUCT.md', ...excludedPages.map(page => page.file)].includes(file),
  )

  test('all pages are found', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/ci.md', 'test/README.md']),
    )
    for (const { file, reason } of excludedPages) {
      expect(existsSync(file), file).toBe(true)
      expect(reason.length).toBeGreaterThan(10)
    }
  })

  test.each(pages)('%s', async page => {
    expect(pageFindings(page, await textOf(page))).toEqual([])
  })

  test.each([
    'A port that is no number.',
    'The lockfile of the project\nstands beside it.',
    '- The run goes on\n- and ends',
    '| Field | What it comes to in the end |',
    'The key for the how manieth request.',
    'The service\nanswers slowly.',
    'The sandbox answered 429.',
    'The answer of the server is kept.',
    '## Be reached',
    '### What tests expect',
  ])('rejected: %s', text => {
    expect(pageFindings('a.md', `# Page\n\n${text}\n`)).not.toEqual([])
  })

  test.each([
    'The call was answered by voicemail, and there is no limit.',
    'FAQ entries require a question and an answer.',
    'It says `the service answers` or "stands" or “goes on”.',
    '```sh\necho the service answers\n```',
    '## Place a call',
  ])('accepted: %s', text => {
    expect(pageFindings('a.md', `# Page\n\n${text}\n`)).toEqual([])
  })
})

/** Returns the texts for users in a module: its string literals of several words. */
function literalsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...code.matchAll(/'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g)]
    .map(([, single, double, template]) => single ?? double ?? template ?? '')
    .filter(text => /\w \w/.test(text))
}

function textFindings(file: string, text: string): string[] {
  return [...proseRules, phrases]
    .filter(({ pattern }) => pattern.test(text))
    .map(({ name, write }) => `${file}: ${name}: ${text.slice(0, 80)} → ${write}`)
}

describe('help and messages are idiomatic', async () => {
  const topics = await filesOf('src/commands/help/**/*.txt')
  const modules = await filesOf(
    'src/{messages,commands,cli,calls,api,profile,project,lib,webhook,forward}/**/*.ts',
  )

  test('all topics and messages are found', () => {
    expect(topics.length).toBeGreaterThan(20)
    expect(modules).toEqual(
      expect.arrayContaining(['src/messages/project.ts', 'src/commands/webhook/tail-flags.ts']),
    )
  })

  test.each(topics)('topic %s', async file => {
    expect((await textOf(file)).split('\n').flatMap(line => textFindings(file, line))).toEqual([])
  })

  test.each(modules)('messages in %s', async file => {
    expect(literalsOf(await textOf(file)).flatMap(text => textFindings(file, text))).toEqual([])
  })

  test.each([
    'Let files lead out of the project',
    'Deliver first what an earlier tail left',
    'Forward only events that carry something new',
    'Run this for each new message, its JSON on stdin',
    'Hold a call in text, as the caller',
    'the recording is of version 3, of which only 1 can be read',
    'calls.html is there already',
    'the port is in use … end the other program',
    'Be reached · Make events up',
    'What is wrong is named by file, line and column',
    'Bring it up to date with the files, and place a call',
    'The file is yours alone (0600)',
    'x is no plain file, and is not replaced',
    'ngrok ends at once: can you run it yourself?',
  ])('rejected: %s', text => {
    expect(textFindings('a.ts', text)).not.toEqual([])
  })
})

/** Names that nobody would search for. Each had an idiomatic replacement. */
const coined =
  'holdCall|tellingPart|Stretch|stretchOf|ChatBasis|ChatMaterial|ChatDeps|takeFloor|sameEverywhere|CallWork|passOver|doesItself|endsItself|CassetteFlaw|LiveEntries|LiveSection|layable|shortPair|talksOver|stepsThere|settleJournal|giveBack|takeBack|withWords|isAnyInUse|ownProfile|createTurns|onDemand|MayReach|notReached|loadProjectIn|createAll'

test('no name is coined', async () => {
  const pattern = new RegExp(`\\b(?:${coined})\\b`, 'g')
  for (const file of await filesOf('{src,test,scripts}/**/*.ts'))
    if (file !== 'test/idiomatic-english.test.ts')
      expect((await textOf(file)).match(pattern) ?? [], file).toEqual([])
})
