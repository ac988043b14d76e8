import { oneLine } from '../../lib/text/escape.ts'
import { hang, plain } from '../../lib/text/layout.ts'
import { bold, cyan, green, join, red, type Text, text, yellow } from '../../lib/text/text.ts'
import type { ExplainedOutcome } from '../messages/outcome.ts'
import { joinBlocks, type ResourceBlock, resourceLine, upToDate } from './plan.ts'

const signs = { done: green('✓'), failed: red('✗'), skipped: yellow('-'), blocked: red('!') } as const

const verbs = { create: 'created', update: 'updated', replace: 'replaced', blocked: 'blocked' } as const

/** One line for what became of one resource, told while an apply goes on: `✓ created tool/book (t1)`. */
export function renderOutcome({ address, action, status, id, summary, reason }: ExplainedOutcome): Text {
  const verb = status === 'done' ? verbs[action] : status
  const known = status === 'done' && id !== undefined ? ` (${oneLine(id)})` : ''
  const more = status === 'done' ? withoutVerb(summary ?? '', verb) : firstLine(reason ?? '')
  const said = more === '' ? '' : `: ${oneLine(more)}`
  return text`${signs[status]} ${verb} ${bold(oneLine(address))}${known}${said}`
}

interface Run {
  readonly target: string
  /** How many resources were as they should be. */
  readonly unchanged: number
  /** Columns. */
  readonly width: number
}

/** What an apply came to: counts, then whatever was not done, why, and what to do about it. */
export function renderOutcomes(
  outcomes: readonly ExplainedOutcome[],
  { target, unchanged, width }: Run,
): Text {
  const head = outcomes.length === 0 ? upToDate(target, unchanged) : countsOf(outcomes, { target, unchanged })
  const open = (['failed', 'skipped', 'blocked'] as const).flatMap(status =>
    outcomes.filter(outcome => outcome.status === status),
  )
  return join(
    [
      hang('', 0, oneLine(head), width, plain),
      ...(open.length === 0 ? [] : [joinBlocks(open.map(outcome => renderOpen(outcome, width)))]),
    ],
    '\n\n',
  )
}

function countsOf(outcomes: readonly ExplainedOutcome[], { target, unchanged }: Omit<Run, 'width'>): string {
  const numberOf = (wanted: (outcome: ExplainedOutcome) => boolean) => outcomes.filter(wanted).length
  const counts = [
    ...(['create', 'update', 'replace'] as const).map(
      name => [numberOf(({ status, action }) => status === 'done' && action === name), verbs[name]] as const,
    ),
    ...(['failed', 'skipped', 'blocked'] as const).map(
      name => [numberOf(({ status }) => status === name), name] as const,
    ),
    [unchanged, 'unchanged'] as const,
  ]
  const told = counts.filter(([number]) => number > 0).map(([number, words]) => `${number} ${words}`)
  return `Target ${target}: ${told.join(', ')}.`
}

function renderOpen({ address, file, status, reason, hint }: ExplainedOutcome, width: number): ResourceBlock {
  return [
    resourceLine(text`${signs[status]} ${status}`, { address, file }, width),
    ...(reason === undefined ? [] : [hang('    ', 4, reason, width, plain)]),
    ...(hint === undefined ? [] : [hang(text`    ${cyan('hint:')} `, 10, hint, width, plain)]),
  ]
}

/** The summary may begin with the verb that stands in front already. */
function withoutVerb(summary: string, verb: string): string {
  return summary === verb ? '' : summary.startsWith(`${verb} `) ? summary.slice(verb.length + 1) : summary
}

function firstLine(reason: string): string {
  const [first = '', ...rest] = reason.split('\n')
  return rest.length === 0 ? first : `${first} …`
}
