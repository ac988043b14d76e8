import type OpenAI from 'openai'
import { startTimer } from '../../lib/async/timer.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ChatDelta, type ChatModel, type ChatRequest, ModelFailure } from './chat-model.ts'
import { callIds, chunkSchema, gatherToolCalls, toBody } from './chat-wire.ts'
import { type Confidential, modelErrorReason, sentenceOf } from './failure-sentence.ts'
import { createExchange, type ModelExchange, modelAddressOf } from './model-exchange.ts'

interface OpenAiModelOptions {
  /** `/chat/completions` is appended to its path (interface.md 2.1, assistantLLMUrl). */
  readonly baseUrl: string
  readonly model: string
  /** Undefined or empty: no Authorization is sent, unless the URL holds a user name and password. */
  readonly apiKey: string | undefined
  /** Milliseconds after which a server that sends nothing is given up; one that never ends after four times as long. */
  readonly timeout: number
  readonly clock: Clock
}

/** A server that does not stop is stopped. Characters. */
const maxTextLength = 256 * 1024
/** Milliseconds; the longest delay that a timer can hold. */
const maxTimeoutMs = 2_147_483_647

/**
 * A model behind any OpenAI-compatible server, streaming. A request is made once: nothing is repeated, no redirect is
 * followed, and of the environment nothing is sent: what goes out is the request and, to this server alone, its key.
 * `complete` throws a ModelFailure, or the signal's reason when that aborts; either way no request is left behind.
 */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  return {
    async *complete(request, signal) {
      signal.throwIfAborted()
      const address = modelAddressOf(options.baseUrl, options.apiKey)
      const confidential = { secrets: address.secrets, messages: request.messages }
      const openai = await import('openai')
      const watch = watchSilence(options, signal)
      const exchange = createExchange(address, { clock: options.clock, confidential, heard: watch.heard })
      try {
        yield* stream(connect(openai.default, exchange), options.model, request, { watch, exchange, signal })
      } catch (error) {
        signal.throwIfAborted()
        const reason = watch.givenUp()
        if (reason !== undefined) throw new ModelFailure(reason)
        throw exchange.failure() ?? toFailure(error, openai, confidential)
      } finally {
        watch.end()
      }
    },
  }
}

function connect(Client: typeof OpenAI, { fetch }: ModelExchange): OpenAI {
  try {
    return new Client({
      // Neither is used: the exchange knows where to, and with which key.
      baseURL: 'http://127.0.0.1',
      apiKey: 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: maxTimeoutMs,
      logLevel: 'off',
      fetch,
    })
  } catch {
    // The only variable that it reads in any case. Nothing of it is sent, but it has to be readable.
    throw new ModelFailure('OPENAI_CUSTOM_HEADERS in the environment holds no headers: correct or unset it')
  }
}

async function* stream(
  client: OpenAI,
  model: string,
  request: ChatRequest,
  { watch, exchange, signal }: { watch: SilenceWatch; exchange: ModelExchange; signal: AbortSignal },
): AsyncGenerator<ChatDelta> {
  const chunks = await client.chat.completions.create(toBody(model, request), { signal: watch.signal })
  const calls = gatherToolCalls()
  let length = 0
  let finished = false
  try {
    for await (const received of chunks) {
      const chunk = chunkSchema.safeParse(received)
      if (!chunk.success) throw new ModelFailure('the model sent something that is no piece of an answer')
      const choice = chunk.data.choices?.[0]
      const { content, tool_calls: fragments } = choice?.delta ?? {}
      if (typeof content === 'string' && content !== '') {
        length += content.length
        if (length > maxTextLength) throw new ModelFailure('the model does not stop talking')
        yield { type: 'text', text: content }
      }
      calls.add(fragments ?? [])
      if (typeof choice?.finish_reason === 'string') finished = true
    }
  } catch (error) {
    // After its last word the connection may end as it likes: fetch tells that with a TypeError.
    if (!finished || !(error instanceof TypeError)) throw error
  }
  signal.throwIfAborted()
  if (!finished && !exchange.done()) throw new ModelFailure('the model broke off in the middle of its answer')
  for (const call of calls.all(callIds(request.messages))) yield { type: 'tool-call', call }
}

function toFailure(
  error: unknown,
  { APIConnectionError, APIError }: typeof import('openai'),
  confidential: Confidential,
): ModelFailure {
  if (error instanceof ModelFailure) return error
  if (error instanceof APIConnectionError)
    return new ModelFailure(`the model cannot be reached: ${modelErrorReason(error.cause)}`)
  if (error instanceof APIError)
    return new ModelFailure(`the model failed in the middle${sentenceOf(error.error, confidential)}`)
  if (error instanceof SyntaxError) return new ModelFailure('the model’s answer broke: it is not JSON')
  return new ModelFailure(`the model’s answer broke: ${modelErrorReason(error)}`)
}

interface SilenceWatch {
  /** Aborts when nothing came for too long, when it never ends, or when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Something came: the time runs anew. */
  heard(): void
  /** Why it was given up, in the words of a failure. */
  givenUp(): string | undefined
  /** The request is over. */
  end(): void
}

/** A model that always sends something, and never an end, has this many times the longest silence. */
const maxSilences = 4

/** Watches over one request: `timeout` is the longest silence, in milliseconds, from its start on. */
function watchSilence(
  { timeout, clock }: { timeout: number; clock: Clock },
  outer: AbortSignal,
): SilenceWatch {
  const ending = new AbortController()
  const cancel = () => ending.abort(outer.reason)
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel, { once: true })
  let reason: string | undefined
  const giveUp = (why: string) => {
    reason = why
    ending.abort()
  }
  let cancelSilence = () => {}
  const wait = () => {
    cancelSilence()
    cancelSilence = startTimer(
      timeout,
      () => giveUp(`the model sent nothing for ${timeout / 1000} seconds`),
      clock,
    )
  }
  wait()
  const longest = maxSilences * timeout
  const cancelLongest = startTimer(
    longest,
    () => giveUp(reason ?? `the model came to no end within ${longest / 1000} seconds`),
    clock,
  )
  return {
    signal: ending.signal,
    heard: wait,
    givenUp: () => reason,
    end() {
      cancelLongest()
      cancelSilence()
      outer.removeEventListener('abort', cancel)
    },
  }
}
