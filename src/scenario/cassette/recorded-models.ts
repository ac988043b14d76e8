import type { Clock } from '../../lib/clock.ts'
import { parseRetryAfter } from '../../lib/net/retry-after.ts'
import { createCounter } from '../../lib/text/count.ts'
import {
  type ChatMessage,
  type ChatModel,
  type ChatRequest,
  type ChatToolCall,
  type CompleteResponse,
  completeResponse,
  ModelFailure,
  type ModelRequest,
} from '../../sandbox/model/index.ts'
import type { AttemptModels, RunningAttempt } from '../run/run-options.ts'
import type { TestCase } from '../test-case.ts'
import type { FailedRequest, MissingResponse, ModelRole } from '../verdict.ts'
import { canonicalizeRequest, hashRequest } from './canonical-request.ts'
import { type Cassette, toCassettePath } from './cassette.ts'
import { type CassetteEntry, type CassetteRequest, entryKey } from './cassette-text.ts'
import { createEnvPlaceholders, type EnvPlaceholders } from './env-placeholders.ts'

export interface ModelAccess {
  /** Sends requests that are not recorded. */
  readonly update: boolean
  /** Returns the model for live tests and updates; undefined if none is configured. `wish` is the assistant's, after a call began. */
  connect(role: ModelRole, modelRequest: ModelRequest | undefined): ChatModel | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

interface RecordedModelsOptions extends ModelAccess {
  /** Undefined for a live test, which sends every request. */
  readonly cassette: Cassette | undefined
  /** 0-based index of the test in its file. */
  readonly testIndex: number
  /** Environment values by variable name. */
  readonly variables: ReadonlyMap<string, string>
}

/** Creates the models of one attempt. Responses are replayed as a whole, because chunking must not affect the result. */
export function createRecordedModels(
  test: TestCase,
  attempt: RunningAttempt,
  options: RecordedModelsOptions,
): AttemptModels {
  const { cassette, testIndex, variables, update, connect, clock, signal } = options
  let placeholders = createEnvPlaceholders(variables)
  const missingResponses: MissingResponse[] = []
  const failedRequests: FailedRequest[] = []
  const row = parseRow(test)
  const countOccurrence = createCounter()
  let requests = 0
  let modelRequest: ModelRequest | undefined
  /** Later requests of the call depend on a missing response, so they are neither recorded nor sent. */
  let isBroken = false

  const respond = async (
    role: ModelRole,
    request: ChatRequest,
    callSignal: AbortSignal,
  ): Promise<CompleteResponse> => {
    const turn = attempt.turn()
    if (isBroken) throw new ResponseNotRecorded()
    try {
      if (cassette === undefined) {
        const model = connect(role, modelRequest)
        if (model === undefined) throw new ModelFailure('no model server is configured')
        return await requestWithRetries(model, request, clock, callSignal)
      }
      const model = role === 'judge' || role === 'caller' ? '' : (modelRequest?.model ?? '')
      const canonicalRequest = canonicalizeRequest(request, { model, placeholders })
      const hash = hashRequest(canonicalRequest)
      const pendingEntry = {
        row,
        turn,
        role,
        request: canonicalRequest,
        occurrence: countOccurrence(hash),
        hash,
      }
      const order = [testIndex, attempt.number, requests++] as const
      const isReadable = ({ response }: CassetteEntry) =>
        request.isReadable?.(placeholders.show(response.text)) ?? true
      const recordedEntry = cassette.find(entryKey(pendingEntry))
      const isKept = recordedEntry !== undefined && (!update || isReadable(recordedEntry))
      const entry = isKept ? recordedEntry : await recordResponse(cassette, pendingEntry, request)
      if (isReadable(entry)) cassette.markUsed(entry, order)
      return replay(entry, request.messages, placeholders)
    } catch (error) {
      callSignal.throwIfAborted()
      if (!(error instanceof ModelFailure)) throw error
      if (!(error instanceof ResponseNotRecorded)) failedRequests.push({ turn, role, reason: error.message })
      isBroken ||= role === 'assistant' || role === 'caller'
      throw error
    }
  }

  const recordResponse = async (
    cassette: Cassette,
    pendingEntry: CassetteRequest,
    request: ChatRequest,
  ): Promise<CassetteEntry> => {
    const model = update ? connect(pendingEntry.role, modelRequest) : undefined
    if (model === undefined) {
      const { turn, role, request } = pendingEntry
      const { diffRequests: differenceOf, findNearestEntry: nearestEntry } = await import(
        './nearest-request.ts'
      )
      const nearest = nearestEntry(pendingEntry, cassette.recorded)
      const difference = nearest === undefined ? [] : differenceOf(nearest.request, request)
      missingResponses.push({ turn, role, difference })
      throw new ResponseNotRecorded()
    }
    return cassette.add(entryKey(pendingEntry), async () => {
      // Not the call's signal: an interruption must not leave a partial response.
      const { text, calls } = await requestWithRetries(model, request, clock, signal)
      const hide = (words: string) => placeholders.hide(words.toWellFormed())
      const hidden = calls.map(({ name, arguments: args }) => ({ name: hide(name), arguments: hide(args) }))
      return { ...pendingEntry, response: { text: hide(text), calls: hidden } }
    })
  }

  const createModel = (role: ModelRole): ChatModel => ({
    async *complete(request, callSignal) {
      callSignal.throwIfAborted()
      const { text, calls } = await respond(role, request, callSignal)
      callSignal.throwIfAborted()
      if (text !== '') yield { type: 'text', text }
      for (const call of calls) yield { type: 'tool-call', call }
    },
  })
  return {
    modelFor(request, use) {
      if (modelRequest?.fill !== request.fill) placeholders = createEnvPlaceholders(variables, request.fill)
      modelRequest = request
      return test.model === 'none' ? undefined : createModel(use === 'reply' ? 'assistant' : 'analysis')
    },
    judge: createModel('judge'),
    caller: createModel('caller'),
    cassette: toCassettePath(test.file),
    missingResponses,
    failedRequests,
  }
}

/** The request, or an earlier one it depends on, has no recorded response. */
class ResponseNotRecorded extends ModelFailure {
  constructor() {
    super('the request has no recorded response')
  }
}

/** Attempts per request, and the longest Retry-After that is respected. */
const maxAttempts = 5
const maxWaitMs = 60_000

/** Sends a request. Retries only 429 and 503 responses with Retry-After. @throws ModelFailure, or the signal's reason */
async function requestWithRetries(
  model: ChatModel,
  request: ChatRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<CompleteResponse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await completeResponse(model, request, signal)
    } catch (error) {
      const delayMs =
        error instanceof ModelFailure ? parseRetryAfter(error.retryAfter, clock.now()) : undefined
      if (delayMs === undefined || delayMs > maxWaitMs || attempt === maxAttempts) throw error
      await clock.sleep(delayMs, signal)
    }
  }
}

/** Parses the row from an id such as `hours[2]`. */
function parseRow({ id }: TestCase): number | undefined {
  const [, row] = /\[(\d+)\]$/.exec(id) ?? []
  return row === undefined ? undefined : Number(row)
}

/** Continues the numbering of tool call ids in the conversation. Every server accepts nine letters and digits. */
function replay(
  { response }: CassetteEntry,
  conversation: readonly ChatMessage[],
  { show, showInJson }: EnvPlaceholders,
): CompleteResponse {
  const earlier = conversation.flatMap(message =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  )
  const calls = response.calls.map(({ name, arguments: args }, index): ChatToolCall => {
    const number = String(earlier.length + index + 1).padStart(5, '0')
    return { id: `call${number}`, name: show(name), arguments: showInJson(args) }
  })
  return { text: show(response.text), calls }
}
