import type * as z from 'zod/mini'
import { type DifferenceCategory, differenceCategories } from '../../files/formats/differences.ts'
import { byCase } from '../../lib/by-case.ts'
import type { Immutable } from '../../lib/json.ts'
import { count, listed } from '../../lib/text/count.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { collapseWhiteSpace, flagForShell, quoteForShell } from '../../lib/text/escape.ts'
import { truncate } from '../../lib/text/truncate.ts'
import type { UnknownValue, VersionChange } from '../../project/plan/index.ts'
import type {
  CallOutline,
  DifferenceGroup,
  DifferenceKind,
  FailedReplay,
  NotReplayed,
  ReplaySummary,
} from '../../scenario/replay/index.ts'
import type { changeLocationSchema, conversationChangesSchema } from './replay-schemas.ts'

/** Differences between replays, as printed and in the document of `--json`. */
export type ConversationChanges = Immutable<z.infer<typeof conversationChangesSchema>>
export type ExplainedGroup = ConversationChanges['groups'][number]
type ChangeLocation = Immutable<z.infer<typeof changeLocationSchema>>

interface ReplayFacts extends Pick<ConversationChanges, 'recordings' | 'model'> {
  /** Recording of each call. */
  readonly files: ReadonlyMap<string, string>
  /** Cause of each group, in the same order. */
  readonly causes: readonly (VersionChange | undefined)[]
  /** Changes that only affect a model. */
  readonly unseen: readonly VersionChange[]
  readonly unknown: readonly UnknownValue[]
  readonly tools: readonly { readonly name: string; readonly functionNames: readonly string[] }[]
}

export function explainedConversations(
  { groups, notReplayed, ...summary }: ReplaySummary,
  { recordings, model, files, causes, unseen, unknown, tools }: ReplayFacts,
): ConversationChanges {
  return {
    recordings,
    model,
    calls: notReplayed.reduce((sum, { calls }) => sum + calls.length, summary.compared),
    ...summary,
    groups: groups.map((group, index) => explainedGroup(group, { files, tools, cause: causes[index] })),
    notReplayed: notReplayed.map(({ reason, calls }) => ({
      code: reason.code,
      reason: notReplayedText(reason),
      calls,
    })),
    unseen: unseen.map(locate),
    unknown: unknown.map(unknownValueText),
  }
}

function explainedGroup(
  { difference, calls, turn, example }: DifferenceGroup,
  {
    files,
    tools,
    cause,
  }: Pick<ReplayFacts, 'files' | 'tools'> & { readonly cause: VersionChange | undefined },
): ExplainedGroup {
  const { category, code, ...details } = difference
  const named =
    'tool' in difference
      ? {
          ...difference,
          tool: tools.find(each => each.functionNames.includes(difference.tool))?.name ?? difference.tool,
        }
      : difference
  const lane = (call: CallOutline) => toLane(call, turn)
  const recording = files.get(example.id) ?? ''
  const short = shortIds([...files.keys()]).get(example.id) ?? example.id
  const shown = example.planned.turns[turn ?? -1] ?? example.deployed.turns[turn ?? -1]
  return {
    ...{ category, code, details, calls },
    text: differenceText(named, calls.length),
    example: {
      ...{ id: example.id, turn, line: shown?.line },
      recorded: lane(example.recorded),
      deployed: lane(example.deployed),
      planned: lane(example.planned),
    },
    cause: cause && locate(cause),
    record: ['callyard test record', quoteForShell(recording), flagForShell('--call', short)].join(' '),
  }
}

function toLane({ turns, endedBy, analysis }: CallOutline, turn: number | undefined) {
  const { said = [], tools = [] } = turn === undefined ? {} : (turns[turn] ?? {})
  return { said, tools, turns: turns.length, endedBy, analysis }
}

function locate({ address, file, path, position, question }: VersionChange): ChangeLocation {
  return { address, file, path, line: position?.line, column: position?.column, question }
}

