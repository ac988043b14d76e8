import type { Clock } from '../../context.ts'
import type { AnalysisResult } from '../../interface/analysis.ts'
import type { Analysis } from '../call/behaviour.ts'
import type { Ask } from '../reply/ask-model.ts'
import type { AnalysedCall } from './analysed-call.ts'
import { rubricOf } from './rubric.ts'
import { checkData, findObject } from './structured-data.ts'

export interface ModelWorld {
  readonly ask: Ask
  readonly clock: Clock
  /** Aborts when the sandbox stops. */
  readonly signal: AbortSignal
}

export interface MadeAnalysis {
  readonly analysis: AnalysisResult
  /** What is missing and why: one sentence each. */
  readonly failures: readonly string[]
}

const standardSeconds = 10

/**
 * interface.md 2.4, by the model: each part is asked for by itself, with its prompt and its own time (real time; 10 seconds
 * unless given). A part that fails is left out and told; the others are not touched by it.
 */
export async function analyseByModel(
  plan: Analysis,
  call: AnalysedCall,
  world: ModelWorld,
): Promise<MadeAnalysis> {
  const { summary, successEvaluation, structuredData } = plan
  const user = toTranscript(call)
  const failures: string[] = []
  const make = async <Part>(
    part:
      | { readonly enabled?: boolean | undefined; readonly timeoutSeconds?: number | undefined }
      | undefined,
    name: string,
    system: string,
    read: (answer: string) => Part | Promise<Part>,
  ): Promise<Part | undefined> => {
    if (part?.enabled !== true) return undefined
    try {
      return await read(await askInTime({ system, user, maxTokens: 1024 }, part.timeoutSeconds, world))
    } catch (error) {
      failures.push(`the ${name} is missing: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const rubric = rubricOf(successEvaluation?.rubric)
  const [summaryText, success, data] = await Promise.all([
    make(
      summary,
      'summary',
      summary?.prompt ?? 'Summarise this phone call in two or three sentences.',
      answer => nonEmpty(answer.trim()),
    ),
    make(
      successEvaluation,
      'success evaluation',
      `${successEvaluation?.prompt ?? 'Judge whether the caller got what the call was for.'}\nAnswer with ${rubric.answer}, and nothing else.`,
      answer => rubric.parse(answer) ?? fail(`the model’s answer is not ${rubric.answer}`),
    ),
    make(
      structuredData,
      'structured data',
      `${structuredData?.prompt ?? 'Extract this data from the phone call.'}\nAnswer with one JSON object for this JSON Schema, and nothing else; leave out what was not said:\n${JSON.stringify(structuredData?.schema ?? {})}`,
      async answer => {
        const found = findObject(answer) ?? fail('the model’s answer is not a JSON object')
        const { data, problems } = await checkData(structuredData?.schema, found)
        failures.push(...problems)
        return data
      },
    ),
  ])
  return {
    analysis: {
      ...(summaryText === undefined ? {} : { summary: summaryText }),
      ...(success === undefined ? {} : { successEvaluation: success }),
      ...(data === undefined ? {} : { structuredData: data }),
    },
    failures,
  }
}

async function askInTime(
  question: Parameters<Ask>[0],
  seconds: number = standardSeconds,
  { ask, clock, signal }: ModelWorld,
): Promise<string> {
  const late = new AbortController()
  const answered = new AbortController()
  const ending = AbortSignal.any([late.signal, signal])
  clock.sleep(seconds * 1000, answered.signal).then(
    () => late.abort(),
    () => undefined,
  )
  try {
    const answer = await ask(question, ending)
    ending.throwIfAborted()
    return answer
  } catch (error) {
    if (late.signal.aborted) fail(`it was given up after ${seconds} seconds`)
    if (signal.aborted) fail('the sandbox stopped')
    throw error
  } finally {
    answered.abort()
  }
}

/** What was said, and which tools were used, one line each. */
function toTranscript({ messages, toolCalls }: AnalysedCall): string {
  const said = messages.map(({ role, text }) => `${role === 'user' ? 'caller' : 'assistant'}: ${text}`)
  const used = toolCalls.map(
    ({ name, failure }) => `(tool ${name} ${failure === undefined ? 'was used' : 'failed'})`,
  )
  return [...said, ...used].join('\n') || '(nothing was said)'
}

function nonEmpty(text: string): string {
  return text === '' ? fail('the model answered nothing') : text
}

function fail(reason: string): never {
  throw new Error(reason)
}
