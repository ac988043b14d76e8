import { byCase } from '../../lib/by-case.ts'
import { count, listed } from '../../lib/text/count.ts'
import { collapseWhiteSpace } from '../../lib/text/escape.ts'
import { truncate } from '../../lib/text/truncate.ts'
import type { UnknownValue, VersionChange } from '../../project/plan/index.ts'
import type { CallOutline } from './call-outline.ts'
import type { DifferenceGroup, ReplaySummary } from './collect-differences.ts'
import type { DifferenceKind } from './compare-outlines.ts'
import type { FailedReplay, NotReplayed } from './replayed-call.ts'
import type { ConversationChanges } from './schema.ts'

type ChangeGroup = ConversationChanges['groups'][number]

interface ReplayFacts {
  readonly recordings: ConversationChanges['recordings']
  readonly model: ConversationChanges['model']
  /** Cause of each group, in the same order. */
  readonly causes: readonly (VersionChange | undefined)[]
  /** Changes that only affect a model. */
  readonly unseen: readonly VersionChange[]
  readonly unknown: readonly UnknownValue[]
  readonly tools: readonly { readonly name: string; readonly functionNames: readonly string[] }[]
  /** Command that creates a test from a call. */
  recordCommand(callId: string): string
}

/** The document of replays, with their differences in words. */
export function explainedConversations(
  { groups, notReplayed, ...summary }: ReplaySummary,
  facts: ReplayFacts,
): ConversationChanges {
  const { recordings, model, causes, unseen, unknown } = facts
  return {
    recordings,
    model,
    calls: notReplayed.reduce((sum, { calls }) => sum + calls.length, summary.compared),
    ...summary,
    groups: groups.map((group, index) => explainedGroup(group, facts, causes[index])),
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
  { tools, recordCommand }: ReplayFacts,
  cause: VersionChange | undefined,
): ChangeGroup {
  const { category, code, ...details } = difference
  const namedDifference =
    'tool' in difference
      ? {
          ...difference,
          tool: tools.find(tool => tool.functionNames.includes(difference.tool))?.name ?? difference.tool,
        }
      : difference
  const lane = (call: CallOutline) => toLane(call, turn)
  const outlinedTurn = example.planned.turns[turn ?? -1] ?? example.deployed.turns[turn ?? -1]
  return {
    ...{ category, code, details, calls },
    text: differenceText(namedDifference, calls.length),
    example: {
      ...{ id: example.id, turn, line: outlinedTurn?.line },
      recorded: lane(example.recorded),
      deployed: lane(example.deployed),
      planned: lane(example.planned),
    },
    cause: cause && locate(cause),
    record: recordCommand(example.id),
  }
}

function toLane({ turns, endedBy, analysis }: CallOutline, turn: number | undefined) {
  const { spokenTexts = [], tools = [] } = turn === undefined ? {} : (turns[turn] ?? {})
  return { said: spokenTexts, tools, turns: turns.length, endedBy, analysis }
}

function locate({
  address,
  file,
  path,
  position,
  question,
}: VersionChange): ConversationChanges['unseen'][number] {
  return { address, file, path, line: position?.line, column: position?.column, question }
}

/** Describes a difference, to be read after the number of calls: `2 give a different answer to “Open?”`. */
function differenceText(difference: DifferenceKind, calls: number): string {
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
function notReplayedText(reason: NotReplayed | FailedReplay): string {
  return byCase('code', reason, {
    'no-caller-turns': () => 'the caller says nothing in the recording',
    'unknown-assistant'({ name, id }) {
      const nameParts = [name === undefined ? undefined : JSON.stringify(name), id].filter(
        part => part !== undefined,
      )
      return nameParts.length === 0
        ? 'the recording does not name the assistant'
        : `the assistant is not in this project: ${nameParts.join(', ')}`
    },
    'not-deployed': ({ name }) => `the assistant ${name} is not deployed yet`,
    failed: ({ version, reason }) =>
      `the replay on the ${version === 'deployed' ? 'deployed' : 'new'} files failed: ${reason}`,
  })
}

/** Consequence of a deployed value that the lockfile does not contain. */
function unknownValueText(value: UnknownValue): string {
  return byCase('code', value, {
    variable: ({ address, name }) =>
      `${address}: the lockfile does not contain the previous value of \${env:${name}}, so both replays use the current one`,
    entries: ({ address, count: entries }) =>
      `${address}: the lockfile does not contain the previous text of ${count(entries, 'entry', 'entries')}, so both replays use the text in the file, or none`,
  })
}