/** Describes a difference, to be read after the number of calls: `2 give a different answer to “Open?”`. */
export function differenceText(difference: DifferenceKind, calls: number): string {
  const verb = (one: string, many: string) => (calls === 1 ? one : many)
  return byCase('code', difference, {
    'tool-dropped': ({ tool }) => `no longer ${verb('calls', 'call')} ${tool}`,
    'tool-added': ({ tool }) => `now ${verb('calls', 'call')} ${tool}`,
    'tool-arguments': ({ tool }) => `${verb('calls', 'call')} ${tool} with different arguments`,
    'tool-order': () => `${verb('calls', 'call')} tools in a different order`,
    'ends-earlier': () => `${verb('ends', 'end')} earlier`,
    'ends-later': () => `${verb('ends', 'end')} later`,
    'ended-by': ({ before, after }) =>
      `${verb('is', 'are')} ended by ${enderText(after)} instead of ${enderText(before)}`,
    'forwarded-to': () => `${verb('is', 'are')} forwarded to a different number`,
    welcome: () => `${verb('starts', 'start')} with a different welcome message`,
    'answer-changed': ({ question }) => `${verb('gives', 'give')} a different answer to ${quoted(question)}`,
    'answer-lost': ({ question }) => `no longer ${verb('gives', 'give')} the answer to ${quoted(question)}`,
    'answer-gained': ({ question }) => `now ${verb('gives', 'give')} the answer to ${quoted(question)}`,
    entry: ({ before, after }) =>
      `${verb('gives', 'give')} the answer to ${quoted(after)} instead of ${quoted(before)}`,
    reply: () => `${verb('gets', 'get')} a different reply`,
    success: () => `${verb('gets', 'get')} a different success evaluation`,
    data: ({ fields }) => `${verb('gets', 'get')} different structured data: ${listed(fields)}`,
  })
}

const enders: Readonly<Record<string, string>> = {
  assistant: 'the assistant',
  user: 'the caller',
  system: 'the service',
  forward: 'forwarding',
}

function enderText(by: string | undefined): string {
  return enders[by ?? ''] ?? 'an unknown party'
}

/** Characters of a question. */
const maxQuestion = 60

function quoted(question: string): string {
  return `“${truncate(collapseWhiteSpace(question), maxQuestion)}”`
}

/** Reason why calls are not replayed. */
export function notReplayedText(reason: NotReplayed | FailedReplay): string {
  return byCase('code', reason, {
    'no-caller-turns': () => 'the caller says nothing in the recording',
    'unknown-assistant'({ name, id }) {
      const known = [name === undefined ? undefined : JSON.stringify(name), id].filter(
        each => each !== undefined,
      )
      return known.length === 0
        ? 'the recording does not name the assistant'
        : `the assistant is not in this project: ${known.join(', ')}`
    },
    'not-deployed': ({ name }) => `the assistant ${name} is not deployed yet`,
    failed: ({ version, reason }) =>
      `the replay on the ${version === 'deployed' ? 'deployed' : 'new'} files failed: ${reason}`,
  })
}

/** Consequence of a deployed value that the lockfile does not contain. */
export function unknownValueText(value: UnknownValue): string {
  return byCase('code', value, {
    variable: ({ address, name }) =>
      `${address}: the lockfile does not contain the previous value of \${env:${name}}, so both replays use the current one`,
    entries: ({ address, count: entries }) =>
      `${address}: the lockfile does not contain the previous text of ${count(entries, 'entry', 'entries')}, so both replays use the text in the file, or none`,
  })
}

/** `4 calls in replies, 1 call in the ending`: number of calls by category. */
export function categoryCounts(counts: ConversationChanges['drift']): string {
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
  const wanted = differenceCategories.filter(each => categories.includes(each) && changes[each] > 0)
  const failed = notReplayed.flatMap(({ code, calls }) => (code === 'failed' ? calls : [])).length
  const parts = [
    ...wanted.map(
      each => `${count(changes[each], 'call differs', 'calls differ')} in ${categoryNames[each]}`,
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
