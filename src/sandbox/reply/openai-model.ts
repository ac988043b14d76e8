import type OpenAI from 'openai'
import type { Clock } from '../../context.ts'
import type { ChatDelta, ChatMessage, ChatModel, ChatRequest } from './chat-model.ts'
import { ModelFailure } from './model-failure.ts'
import { gatherToolCalls } from './tool-call-fragments.ts'

interface OpenAiModelOptions {
  /** `/chat/completions` is appended to it (interface.md 2.1, assistantLLMUrl). */
  readonly baseUrl: string
  readonly model: string
  /** Undefined: no Authorization is sent. */
  readonly apiKey: string | undefined
  /** Milliseconds after which a server that sends nothing is given up. */
  readonly timeout: number
  readonly clock: Clock
}

/** A server that does not stop is stopped. Characters. */
const longestText = 256 * 1024

/**
 * A model behind any OpenAI-compatible server, streaming. A request is made once: nothing is repeated, no redirect is
 * followed, and of the environment nothing is read: what is sent is the request and, to this server alone, its key.
 */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  let client: Promise<OpenAI> | undefined
  return {
    async *complete(request, signal) {
      client ??= connect(options)
      const watch = watchSilence(options, signal)
      try {
        yield* stream(await client, options.model, request, watch)
      } catch (error) {
        signal.throwIfAborted()
        if (watch.silent())
          throw new ModelFailure(`the model sent nothing for ${options.timeout / 1000} seconds`)
        throw await toFailure(error, options.apiKey)
      } finally {
        watch.end()
      }
      signal.throwIfAborted()
    },
  }
}

async function connect({ baseUrl, apiKey }: OpenAiModelOptions): Promise<OpenAI> {
  const { default: Client } = await import('openai')
  return new Client({
    baseURL: baseUrl.replace(/\/+$/, ''),
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: 'off',
    // The client adds headers of its own and those of its environment variables: of all these none is sent.
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        redirect: 'manual',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
      }),
  })
}

async function* stream(
  client: OpenAI,
  model: string,
  { messages, tools, temperature, maxTokens }: ChatRequest,
  watch: Watch,
): AsyncGenerator<ChatDelta> {
  const chunks = await client.chat.completions.create(
    {
      model,
      messages: messages.map(toWire),
      temperature,
      max_tokens: maxTokens,
      stream: true,
      ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    },
    { signal: watch.signal },
  )
  const calls = gatherToolCalls()
  let length = 0
  let finished = false
  for await (const { choices } of chunks) {
    watch.heard()
    const choice = choices?.[0]
    if (choice === undefined) continue
    const { content, tool_calls: fragments } = choice.delta ?? {}
    if (typeof content === 'string' && content !== '') {
      length += content.length
      if (length > longestText) throw new ModelFailure('the model does not stop talking')
      yield { type: 'text', text: content }
    }
    calls.add(fragments)
    if (typeof choice.finish_reason === 'string') finished = true
  }
  if (!finished) throw new ModelFailure('the model broke off in the middle of its answer')
  for (const call of calls.all()) yield { type: 'tool-call', call }
}

function toWire(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const { content, toolCalls = [] } = message
  if (toolCalls.length === 0) return { role: 'assistant', content }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  }
}

function toTool({ name, description, parameters }: ChatRequest['tools'][number]): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } }
}

interface Watch {
  readonly signal: AbortSignal
  heard(): void
  /** Whether it was given up for its silence. */
  silent(): boolean
  end(): void
}

/** Ends a request when nothing came for too long, or when nobody waits for it. */
function watchSilence({ timeout, clock }: OpenAiModelOptions, outer: AbortSignal): Watch {
  const ending = new AbortController()
  const cancel = () => ending.abort(outer.reason)
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel, { once: true })
  let silent = false
  let waiting: AbortController | undefined
  const wait = () => {
    waiting?.abort()
    const current = new AbortController()
    waiting = current
    clock.sleep(timeout, current.signal).then(
      () => {
        silent = true
        ending.abort()
      },
      () => undefined,
    )
  }
  wait()
  return {
    signal: ending.signal,
    heard: wait,
    silent: () => silent,
    end() {
      waiting?.abort()
      outer.removeEventListener('abort', cancel)
      // Whoever stops reading in the middle leaves no request behind.
      ending.abort()
    },
  }
}

async function toFailure(error: unknown, apiKey: string | undefined): Promise<ModelFailure> {
  if (error instanceof ModelFailure) return error
  const { APIConnectionError, APIError } = await import('openai')
  if (error instanceof APIConnectionError)
    return new ModelFailure(`the model cannot be reached: ${reasonOf(error.cause)}`)
  if (!(error instanceof APIError)) return new ModelFailure(`the model’s answer broke: ${reasonOf(error)}`)
  const sentence = saidBy(error.error)
  const said = apiKey === undefined ? sentence : sentence.replaceAll(apiKey, '[redacted]')
  const status: unknown = error.status
  if (typeof status !== 'number') return new ModelFailure(`the model failed in the middle${said}`)
  return new ModelFailure(
    status >= 300 && status < 400
      ? `the model answered ${status}, a redirect, which is not followed`
      : `the model answered ${status}${said}`,
  )
}

/** The innermost reason: fetch wraps what the socket said. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.cause instanceof Error) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return reasonOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200)
}

/** The server's own sentence, if it gave one. */
function saidBy(body: unknown): string {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : body
  return typeof message === 'string' && message.trim() !== '' ? `: ${message.trim().slice(0, 200)}` : ''
}
