import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { beginningHint, findByBeginning } from '../../lib/text/find-by-beginning.ts'
import { callTable, isCall } from '../../transcript/index.ts'
import { type CallTranscript, callName } from '../../webhook/index.ts'

export interface Choice {
  readonly file: string
  readonly call?: string
  readonly all?: boolean
  readonly last?: boolean
}

/**
 * The calls that are meant: that of `--call`, the newest with `--last`, all with `--all`, the only one; undefined where
 * several remain.
 * @throws CliError `usage` when there is no such call
 */
export function chosenCalls(
  calls: readonly CallTranscript[],
  { file, call: wanted, all, last }: Choice,
): readonly CallTranscript[] | undefined {
  const given = [wanted !== undefined && '--call', last === true && '--last', all === true && '--all']
  const [one, other] = given.filter(flag => flag !== false)
  if (one !== undefined && other !== undefined)
    throw new CallwrightError('usage', `${one} and ${other} exclude each other`, {
      hint: 'leave one of them out',
    })
  if (calls.length === 0) throw new CallwrightError('invalid', `${file} holds no call`)
  if (wanted !== undefined) return [byId(calls, wanted, file)]
  if (last === true) return [calls.findLast(isCall) ?? calls.slice(-1)].flat()
  return all === true || calls.length === 1 ? calls : undefined
}

/** Lists the calls on stderr. @throws CliError `usage` that asks for a choice, always */
export function askForChoice(
  calls: readonly CallTranscript[],
  { file, output }: { readonly file: string; readonly output: Context['output'] },
): never {
  output.note(callTable(calls, output.width))
  throw new CallwrightError('usage', `${file} holds ${calls.length} calls`, {
    hint: 'choose one with --call <id> or --last, or take them all with --all',
    details: { calls: calls.map(summary) },
  })
}

function byId(calls: readonly CallTranscript[], wanted: string, file: string): CallTranscript {
  const found = findByBeginning(wanted, calls, callName)
  if (found.kind === 'found') return found.item
  const message =
    found.kind === 'missing'
      ? `${file} holds no call ${wanted}`
      : `${file} holds ${found.candidates.length} calls whose ids begin with ${wanted}`
  throw new CallwrightError('usage', message, {
    hint: beginningHint(found, callName, { short: true }) ?? 'without --call the calls are listed',
    details: { calls: calls.map(summary) },
  })
}

function summary({ callId, firstAt, userNumber, assistantNumber, messages, statuses }: CallTranscript) {
  return {
    callId,
    firstAt,
    userNumber,
    assistantNumber,
    messages: messages.length,
    status: statuses.at(-1)?.status ?? null,
  }
}
