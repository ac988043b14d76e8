import type { EventSourceMessage } from 'eventsource-parser'
import { type Clock, startTimer } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { followSignal } from '../../lib/follow-signal.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { networkReason } from '../../lib/net/http.ts'
import {
  type ChatDelta,
  type ChatModel,
  type ChatRequest,
  type Confidential,
  describeModelError,
  ModelFailure,
  modelErrorReason,
} from './chat-model.ts'
import {
  type Chunk,
  callIds,
  chunkSchema,
  type GatheredToolCalls,
  gatherToolCalls,
  toRequestBody,
} from './chat-wire.ts'
import { isDone, parseModelAddress, postToModel, readEvents } from './model-exchange.ts'

export interface OpenAiModelOptions {
  /** `/chat/completions` is appended to its path (interface.md 2.1, assistantLLMUrl). */
  readonly baseUrl: string
  readonly model: string
  /** Undefined or empty: no Authorization is sent, unless the URL holds a user name and password. */
  readonly apiKey: string | undefined
  /** Milliseconds after which a silent server is given up; an endless response is given up after four times as long. */
  readonly timeout: number
  readonly clock: Clock
  /** Source of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case. */
  readonly env?: Environment | undefined
}

/** A server that does not stop is stopped. Characters. */
const maxTextLength = 256 * 1024
/** A model that always sends something, and never an end, has this many times the longest silence. */
const maxSilences = 4

/**
 * Creates a streaming client for any OpenAI-compatible server. Does not retry and does not follow redirects. If a server rejects a
 * response schema, the request is sent again without it, and so are all later ones. `complete` throws a ModelFailure, or the signal's reason when that aborts; either way no request is left behind.
 */
export function createModelClient(options: OpenAiModelOptions): ChatModel {
  let takesSchemas = true
  return {
    async *complete(request, signal) {
      signal.throwIfAborted()
      const address = parseModelAddress(options.baseUrl, options.apiKey)
      const confidential = { secrets: address.secrets, messages: request.messages }
      const silence = watchSilence(options, signal)
      try {
        const { env = {} } = options
        const post = (chatRequest: ChatRequest) =>
          postToModel(address, toRequestBody(options.model, chatRequest), {
            env,
            signal: silence.signal,
            confidential,
          })
        const withoutSchema = { ...request, answerSchema: undefined }
        const chatRequest = takesSchemas ? request : withoutSchema
        const response = await post(chatRequest).catch(async error => {
          if (chatRequest.answerSchema === undefined || !(error instanceof ModelFailure) || !error.isRefusal)
            throw error
          silence.onBytes()
          const second = await post(withoutSchema)
          takesSchemas = false
          return second
        })
        silence.onBytes()
        const events = readEvents(response, { clock: options.clock, onBytes: silence.onBytes })
        const calls = gatherToolCalls()
        yield* readAnswer(events, calls, confidential)
        signal.throwIfAborted()
        for (const call of calls.all(callIds(request.messages))) yield { type: 'tool-call', call }
      } catch (error) {
        signal.throwIfAborted()
        const reason = silence.givenUp()
        if (reason !== undefined) throw new ModelFailure(reason)
        if (error instanceof ModelFailure) throw error
        throw new ModelFailure(`the model’s response was interrupted: ${modelErrorReason(error)}`)
      } finally {
        silence.end()
      }
    },
  }
}

/** Text as it comes; tool calls are gathered. */
async function* readAnswer(
  events: AsyncIterable<EventSourceMessage>,
  calls: GatheredToolCalls,
  confidential: Confidential,
): AsyncGenerator<ChatDelta> {
  let length = 0
  let finished = false
  try {
    for await (const event of events) {
      finished ||= isDone(event)
      if (isDone(event)) break
      const { error, choices } = readChunk(event)
      if (error)
        throw new ModelFailure(`the model failed in the middle${describeModelError(error, confidential)}`)
      const { delta, message, finish_reason: reason } = choices?.[0] ?? {}
      const text = delta?.content ?? message?.content ?? ''
      length += text.length
      if (length > maxTextLength) throw new ModelFailure('the model does not stop talking')
      if (text !== '') yield { type: 'text', text }
      calls.add(delta?.tool_calls ?? message?.tool_calls?.map((call, index) => ({ ...call, index })) ?? [])
      if (typeof reason === 'string' || message) finished = true
    }
  } catch (error) {
    // After the last event, an abrupt end is fine.
    if (!finished || networkReason(error) === undefined) throw error
  }
  if (!finished) throw new ModelFailure('the model’s response ended early')
}

/** Reads a chunk of a response, or the error in its place: an event named `error`, or a field. */
function readChunk({ event, data }: EventSourceMessage): Chunk {
  const value = parseJson(data)
  if (event === 'error') return { error: isObject(value) ? value.error || value : data }
  if (value === undefined) throw new ModelFailure('the model’s response is not JSON')
  const chunk = chunkSchema().safeParse(value)
  if (!chunk.success) throw new ModelFailure('the model’s response has an unknown format')
  return chunk.data
}

/** Watches over one request: `timeout` is the longest silence, in milliseconds, from its start on. */
function watchSilence({ timeout, clock }: OpenAiModelOptions, outer: AbortSignal) {
  const ending = followSignal(outer)
  let reason: string | undefined
  const abort = (abortReason: string) => {
    reason = abortReason
    ending.abort()
  }
  const silent = `the model sent nothing for ${timeout / 1000} seconds`
  const endless = `the model came to no end within ${(maxSilences * timeout) / 1000} seconds`
  const waitForBytes = () => startTimer(timeout, () => abort(silent), clock)
  let cancelSilence = waitForBytes()
  const cancelLongest = startTimer(maxSilences * timeout, () => abort(reason ?? endless), clock)
  return {
    /** Aborts when nothing came for too long, when it never ends, or with the signal outside. */
    signal: ending.signal,
    /** Something came: the time begins again. */
    onBytes() {
      cancelSilence()
      cancelSilence = waitForBytes()
    },
    /** Why it was given up, in the words of a failure. */
    givenUp: () => reason,
    end() {
      cancelLongest()
      cancelSilence()
      ending.release()
    },
  }
}
