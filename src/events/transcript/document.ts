import { toJsonDocument } from '../../lib/text/escape.ts'
import { hang, inColumns, plain } from '../../lib/text/layout.ts'
import { asMarkdownLine, escapeLine, inMarkdown } from '../../lib/text/markup.ts'
import { bold, cyan, dim, green, join, magenta, type Text, text } from '../../lib/text/text.ts'
import type { CallTranscript } from '../conversation/index.ts'
import type { OutcomeWords } from '../conversation/read-outcome.ts'
import { htmlDocument } from './html-document.ts'
import { overviewCsv, overviewMarkdown, overviewText, summarizeCalls } from './overview.ts'
import { type ShownCall, type ShownMessage, type ShownTime, showCall } from './shown-call.ts'

export type TranscriptFormat = 'text' | 'markdown' | 'json' | 'html' | 'csv'

interface DocumentOptions {
  readonly format: TranscriptFormat
  /** Width of the text format, in columns. */
  readonly width: number
  /** Starts with a table of the calls. CSV consists of the table alone. */
  readonly withOverview?: boolean
  /** Words of the project for outcomes. */
  readonly words?: OutcomeWords | undefined
  /** Returns the label and value of a fact about the answers of a call, from events that transcripts do not read. */
  slowestOf?(call: CallTranscript): readonly [label: string, value: string] | undefined
}

/** Formats calls as a document, without a trailing newline. */
export function renderDocument(
  calls: readonly CallTranscript[],
  { format, width, withOverview = false, words, slowestOf }: DocumentOptions,
): Text {
  const rows = withOverview || format === 'csv' ? summarizeCalls(calls, words) : undefined
  if (format === 'csv') return overviewCsv(rows ?? [])
  if (format === 'json') {
    const { version, ...rest } = jsonDocument(calls)
    return toJsonDocument(rows === undefined ? { version, ...rest } : { version, overview: rows, ...rest })
  }
  const shownCalls = calls.map(call => showCall(call, words, slowestOf?.(call)))
  if (format === 'html') return htmlDocument(shownCalls, rows)
  if (format === 'markdown')
    return [...(rows === undefined ? [] : [overviewMarkdown(rows)]), ...shownCalls.map(callMarkdown)].join(
      '\n\n',
    )
  return join(
    [
      ...(rows === undefined ? [] : [overviewText(rows, width)]),
      ...shownCalls.map(call => callText(call, width)),
    ],
    '\n\n',
  )
}

/** The documented shape of `webhook show --json`. */
export function jsonDocument(calls: readonly CallTranscript[]) {
  return { version: 1, calls }
}

function callText({ title, facts, statuses, messages, analysis, notes }: ShownCall, width: number): Text {
  const named = (name: string, value: string) =>
    hang(text`  ${dim(inColumns(name, nameWidth))}  `, nameWidth + 4, value, width, plain)
  const sections: [string, Text[]][] = [
    [
      'Status',
      statuses.map(({ time, words }) =>
        hang(text`  ${dim(time.clock)}  `, clockWidth + 4, words, width, plain),
      ),
    ],
    ['Conversation, times in UTC', messages.map(message => messageText(message, width))],
    ['Analysis', analysis.map(({ name, value, oneLine }) => named(name, oneLine ?? value))],
    ['Also recorded', notes.map(note => hang('  ', 2, note, width, dim))],
  ]
  const visibleSections = sections.filter(([, lines]) => lines.length > 0)
  return join(
    [
      join([hang('', 0, title, width, bold), ...facts.map(({ name, value }) => named(name, value))]),
      ...visibleSections.map(([heading, lines]) => join([bold(heading), ...lines])),
    ],
    '\n\n',
  )
}

const nameWidth = 'assistant id'.length
const clockWidth = '10:00:05'.length
const roleWidth = 'assistant'.length

function messageText({ role, time, text: words, edited }: ShownMessage, width: number): Text {
  const margin = text`  ${dim(inColumns(time?.clock ?? '', clockWidth))}  ${colorOf(role)(inColumns(role, roleWidth))}  `
  const indent = clockWidth + roleWidth + 6
  return hang(margin, indent, edited ? `${words} (edited)` : words, width, plain)
}

function colorOf(role: string): (label: Text) => Text {
  if (role === 'assistant') return cyan
  return role === 'user' ? green : magenta
}

/** Formats a call as Markdown (CommonMark, GitHub). External text is escaped, so that it never becomes markup, HTML or a link. */
function callMarkdown({ title, facts, statuses, messages, analysis, notes }: ShownCall): string {
  const sections: [string, string[]][] = [
    [
      'Status',
      [list(statuses.map(({ time, words }) => `${formatMoment(time, 'full')}: ${inMarkdown(words)}`))],
    ],
    ['Conversation', messages.map(messageMarkdown)],
    [
      'Analysis',
      analysis.map(
        ({ name, value, oneLine }) =>
          `**${inMarkdown(name)}**\n\n${oneLine === undefined ? quote(value) : code(value)}`,
      ),
    ],
    ['Also recorded', [list(notes.map(asMarkdownLine))]],
  ]
  return [
    `# ${inMarkdown(title)}`,
    list(
      facts.map(
        ({ name, value, time }) =>
          `${name}: ${time === undefined ? inMarkdown(value) : formatMoment(time, 'full')}`,
      ),
    ),
    ...sections.flatMap(([heading, parts]) => {
      const visibleParts = parts.filter(part => part !== '')
      return visibleParts.length === 0 ? [] : [`## ${heading}`, ...visibleParts]
    }),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function messageMarkdown({ role, time, text, edited }: ShownMessage): string {
  const when = time === undefined ? '' : `, ${formatMoment(time, 'clock')}`
  return `**${inMarkdown(role)}**${when}${edited ? ' (edited)' : ''}\n\n${quote(text)}`
}

function list(items: readonly string[]): string {
  return items.map(item => `- ${item}`).join('\n')
}

/** Formats text as a block quote, in which a line cannot start another block. A backslash breaks a line. */
function quote(text: string): string {
  const lines = text.split('\n').map(escapeLine)
  return lines
    .map((line, index) => {
      const breaks = line !== '' && lines[index + 1] !== undefined && lines[index + 1] !== ''
      return line === '' ? '>' : `> ${line}${breaks ? '\\' : ''}`
    })
    .join('\n')
}

/** Formats indented JSON as a code block. Escapes its strings, so that no backtick ends the block and no reader finds HTML. */
function code(json: string): string {
  const safe = json.replace(/[<>&`]/g, character => `\\u00${character.charCodeAt(0).toString(16)}`)
  return `\`\`\`json\n${safe}\n\`\`\``
}

function formatMoment(time: ShownTime, form: 'clock' | 'full'): string {
  return time.iso === undefined ? asMarkdownLine(time[form]) : time[form]
}
