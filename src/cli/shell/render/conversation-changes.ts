import { type DifferenceCategory, differenceCategories } from '../../../files/formats/differences.ts'
import { formatLocation } from '../../../files/source/index.ts'
import { formatFieldPath } from '../../../interface/check.ts'
import { count, listed } from '../../../lib/text/count.ts'
import { shortIds } from '../../../lib/text/did-you-mean.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { hang, plain } from '../../../lib/text/layout.ts'
import { renderLineDiff } from '../../../lib/text/line-diff.ts'
import {
  bold,
  cyan,
  dim,
  green,
  indented,
  join,
  type Text,
  text,
  whole,
  yellow,
} from '../../../lib/text/text.ts'
import type { ConversationChanges } from '../../../scenario/replay/index.ts'

type ExplainedGroup = ConversationChanges['groups'][number]

/** Renders the replays of recorded calls: what they do differently with an example each, then what limits the comparison. */
export function renderConversations(
  changes: ConversationChanges,
  { width, target, lockfile }: { readonly width: number; readonly target: string; readonly lockfile: string },
): Text {
  const { groups, calls, compared, model } = changes
  const visibleGroups = groups.slice(0, maxGroups)
  const left = groups.length - visibleGroups.length
  const isPartial = compared < calls
  const callIds = [
    ...groups.flatMap(group => group.calls.map(({ id }) => id)),
    ...changes.notReplayed.flatMap(group => group.calls),
  ]
  const short = shortIds(callIds)
  const nameOf = (id: string) => oneLine(short.get(id) ?? id)
  return join(
    [
      summaryLine(changes),
      ...visibleGroups.map(group => renderGroup(group, nameOf, width)),
      ...(left > 0 ? [dim(`… and ${count(left, 'more kind')} of differences; --json lists all`)] : []),
      join([
        text`${dim('baseline')}  ${oneLine(`the files last applied to target ${target}, from ${lockfile}`)}`,
        text`${dim('replies')}   ${model === 'none' ? 'by rule, without a model' : 'by the model; responses are stored next to the recording'}`,
        ...driftLines(changes),
        ...(isPartial ? [yellow(`${calls - compared} of ${count(calls, 'call')} not replayed:`)] : []),
        ...changes.notReplayed.map(({ reason, calls }) =>
          hang(
            '  ',
            2,
            `${calls.length} because ${oneLine(reason)} (${listed(calls.map(nameOf), maxListed)})`,
            width,
            plain,
          ),
        ),
      ]),
    ],
    '\n\n',
  )
}

/** Kinds of differences with an example. */
const maxGroups = 20
const maxListed = 3
/** Kinds in the first line. */
const maxKinds = 3

/** `9 of 412 calls would go differently: 6 give …, 2 no longer call …, 1 ends earlier`. */
function summaryLine({ calls, changed, compared, groups }: ConversationChanges): Text {
  if (calls === 0) return bold('The recordings contain no calls.')
  if (compared === 0) return bold('No calls were replayed.')
  const of = `of ${count(compared, 'replayed call')}`
  if (changed === 0) return bold(`None ${of} would go differently.`)
  const kinds = groups.map(group => `${group.calls.length} ${group.text}`)
  return text`${bold(`${changed} ${of} would go differently`)}: ${oneLine(listed(kinds, maxKinds))}`
}

function renderGroup(group: ExplainedGroup, nameOf: (id: string) => string, width: number): Text {
  const { calls, example, cause, record } = group
  const drifting = calls.filter(({ isDrift }) => isDrift).length
  const others = calls.filter(({ id }) => id !== example.id).map(({ id }) => nameOf(id))
  return join([
    bold(oneLine(`${calls.length} ${group.text}`)),
    ...(cause === undefined ? [] : [indented('  ', 2, causeText(cause), cyan)]),
    text`  ${whole(nameOf(example.id))}${dim(whereText(group))}`,
    ...renderLanes(group, width),
    ...(others.length === 0 ? [] : [hang('  ', 2, `also ${listed(others, maxListed)}`, width, dim)]),
    ...(drifting === 0 ? [] : [hang('  ', 2, driftText(drifting, calls.length), width, yellow)]),
    text`  ${cyan('test:')} ${whole(oneLine(record))}`,
  ])
}

