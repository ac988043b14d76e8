import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { didYouMean } from '../../interface/did-you-mean.ts'
import { callLine } from '../../output/transcript-documents/call-line.ts'
import { withoutCallId } from '../../webhook/filter.ts'
import type { CallTranscript } from '../../webhook/show/call-transcript.ts'

interface Choice {
  readonly file: string
  readonly call?: string
  readonly all?: boolean
}

/**
 * The calls that are meant: the only one, that of `--call`, all with `--all`; else a person is asked.
 * @throws CliError `usage` when nobody can be asked, or there is no such call
 */
export async function chooseCalls(
  calls: readonly CallTranscript[],
  { file, call: wanted, all }: Choice,
  { prompts, output }: Pick<Context, 'prompts' | 'output'>,
): Promise<readonly CallTranscript[]> {
  if (wanted !== undefined && all === true)
    throw new CliError('usage', '--call and --all exclude each other', { hint: 'leave one of them out' })
  if (calls.length === 0) throw new CliError('invalid', `${file} holds no call`)
  if (wanted !== undefined) return [byId(calls, wanted, file)]
  if (all === true || calls.length === 1) return calls

  const lines = calls.map(callLine)
  if (!prompts.available) {
    output.note(lines.join('\n'))
    throw new CliError('usage', `${file} holds ${calls.length} calls`, {
      hint: 'choose one with --call <id>, or take them all with --all',
      details: { calls: calls.map(summary) },
    })
  }
  const answer = await prompts.select({ message: 'Which call?', flag: '--call', choices: lines })
  const chosen = calls[lines.indexOf(answer)]
  return chosen === undefined ? [] : [chosen]
}

function byId(calls: readonly CallTranscript[], wanted: string, file: string): CallTranscript {
  const found = calls.find(({ callId }) => (callId ?? withoutCallId) === wanted)
  if (found !== undefined) return found
  const ids = calls.map(({ callId }) => callId ?? withoutCallId)
  const meant = didYouMean(wanted, ids)
  throw new CliError('usage', `${file} holds no call ${wanted}`, {
    hint: meant === undefined ? 'without --call the calls are listed' : `did you mean ${meant}?`,
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
