import type { Clock } from '../../lib/clock.ts'
import { parseRetryAfter } from '../../lib/net/retry-after.ts'
import { createCounter } from '../../lib/text/count.ts'
import {
  type ChatMessage,
  type ChatModel,
  type ChatRequest,
  type ChatToolCall,
  ModelFailure,
  type ModelRequest,
  type WholeAnswer,
  wholeAnswer,
} from '../../model/index.ts'
import type { AttemptModels, OpenModels } from '../run/run-options.ts'
import type { TestCase } from '../test-case.ts'
import type { MissingAnswer, ModelRole } from '../verdict.ts'
import { hashOfRequest, toCanonical } from './canonical-request.ts'
import { type Cassette, cassetteNameOf } from './cassette.ts'
import { type CassetteEntry, entryKey } from './cassette-text.ts'
import { createEnvPlaceholders, type EnvPlaceholders } from './env-placeholders.ts'

export interface ModelAccess {
  /** Sends requests that are not recorded. */
  readonly update: boolean
  /** Returns the model for live tests and updates; undefined if none is configured. `wish` is the assistant's, after a call began. */
  connect(role: ModelRole, wish: ModelRequest | undefined): ChatModel | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface RecordedModelsOptions extends ModelAccess {
  /** Undefined for a live test, which sends every request. */
  readonly cassette: Cassette | undefined
  /** 0-based index of the test in its file. */
  readonly place: number
  /** Environment values by variable name. */
  readonly variables: ReadonlyMap<string, string>
}

type Asked = Omit<CassetteEntry, 'answer'>

/** Creates the models of one attempt. Responses are replayed as a whole, because chunking must not affect the result. */
export function createRecordedModels(
  test: TestCase,
  attempt: Parameters<OpenModels>[1],
  options: RecordedModelsOptions,
): AttemptModels {
  const { cassette, place, variables, update, connect, clock, signal } = options
  let placeholders = createEnvPlaceholders(variables)
  const missing: MissingAnswer[] = []
  const unanswered: AttemptModels['unanswered'][number][] = []
  const row = rowOf(test)
  const countTime = createCounter()
  let requests = 0
  let wish: ModelRequest | undefined
  /** Later requests of the call depend on a missing response, so they are neither recorded nor sent. */
  let isBroken = false

  const answerTo = async (of: ModelRole, request: ChatRequest, over: AbortSignal): Promise<WholeAnswer> => {
    const turn = attempt.turn()
    if (isBroken) throw new NoRecordedAnswer()
    try {
      if (cassette === undefined) {
        const model = connect(of, wish)
        if (model === undefined) throw new ModelFailure('no server is given for it')
        return await askModel(model, request, { clock, signal: over })
      }
      const model = of === 'judge' || of === 'caller' ? '' : (wish?.model ?? '')
      const seen = toCanonical(request, { model, placeholders })
      const hash = hashOfRequest(seen)
      const asked = { row, turn, of, request: seen, time: countTime(hash), hash }
      const order = [place, attempt.number, requests++] as const
      const isReadable = ({ answer }: CassetteEntry) =>
        request.isReadable?.(placeholders.show(answer.text)) ?? true
      const recorded = cassette.find(entryKey(asked))
      const isKept = recorded !== undefined && (!update || isReadable(recorded))
      const entry = isKept ? recorded : await record(cassette, asked, request)
      if (isReadable(entry)) cassette.use(entry, order)
      return play(entry, request.messages, placeholders)
    } catch (error) {
      over.throwIfAborted()
      if (!(error instanceof ModelFailure)) throw error
      if (!(error instanceof NoRecordedAnswer)) unanswered.push({ turn, of, reason: error.message })
      isBroken ||= of === 'assistant' || of === 'caller'
      throw error
    }
  }

  const record = async (cassette: Cassette, asked: Asked, request: ChatRequest): Promise<CassetteEntry> => {
    const model = update ? connect(asked.of, wish) : undefined
    if (model === undefined) {
      const { turn, of, request } = asked
      const { differenceOf, nearestEntry } = await import('./nearest-request.ts')
      const nearest = nearestEntry(asked, cassette.recorded)
      const difference = nearest === undefined ? [] : differenceOf(nearest.request, request)
      missing.push({ turn, of, difference })
      throw new NoRecordedAnswer()
    }
    return cassette.add(entryKey(asked), async () => {
      // Not the call's signal: an interruption must not leave a partial response.
      const { text, calls } = await askModel(model, request, { clock, signal })
      const hide = (words: string) => placeholders.hide(words.toWellFormed())
      const hidden = calls.map(({ name, arguments: given }) => ({ name: hide(name), arguments: hide(given) }))
      return { ...asked, answer: { text: hide(text), calls: hidden } }
    })
  }

  const modelOf = (role: ModelRole): ChatModel => ({
    async *complete(request, over) {
      over.throwIfAborted()
      const { text, calls } = await answerTo(role, request, over)
      over.throwIfAborted()
      if (text !== '') yield { type: 'text', text }
      for (const call of calls) yield { type: 'tool-call', call }
    },
  })
  return {
    modelFor(wanted, use) {
      if (wish?.fill !== wanted.fill) placeholders = createEnvPlaceholders(variables, wanted.fill)
      wish = wanted
      return test.model === 'none' ? undefined : modelOf(use === 'reply' ? 'assistant' : 'analysis')
    },
    judge: modelOf('judge'),
    caller: modelOf('caller'),
    cassette: cassetteNameOf(test.file),
    missing,
    unanswered,
  }
}

/** The request, or an earlier one it depends on, has no recorded response. */
class NoRecordedAnswer extends ModelFailure {
  constructor() {
    super('the request has no recorded answer')
  }
}

/** Attempts per request, and the longest Retry-After that is respected. */
const maxAttempts = 5
const maxWaitMs = 60_000

/** Sends a request. Retries only 429 and 503 responses with Retry-After. @throws ModelFailure, or the signal's reason */
async function askModel(
  model: ChatModel,
  request: ChatRequest,
  { clock, signal }: Pick<ModelAccess, 'clock' | 'signal'>,
): Promise<WholeAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await wholeAnswer(model, request, signal)
    } catch (error) {
      const wait = error instanceof ModelFailure ? parseRetryAfter(error.retryAfter, clock.now()) : undefined
      if (wait === undefined || wait > maxWaitMs || attempt === maxAttempts) throw error
      await clock.sleep(wait, signal)
    }
  }
}

/** Parses the row from an id such as `hours[2]`. */
function rowOf({ id }: TestCase): number | undefined {
  const [, row] = /\[(\d+)\]$/.exec(id) ?? []
  return row === undefined ? undefined : Number(row)
}

/** Continues the numbering of tool call ids in the conversation. Every server accepts nine letters and digits. */
function play(
  { answer }: CassetteEntry,
  conversation: readonly ChatMessage[],
  { show, showInJson }: EnvPlaceholders,
): WholeAnswer {
  const earlier = conversation.flatMap(message =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  )
  const calls = answer.calls.map(({ name, arguments: given }, index): ChatToolCall => {
    const number = String(earlier.length + index + 1).padStart(5, '0')
    return { id: `call${number}`, name: show(name), arguments: showInJson(given) }
  })
  return { text: show(answer.text), calls }
}
