import * as z from 'zod/mini'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import type { SendTarget } from '../outgoing/json-sender.ts'
import { noParameters } from './call-tool.ts'

/** A stored tool (interface.md 2.5), as far as the sandbox understands it. */
export interface FunctionToolRecord {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The call continues without waiting for the server. */
  readonly async: boolean
  readonly messages: ToolMessages
  readonly target: ToolTarget
}

const nameSchema = lazy(() => z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)))

/**
 * Reads `function: { name, description?, parameters? }` and `server: { url, headers?, timeoutSeconds? }`, whose shapes the interface does
 * not define. Ignores other keys. `fill` fills the variables of spoken texts. A tool with problems cannot be offered; each problem is a
 * sentence.
 */
export function readFunctionTool(
  record: Readonly<Record<string, unknown>>,
  fill?: (text: string) => string,
): { readonly tool?: FunctionToolRecord; readonly problems: readonly string[] } {
  const { name, description, parameters: schema } = objectOf(record.function)
  const parameters = schema ?? noParameters
  const parsedName = nameSchema().safeParse(name)
  if (!parsedName.success) return { problems: [notOffered(record._id, name)] }
  const messages = readToolMessages(record.messages, fill)
  const problems = [
    ...(isObject(parameters) ? [] : ['its function.parameters are no object and are left out']),
    ...messages.problems,
  ]
  return {
    tool: {
      name: parsedName.data,
      description: typeof description === 'string' ? description : '',
      parameters: isObject(parameters) ? parameters : noParameters,
      async: record.async === true,
      messages,
      target: readTarget(objectOf(record.server)),
    },
    problems: problems.map(problem => `tool ${parsedName.data}: ${problem}`),
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function notOffered(id: unknown, name: unknown): string {
  const tool = typeof id === 'string' ? `the tool with the id ${id}` : 'a tool without an id'
  return name === undefined
    ? `${tool} is not offered: it has no function.name`
    : `${tool} is not offered: its function.name ${JSON.stringify(name)} is not 1 to 64 letters, digits, _ and -`
}

const urlSchema = lazy(() =>
  z.string().check(z.refine(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))),
)
const headersSchema = lazy(() => z.record(z.string(), z.string()))
const secondsSchema = lazy(() => z.number().check(z.positive()))
const defaultTimeoutSeconds = 20

/** Server of the tool, or the reason why it cannot be called, as the rest of a sentence about the tool. */
type ToolTarget = SendTarget | { readonly fault: string; readonly missing?: true }

function readTarget(server: Readonly<Record<string, unknown>>): ToolTarget {
  if (server.url === undefined) return { fault: 'has no server.url', missing: true }
  const url = urlSchema().safeParse(server.url)
  const headers = headersSchema().safeParse(server.headers ?? {})
  const seconds = secondsSchema().safeParse(server.timeoutSeconds ?? defaultTimeoutSeconds)
  if (!url.success) return { fault: 'has a server.url that is no http:// or https:// URL' }
  if (!headers.success) return { fault: 'has server.headers that are no object of texts' }
  if (!seconds.success) return { fault: 'has a server.timeoutSeconds that is no positive number' }
  return { url: url.data, headers: headers.data, timeoutSeconds: seconds.data }
}

/** A word in the type of a message → what kind it is. */
const words = { fail: 'failed', delay: 'delayed', complete: 'complete', start: 'start' } as const
type Kind = (typeof words)[keyof typeof words]

const defaultDelayMs = 3000

const messageSchema = lazy(() =>
  z.looseObject({
    type: z.string(),
    content: z.string(),
    timingMilliseconds: z.optional(z.unknown()),
  }),
)

type ToolMessages = ReturnType<typeof readToolMessages>

/**
 * Parses the messages that are spoken while a function tool runs: `messages` of interface.md 2.5. The first start, complete and failed message counts; blank ones are ignored. The interface publishes one
 * `type`, `request-start`: a word in it says the kind.
 */
export function readToolMessages(messages: unknown, fill = (text: string) => text) {
  /** Why a message is never spoken, one sentence each. */
  const problems: string[] = []
  const toolMessages: { kind: Kind; text: string; afterMs: number }[] = []
  for (const message of Array.isArray(messages) ? messages : []) {
    const parsedMessage = messageSchema().safeParse(message)
    if (!parsedMessage.success) {
      problems.push('a message without type and content is not spoken')
      continue
    }
    const { type, content, timingMilliseconds: timing } = parsedMessage.data
    const kind = kindOf(type)
    if (kind === undefined) {
      problems.push(`the message of type ${JSON.stringify(type)} is not spoken: use ${types}`)
      continue
    }
    const text = fill(content)
    if (text.trim() !== '')
      toolMessages.push({ kind, text, afterMs: isDelay(timing) ? timing : defaultDelayMs })
  }
  const first = (wantedKind: Kind) => toolMessages.find(({ kind }) => kind === wantedKind)?.text
  return {
    start: first('start'),
    complete: first('complete'),
    failed: first('failed'),
    /** Each is spoken if the response has not arrived after this much of the call's time. */
    delayed: toolMessages
      .filter(({ kind }) => kind === 'delayed')
      .map(({ text, afterMs }) => ({ text, afterMs })),
    problems,
  }
}

const types = 'request-start, request-complete, request-failed or request-response-delayed'

function kindOf(type: string): Kind | undefined {
  const [, kind] = Object.entries(words).find(([word]) => type.toLowerCase().includes(word)) ?? []
  return kind
}

function isDelay(timing: unknown): timing is number {
  return typeof timing === 'number' && Number.isFinite(timing) && timing > 0
}
