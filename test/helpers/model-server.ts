import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { createOpenAiModel } from '../../src/sandbox/model/index.ts'
import { listenOnLoopback } from './loopback.ts'
import { realClock } from './real-clock.ts'

const chatBodySchema = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  temperature: z.number(),
  max_tokens: z.number(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.optional(z.nullable(z.string())),
      tool_call_id: z.optional(z.string()),
      tool_calls: z.optional(
        z.array(z.object({ id: z.string(), type: z.string(), function: z.record(z.string(), z.string()) })),
      ),
    }),
  ),
  response_format: z.optional(
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object({
        name: z.string(),
        strict: z.literal(true),
        schema: z.record(z.string(), z.unknown()),
      }),
    }),
  ),
  tools: z.optional(
    z.array(
      z.object({
        type: z.literal('function'),
        function: z.looseObject({ name: z.string(), description: z.string(), parameters: z.unknown() }),
      }),
    ),
  ),
})

export type ChatBody = z.infer<typeof chatBodySchema>

export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ChatBody
  /** Resolves when the client disconnected before the response was complete. */
  readonly left: Promise<void>
}

/** Response to a request. */
export type ModelAnswer =
  /** Streamed piece by piece; a single text word by word. */
  | { readonly say: string | readonly string[] }
  /** Arguments are streamed in pieces of a few characters. */
  | { readonly call: string; readonly with: unknown; readonly say?: string; readonly id?: string }
  | { readonly calls: readonly { readonly call: string; readonly with: unknown }[] }
  /** An error as OpenAI words it, or with a body of another shape. */
  | {
      readonly status: number
      readonly message?: string
      readonly body?: string
      readonly headers?: Record<string, string>
    }
  /** These bytes, as a stream of events; by default it ends well. */
  | { readonly raw: string; readonly after?: 'end' | 'hang' | 'reset' }
  /** Words, then the connection ends. */
  | { readonly breakOff: string; readonly how: 'end' | 'reset' }
  /** Words, then nothing more. */
  | { readonly hangAfter: string }
  | 'hang'
  | 'reset'

export interface ModelServer {
  /** Value of assistantLLMUrl or --llm-url. */
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** Resolves once `count` requests have arrived in all. */
  received(count: number): Promise<void>
  /** The server is gone from now on; else it ends with the test. */
  close(): Promise<void>
}

type Choose = (body: ChatBody, index: number) => ModelAnswer

/**
 * A small OpenAI-compatible streaming server on loopback. Its responses are a list in order (the last one repeats) or a function of the
 * request.
 */
export async function startModelServer(
  ...answers: readonly [Choose] | readonly ModelAnswer[]
): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const waiting: { count: number; resolve(): void }[] = []
  const [first] = answers
  const choose: Choose =
    typeof first === 'function'
      ? first
      : (_body, index) =>
          (answers[Math.min(index, answers.length - 1)] as ModelAnswer | undefined) ?? { say: 'ok' }
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    const body = chatBodySchema.parse(JSON.parse(await text(request)))
    const left = new Promise<void>(resolve => {
      response.on('close', () => {
        if (!response.writableEnded) resolve()
      })
    })
    const index = requests.push({ path, headers, body, left }) - 1
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    answer(response, choose(body, index))
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    url: `${origin}/v1`,
    requests,
    close,
    received: count =>
      new Promise(resolve => {
        if (requests.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

function answer(response: ServerResponse, modelAnswer: ModelAnswer): void {
  if (modelAnswer === 'hang') return
  if (modelAnswer === 'reset') return void response.socket?.resetAndDestroy()
  if ('status' in modelAnswer) {
    response.writeHead(modelAnswer.status, { 'content-type': 'application/json', ...modelAnswer.headers })
    return void response.end(
      modelAnswer.body ?? JSON.stringify({ error: { message: modelAnswer.message ?? 'refused' } }),
    )
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if ('raw' in modelAnswer) return void write(response, modelAnswer.raw, modelAnswer.after ?? 'end')
  if ('breakOff' in modelAnswer)
    return void write(response, events(words(modelAnswer.breakOff)), modelAnswer.how)
  if ('hangAfter' in modelAnswer) return void write(response, events(words(modelAnswer.hangAfter)), 'hang')
  const calls = 'calls' in modelAnswer ? modelAnswer.calls : 'call' in modelAnswer ? [modelAnswer] : []
  const wordDeltas = 'say' in modelAnswer && modelAnswer.say !== undefined ? words(modelAnswer.say) : []
  response.end(
    `${events([...wordDeltas, ...calls.flatMap(callDeltas)])}${events([{}], calls.length > 0 ? 'tool_calls' : 'stop')}data: [DONE]\n\n`,
  )
}

function write(response: ServerResponse, bytes: string, after: 'end' | 'hang' | 'reset'): void {
  response.write(bytes, () => {
    if (after === 'end') response.end()
    if (after === 'reset') response.socket?.resetAndDestroy()
  })
}

function words(content: string | readonly string[]): object[] {
  const pieces = typeof content === 'string' ? content.split(/(?<= )/) : content
  return pieces.map(content => ({ content }))
}

/** The id and the name come in the first piece, the arguments in many. */
function callDeltas(
  { call, with: args, id = `call_${call}` }: { call: string; with: unknown; id?: string },
  index: number,
): object[] {
  const json = typeof args === 'string' ? args : JSON.stringify(args)
  const pieces = json.match(/.{1,7}/gs) ?? []
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name: call, arguments: '' } }] },
    ...pieces.map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

/** Server-sent events, one per delta. */
function events(deltas: readonly object[], finish: string | null = null): string {
  return deltas
    .map(delta => {
      const choice = { index: 0, delta, finish_reason: finish }
      return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [choice] })}\n\n`
    })
    .join('')
}

/** A model of such a server, without a key; `timeout` in milliseconds of silence. */
export function openModel(baseUrl: string, timeout: number) {
  return createOpenAiModel({ baseUrl, model: 'small', apiKey: undefined, timeout, clock: realClock })
}
