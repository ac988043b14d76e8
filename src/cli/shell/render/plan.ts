import { count, countsText } from '../../../lib/text/count.ts'
import { localMinute } from '../../../lib/text/date-time.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import {
  bold,
  cyan,
  dim,
  green,
  indented,
  join,
  magenta,
  red,
  type Text,
  text,
  whole,
  yellow,
} from '../../../lib/text/text.ts'
import type { OutcomeDocument } from '../../../project/apply/index.ts'
import { type ActionDocument, isPending, type PlanDocument } from '../../../project/plan/index.ts'
import { renderEntryChanges, renderFieldChange } from './field-change.ts'

const signs = {
  create: green('+'),
  update: yellow('~'),
  replace: magenta('±'),
  blocked: red('!'),
  orphaned: cyan('?'),
  unchanged: dim('='),
} as const

/**
 * Renders a plan; unchanged resources are only counted. Width in columns, from 40. `origin` is the source of the base URL.
 */
export function renderPlan(plan: PlanDocument, width: number, origin = ''): Text {
  const blocks = plan.actions.filter(isShown).map(action => renderAction(action, width))
  const pending = plan.actions.some(isPending)
  const parts = [
    ...(pending ? [[oneLine(`Plan for target ${plan.target}`), addressLine(plan.baseUrl, origin)]] : []),
    ...(blocks.length === 0 ? [] : [joinBlocks(blocks)]),
    [lastLine(plan, pending), pending ? '' : otherAddressLine(plan.target, plan.baseUrl, origin)],
  ]
  return join(parts, '\n\n')
}

/** `Up to date: 57 resources of target sandbox, as recorded by apply 12 (2026-11-28 12:53, ada@laptop).` */
export function upToDate(target: string, resources: number, lastApply?: PlanDocument['lastApply']): string {
  const counted = resources === 0 ? 'no resources' : count(resources, 'resource')
  const by =
    lastApply === undefined
      ? ''
      : `, as recorded by apply ${lastApply.serial} (${localMinute(lastApply.at)}, ${lastApply.by})`
  return `Up to date: ${counted} of target ${target}${by}.`
}

/** Pending and orphaned ones; and a knowledge base with nothing to send, of whose entries there is something to say. */
function isShown(action: ActionDocument): boolean {
  return isPending(action) || action.action === 'orphaned' || (action.entries ?? []).length > 0
}

/** The address has its own line, so that terminals make it a link. */
function addressLine(baseUrl: string | undefined, origin: string): Text {
  if (baseUrl === undefined) return ''
  return text`\n  ${oneLine(baseUrl)}${origin === '' ? '' : dim(` (${oneLine(origin)})`)}`
}

/** The address of a target whose name suggests another one: it was not read from the profile of that name. */
function otherAddressLine(target: string, baseUrl: string | undefined, origin: string): Text {
  return origin === '' || target === 'default' ? '' : addressLine(baseUrl, origin)
}

function renderAction(action: ActionDocument, width: number): ResourceBlock {
  const { address, file, reason, changes, choices = [] } = action
  return [
    resourceLine(signs[action.action], { address, file }),
    ...(reason === undefined ? [] : [indented('    ', 4, reason)]),
    ...changes.map(change => renderFieldChange(change, { width })),
    ...renderEntryChanges(action, width),
    ...choices.map(({ hint }) => indented(text`    ${cyan('→')} `, 6, hint)),
  ]
}

const counted = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['replace', 'to replace'],
  ['blocked', 'blocked'],
  ['unchanged', 'unchanged'],
  ['orphaned', 'orphaned'],
] as const

function lastLine({ target, lastApply, actions }: PlanDocument, pending: boolean): Text {
  const numberOf = (name: ActionDocument['action']) => actions.filter(({ action }) => action === name).length
  const line = pending
    ? `Plan: ${countsText(counted.map(([name, words]) => [numberOf(name), words]))}.`
    : upToDate(target, numberOf('unchanged'), lastApply)
  return oneLine(line)
}

