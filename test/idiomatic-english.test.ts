import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Rooms of src/ whose names, docstrings and comments are idiomatic. Add a room when it passes, and never remove one. */
const finished: readonly string[] = [
  'calls',
  'faq',
  'library',
  'lockfile',
  'watch',
  'recordings',
  'trigger',
  'webhook',
  'forward',
  'conversation',
  'model',
  'lib',
  'messages',
  'profile',
  'api',
  'interface',
  'project',
  'plan',
  'resources',
  'scenario',
  'transcript',
  'source',
]

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

test.each(finished)('comments in src/%s are idiomatic', room => {
  const files = readdirSync(join('src', room), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => `src/${room}/${file}`)
  expect(files.length).toBeGreaterThan(0)
  expect(files.flatMap(file => findings(file, readFileSync(file, 'utf8')))).toEqual([])
})

test('every allowed sentence exists and has a reason', () => {
  for (const { file, text, reason } of allowed) {
    expect(reason.length).toBeGreaterThan(10)
    expect(commentsOf(readFileSync(file, 'utf8')).some(comment => comment.text.includes(text))).toBe(true)
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