export function causeText({
  file,
  line,
  path,
  question,
  ...rest
}: NonNullable<ExplainedGroup['cause']>): string {
  const position = line === undefined ? undefined : { line, column: rest.column ?? 1 }
  const name = question === undefined ? formatFieldPath(path) : `“${question}”`
  return oneLine(`${formatLocation({ file, position })}  ${name}`)
}

function whereText({ example: { turn, line } }: ExplainedGroup): string {
  if (turn === undefined) return ', the whole call'
  return line === undefined ? ', before the caller’s first line' : oneLine(`, turn ${turn}: ${line}`)
}

function driftText(drifting: number, calls: number): string {
  const which =
    drifting === calls ? (calls === 1 ? 'the replay' : 'all replays') : `${drifting} of ${calls} replays`
  return `${which} on the deployed files already ${drifting === 1 || calls === 1 ? 'differs' : 'differ'} from the recording here`
}

type Lane = ExplainedGroup['example']['recorded']

/** The recorded lane, then the difference of the other two. */
function renderLanes({ category, example }: ExplainedGroup, width: number): Text[] {
  const { recorded, deployed, planned } = example
  const format = category === 'ending' ? endText : category === 'analysis' ? analysisText : turnText
  const diff = renderLineDiff(format(deployed), format(planned), { width, indent: 4, context: 0 })
  const words = format(recorded)
  return [...(words === '' ? [] : [hang(text`    ${dim('recorded')}  `, 14, words, width, dim)]), diff]
}

function turnText({ said: spokenTexts, tools }: Lane): string {
  const toolLines = tools.map(({ name, arguments: args }) => `calls ${name} ${JSON.stringify(args)}`)
  return [...toolLines, ...spokenTexts].join('\n')
}

function endText({ turns, endedBy = 'unknown' }: Lane): string {
  return `ends in turn ${Math.max(0, turns - 1)}, by ${endedBy}`
}

function analysisText({ analysis: { successEvaluation, structuredData } }: Lane): string {
  return [
    ...(successEvaluation === undefined ? [] : [`successEvaluation: ${JSON.stringify(successEvaluation)}`]),
    ...(structuredData === undefined ? [] : [`structuredData: ${JSON.stringify(structuredData)}`]),
  ].join('\n')
}

/** Tells how well replays on the deployed files reproduce the recordings. */
function driftLines({ drift, compared }: ConversationChanges): Text[] {
  if (compared === 0) return []
  const counts = categoryCounts(drift)
  return counts === ''
    ? [text`${dim('drift')}     ${green('none: on the deployed files, all calls go as recorded')}`]
    : [text`${dim('drift')}     on the deployed files, replays differ from the recording: ${counts}`]
}

/** `4 calls in replies, 1 call in the ending`: number of calls by category. */
function categoryCounts(counts: ConversationChanges['drift']): string {
  return differenceCategories
    .flatMap(category =>
      counts[category] === 0 ? [] : [`${count(counts[category], 'call')} in ${categoryNames[category]}`],
    )
    .join(', ')
}

/** Why a replay is a failure: failed replays, and for `--fail-on` calls that differ in one of its categories, or no replay at all. */
export function gateText(
  { changes, compared, notReplayed }: ConversationChanges,
  categories: readonly DifferenceCategory[] = [],
): string | undefined {
  const changedCategories = differenceCategories.filter(
    category => categories.includes(category) && changes[category] > 0,
  )
  const failed = notReplayed.flatMap(({ code, calls }) => (code === 'failed' ? calls : [])).length
  const parts = [
    ...changedCategories.map(
      category => `${count(changes[category], 'call differs', 'calls differ')} in ${categoryNames[category]}`,
    ),
    ...(failed === 0
      ? []
      : [`the ${failed === 1 ? 'replay' : 'replays'} of ${count(failed, 'call')} failed`]),
  ]
  if (parts.length > 0) return parts.join('; ')
  return categories.length > 0 && compared === 0 ? 'no calls were replayed' : undefined
}

const categoryNames = {
  'tool-calls': 'tool calls',
  ending: 'the ending',
  replies: 'replies',
  analysis: 'the analysis',
} as const satisfies Record<DifferenceCategory, string>
