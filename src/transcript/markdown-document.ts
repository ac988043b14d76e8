import { asMarkdownLine, escapeLine, inMarkdown } from '../lib/text/markup.ts'
import type { ShownCall, ShownMessage, ShownTime } from './shown-call.ts'

/** Calls as Markdown (CommonMark, GitHub). Every text from outside is escaped: none becomes markup, HTML or a link. */
export function markdownDocument(calls: readonly ShownCall[]): string {
  return calls.map(callMarkdown).join('\n\n')
}

function callMarkdown({ title, facts, statuses, messages, analysis, notes }: ShownCall): string {
  const sections: [string, string[]][] = [
    ['Status', [list(statuses.map(({ time, words }) => `${moment(time, 'full')}: ${inMarkdown(words)}`))]],
    ['Conversation', messages.map(messageMarkdown)],
    [
      'Analysis',
      analysis.map(
        ({ name, value, json }) =>
          `**${inMarkdown(name)}**\n\n${json === undefined ? quote(value) : code(value)}`,
      ),
    ],
    ['Also recorded', [list(notes.map(asMarkdownLine))]],
  ]
  return [
    `# ${inMarkdown(title)}`,
    list(
      facts.map(
        ({ name, value, time }) =>
          `${name}: ${time === undefined ? inMarkdown(value) : moment(time, 'full')}`,
      ),
    ),
    ...sections.flatMap(([heading, parts]) => {
      const shown = parts.filter(part => part !== '')
      return shown.length === 0 ? [] : [`## ${heading}`, ...shown]
    }),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function messageMarkdown({ role, time, text, edited }: ShownMessage): string {
  const when = time === undefined ? '' : `, ${moment(time, 'clock')}`
  return `**${inMarkdown(role)}**${when}${edited ? ' (edited)' : ''}\n\n${quote(text)}`
}

function list(items: readonly string[]): string {
  return items.map(item => `- ${item}`).join('\n')
}

/** A quotation keeps the beginning of a line inside its paragraph; a backslash breaks the line. */
function quote(text: string): string {
  const lines = text.split('\n').map(escapeLine)
  return lines
    .map((line, index) => {
      const breaks = line !== '' && lines[index + 1] !== undefined && lines[index + 1] !== ''
      return line === '' ? '>' : `> ${line}${breaks ? '\\' : ''}`
    })
    .join('\n')
}

/** Indented JSON. Escaped inside its strings too: no backtick ends the block, no reader finds HTML. */
function code(json: string): string {
  const safe = json.replace(/[<>&`]/g, character => `\\u00${character.charCodeAt(0).toString(16)}`)
  return `\`\`\`json\n${safe}\n\`\`\``
}

function moment(time: ShownTime, form: 'clock' | 'full'): string {
  return time.iso === undefined ? asMarkdownLine(time[form]) : time[form]
}
