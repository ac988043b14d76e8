import { relative } from 'node:path'
import { type CallTranscript, callName } from '../../../events/conversation/index.ts'
import type { SkippedLine } from '../../../events/recordings/index.ts'
import { isCall } from '../../../events/transcript/index.ts'
import type { Diagnostic } from '../../../files/source/index.ts'
import { valueError } from '../../../interface/finding.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { beginningHint, findByBeginning } from '../../../lib/text/did-you-mean.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'

interface SkippedParts {
  readonly skipped: readonly SkippedLine[]
  /** Number of bodies that are not events. */
  readonly unreadable: number
}

/** Warns of lines and bodies of a recording that could not be read. */
export function warnOfSkipped({ skipped, unreadable }: SkippedParts, { output, cwd }: Context): void {
  const [first, ...more] = skipped.filter(({ torn }) => !torn)
  output.findings([
    ...skipped.filter(({ torn }) => torn).map(line => skippedLine(line, cwd)),
    ...(first === undefined ? [] : [skippedLine(first, cwd, more.length)]),
  ])
  if (unreadable > 0)
    output.warn(
      `${unreadable} recorded ${unreadable === 1 ? 'body is not a webhook event' : 'bodies are not webhook events'}; skipped`,
    )
}

/** Finding about a line of a recording that cannot be read, for it and `more` others. */
export function skippedLine({ file, line, torn }: SkippedLine, cwd: string, more = 0): Diagnostic {
  const problem = torn ? 'the last line is incomplete; skipped' : 'not a recorded event; skipped'
  const others = more === 0 ? '' : `, and ${count(more, 'more line', 'more lines')}`
  const finding = valueError([], torn ? 'incomplete-line' : 'not-an-event', `${problem}${others}`)
  return { ...finding, severity: 'warning', file: relative(cwd, file), position: { line, column: 1 } }
}

interface ChosenBy {
  readonly file: string
  readonly call?: string | undefined
  readonly last?: boolean | undefined
  readonly all?: boolean | undefined
}

/**
 * Returns the selected calls: that of `--call`, the newest with `--last`, all with `--all`, or the only one; undefined if several remain.
 * @throws CallyardError `usage` if no call matches
 */
export function chosenCalls(
  calls: readonly CallTranscript[],
  { file, call: callArg, all, last }: ChosenBy,
): readonly CallTranscript[] | undefined {
  assertExclusive({ '--call': callArg, '--last': last, '--all': all })
  if (calls.length === 0) throw new CallyardError('invalid', `${file} contains no calls`)
  if (callArg !== undefined) return [byId(calls, callArg, file)]
  if (last === true) return [calls.findLast(isCall) ?? calls.slice(-1)].flat()
  return all === true || calls.length === 1 ? calls : undefined
}

function byId(calls: readonly CallTranscript[], callArg: string, file: string): CallTranscript {
  const match = findByBeginning(callArg, calls, callName)
  if (match.kind === 'found') return match.item
  const message =
    match.kind === 'missing'
      ? `${file} holds no call ${callArg}`
      : `${file} holds ${match.candidates.length} calls whose ids begin with ${callArg}`
  throw new CallyardError('usage', message, {
    hint: beginningHint(match, callName, { short: true }) ?? 'to list the calls, remove --call',
    details: { calls: calls.map(summaryOfCall) },
  })
}

/** Summary of a call in the details of an error. */
export function summaryOfCall({
  callId,
  firstAt,
  userNumber,
  assistantNumber,
  messages,
  statuses,
}: CallTranscript) {
  return {
    callId,
    firstAt,
    userNumber,
    assistantNumber,
    messages: messages.length,
    status: statuses.at(-1)?.status ?? null,
  }
}