/** Lines of a resource: its own, then the indented ones below. */
export type ResourceBlock = readonly Text[]

/** `~ tool/book  tools/book.yaml`. */
function resourceLine(
  sign: Text,
  { address, file }: { readonly address: string; readonly file: string | undefined },
): Text {
  return [whole(sign, ' ', bold(oneLine(address))), file === undefined ? '' : text`  ${dim(oneLine(file))}`]
}

/** Separates resources of several lines from their neighbors. */
export function joinBlocks(blocks: readonly ResourceBlock[]): Text {
  return blocks.flatMap((block, index) => {
    const before = blocks[index - 1]
    const apart = before !== undefined && (block.length > 1 || before.length > 1)
    return [index === 0 ? '' : apart ? '\n\n' : '\n', join(block)]
  })
}

const outcomeSigns = { done: green('✓'), failed: red('✗'), skipped: yellow('-'), blocked: red('!') } as const

const verbs = { create: 'created', update: 'updated', replace: 'replaced', blocked: 'blocked' } as const

/** Renders the progress line of a resource: `✓ created tool/book (t1)`. */
export function renderOutcome({ address, action, status, id, summary, reason }: OutcomeDocument): Text {
  const verb = status === 'done' ? verbs[action] : status
  const idText = status === 'done' && id !== undefined ? ` (${oneLine(id)})` : ''
  const more = status === 'done' ? withoutVerb(summary ?? '', verb) : firstLine(reason ?? '')
  const reasonText = more === '' ? '' : `: ${oneLine(more)}`
  return text`${outcomeSigns[status]} ${verb} ${bold(oneLine(address))}${idText}${reasonText}`
}

/** The result of an apply: counts, then what was not done, why, and what to do next. `unchanged`: how many were as they should be. */
export function renderOutcomes(
  outcomes: readonly OutcomeDocument[],
  {
    target,
    baseUrl,
    origin = '',
    unchanged,
  }: {
    readonly target: string
    readonly baseUrl?: string | undefined
    readonly origin?: string
    readonly unchanged: number
  },
): Text {
  const head =
    outcomes.length === 0
      ? upToDate(target, unchanged)
      : `Target ${target}: ${countsOf(outcomes, unchanged)}.`
  const open = (['failed', 'skipped', 'blocked'] as const).flatMap(status =>
    outcomes.filter(outcome => outcome.status === status),
  )
  return join(
    [
      [oneLine(head), otherAddressLine(target, baseUrl, origin)],
      ...(open.length === 0 ? [] : [joinBlocks(open.map(outcome => renderOpen(outcome)))]),
    ],
    '\n\n',
  )
}

function countsOf(outcomes: readonly OutcomeDocument[], unchanged: number): string {
  const numberOf = (predicate: (outcome: OutcomeDocument) => boolean) => outcomes.filter(predicate).length
  return countsText([
    ...(['create', 'update', 'replace'] as const).map(
      name => [numberOf(({ status, action }) => status === 'done' && action === name), verbs[name]] as const,
    ),
    ...(['failed', 'skipped', 'blocked'] as const).map(
      name => [numberOf(({ status }) => status === name), name] as const,
    ),
    [unchanged, 'unchanged'],
  ])
}

function renderOpen({ address, file, status, reason, hint }: OutcomeDocument): ResourceBlock {
  return [
    resourceLine(text`${outcomeSigns[status]} ${status}`, { address, file }),
    ...(reason === undefined ? [] : [indented('    ', 4, reason)]),
    ...(hint === undefined ? [] : [indented(text`    ${cyan('hint:')} `, 10, hint)]),
  ]
}

/** Removes the verb if the summary starts with it. */
function withoutVerb(summary: string, verb: string): string {
  return summary === verb ? '' : summary.startsWith(`${verb} `) ? summary.slice(verb.length + 1) : summary
}

function firstLine(reason: string): string {
  const [first = '', ...rest] = reason.split('\n')
  return rest.length === 0 ? first : `${first} …`
}
