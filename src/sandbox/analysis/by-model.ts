import { setMaxListeners } from 'node:events'
import type { Analysis } from '../../interface/analysis.ts'
import type { Clock } from '../../lib/clock.ts'
import { getErrorReason } from '../../lib/error.ts'
import { followSignal } from '../../lib/follow-signal.ts'
import { count } from '../../lib/text/count.ts'
import { collapseWhiteSpace, toExcerpt } from '../../lib/text/escape.ts'
import { findObject } from '../../lib/text/find-object.ts'
import { type ChatMessage, type ChatModel, completeResponse } from '../model/index.ts'
import { type AnalyzedCall, checkStructuredData, findRubric, type MadeAnalysis } from './by-rule.ts'

interface ModelDeps {
  readonly model: ChatModel
  readonly clock: Clock
  /** Aborts when the sandbox stops. */
  readonly signal: AbortSignal
}

const defaultTimeoutSeconds = 10

/** Characters of a model's response that a failure quotes. */
const maxQuoteLength = 80

/**
 * interface.md 2.4, by the model: each part is asked for by itself, with its prompt and its own time (real time;
 * default: 10 seconds). A part that fails is left out and reported; the others do not depend on it.
 */
export async function analyzeByModel(
  plan: Analysis,
  call: AnalyzedCall,
  deps: ModelDeps,
): Promise<MadeAnalysis> {
  const { summary, successEvaluation, structuredData } = plan
  const user = { role: 'user', content: toTranscript(call) } as const
  // One listener per part of each call in progress is not a leak: all are removed.
  setMaxListeners(0, deps.signal)
  const rubric = findRubric(successEvaluation?.rubric)
  const make = async <Value>(
    part: Analysis[keyof Analysis],
    name: string,
    system: string,
    read: (answer: string) => Read<Value> | Promise<Read<Value>>,
  ): Promise<Read<Value | undefined>> => {
    if (part?.enabled !== true) return { value: undefined }
    try {
      const messages = [{ role: 'system', content: system } as const, user]
      return await read(await askInTime(messages, part.timeoutSeconds, deps))
    } catch (error) {
      const reason = getErrorReason(error)
      return { value: undefined, problems: [`the ${name} is missing: ${reason}`] }
    }
  }
  const [summaryText, success, data] = await Promise.all([
    make(
      summary,
      'summary',
      summary?.prompt ?? 'Summarise this phone call in two or three sentences.',
      answer => ({ value: nonEmpty(answer.trim()) }),
    ),
    make(
      successEvaluation,
      'success evaluation',
      `${successEvaluation?.prompt ?? 'Judge whether the caller got what the call was for.'}\nAnswer with ${rubric.answerFormat}, and nothing else.`,
      answer => ({
        value:
          rubric.parse(nonEmpty(answer.trim())) ??
          fail(`the model’s response “${toExcerpt(answer, maxQuoteLength)}” is not ${rubric.answerFormat}`),
      }),
    ),
    make(
      structuredData,
      'structured data',
      `${structuredData?.prompt ?? 'Extract this data from the phone call.'}\nAnswer with one JSON object for this JSON Schema, and nothing else; leave out what was not said:\n${JSON.stringify(structuredData?.schema ?? {})}`,
      async answer => {
        const answerObject = findObject(answer) ?? fail('the model’s response is not a JSON object')
        const { data, problems } = await checkStructuredData(structuredData?.schema, answerObject)
        return { value: data, problems }
      },
    ),
  ])
  return {
    analysis: {
      ...(summaryText.value === undefined ? {} : { summary: summaryText.value }),
      ...(success.value === undefined ? {} : { successEvaluation: success.value }),
      ...(data.value === undefined ? {} : { structuredData: data.value }),
    },
    failures: [summaryText, success, data].flatMap(({ problems }) => problems ?? []),
  }
}

interface Read<Value> {
  readonly value: Value
  readonly problems?: readonly string[]
}

/** Waits no longer than `timeoutSeconds` seconds, also for a model that does not heed the signal. */
async function askInTime(
  messages: readonly ChatMessage[],
  timeoutSeconds: number | undefined,
  { model, clock, signal }: ModelDeps,
): Promise<string> {
  if (signal.aborted) fail('the sandbox stopped')
  // A time-out of zero would leave out every part: it is not meant.
  const seconds = timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : defaultTimeoutSeconds
  const over = followSignal(signal)
  const late = clock
    .sleep(seconds * 1000, over.signal)
    .then(() => fail(`it timed out after ${count(seconds, 'second')}`))
  try {
    const request = { messages, tools: [], temperature: 0, maxTokens: 1024 }
    const { text } = await Promise.race([completeResponse(model, request, over.signal), late])
    return text
  } catch (error) {
    if (signal.aborted) fail('the sandbox stopped')
    throw error
  } finally {
    over.release()
    over.abort()
  }
}

/**
 * Formats a call for a model: its time, so that “tomorrow” is a date, then messages and tool calls, one line each, so that no speaker's
 * text can imitate another's line.
 */
function toTranscript({ messages, toolCalls, startedAt }: AnalyzedCall): string {
  const when = startedAt === undefined ? [] : [`(call of ${new Date(startedAt).toISOString().slice(0, 10)})`]
  const messageLines = messages.map(
    ({ role, text }) => `${role === 'user' ? 'caller' : 'assistant'}: ${collapseWhiteSpace(text)}`,
  )
  const toolLines = toolCalls.map(
    ({ name, failure }) => `(tool ${name} ${failure === undefined ? 'was used' : 'failed'})`,
  )
  const lines = [...messageLines, ...toolLines]
  return [...when, ...(lines.length === 0 ? ['(nothing was said)'] : lines)].join('\n')
}

function nonEmpty(text: string): string {
  return text === '' ? fail('the model’s response is empty') : text
}

function fail(reason: string): never {
  throw new Error(reason)
}
