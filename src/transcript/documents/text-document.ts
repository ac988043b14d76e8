import { hang, inColumns, plain } from '../../lib/text/layout.ts'
import { bold, cyan, dim, green, join, magenta, type Text, text } from '../../lib/text/text.ts'
import type { ShownCall, ShownMessage } from './shown-call.ts'

/** Calls as text. Width in columns. */
export function textDocument(calls: readonly ShownCall[], width: number): Text {
  return join(
    calls.map(call => callText(call, width)),
    '\n\n',
  )
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
    ['Analysis', analysis.map(({ name, value, json }) => named(name, json?.oneLine ?? value))],
    ['Also recorded', notes.map(note => hang('  ', 2, note, width, dim))],
  ]
  const shown = sections.filter(([, lines]) => lines.length > 0)
  return join(
    [
      join([hang('', 0, title, width, bold), ...facts.map(({ name, value }) => named(name, value))], '\n'),
      ...shown.map(([heading, lines]) => join([bold(heading), ...lines], '\n')),
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
