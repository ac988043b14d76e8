import * as z from 'zod/mini'
import type { OutboundTarget } from '../net/outbound.ts'
import { readToolMessages, type ToolMessages } from './tool-messages.ts'

/** A stored tool (interface.md 2.5), as far as the sandbox understands it. */
export interface FunctionToolRecord {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The call goes on without waiting for the server. */
  readonly async: boolean
  readonly messages: ToolMessages
  /** Where it is called, or why it cannot be: words that go on from the tool's name. */
  readonly target: OutboundTarget | { readonly fault: string; readonly missing?: true }
}

export interface ReadRecord {
  /** Undefined: it cannot be offered; the problems say why. */
  readonly tool: FunctionToolRecord | undefined
  /** One sentence each. */
  readonly problems: readonly string[]
}

const recordSchema = z.looseObject({
  _id: z.optional(z.unknown()),
  async: z.optional(z.unknown()),
  function: z.optional(z.unknown()),
  messages: z.optional(z.unknown()),
  server: z.optional(z.unknown()),
})
const objectSchema = z.record(z.string(), z.unknown())
const nameSchema = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/))
const noParameters = { type: 'object', properties: {} }

/**
 * Reads `function: { name, description?, parameters? }` and `server: { url, headers?, timeoutSeconds? }`, whose shapes
 * the interface does not show. Other keys are ignored. `fill` fills the variables of what is spoken.
 */
export function readFunctionTool(
  record: Readonly<Record<string, unknown>>,
  fill?: (text: string) => string,
): ReadRecord {
  const { _id, async: isAsync, function: definition, messages, server } = recordSchema.parse(record)
  const { name, description, parameters } = objectOf(definition)
  const named = nameSchema.safeParse(name)
  if (!named.success) return { tool: undefined, problems: [notOffered(_id, name)] }
  const schema = objectSchema.safeParse(parameters ?? noParameters)
  const spoken = readToolMessages(messages, fill)
  const problems = [
    ...(schema.success ? [] : ['its function.parameters are no object and are left out']),
    ...spoken.problems,
  ]
  return {
    tool: {
      name: named.data,
      description: typeof description === 'string' ? description : '',
      parameters: schema.success ? schema.data : noParameters,
      async: isAsync === true,
      messages: spoken,
      target: readTarget(objectOf(server)),
    },
    problems: problems.map(problem => `tool ${named.data}: ${problem}`),
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const read = objectSchema.safeParse(value)
  return read.success ? read.data : {}
}

function notOffered(id: unknown, name: unknown): string {
  const tool = typeof id === 'string' ? `the tool with the id ${id}` : 'a tool without an id'
  return name === undefined
    ? `${tool} is not offered: it has no function.name`
    : `${tool} is not offered: its function.name ${JSON.stringify(name)} is not 1 to 64 letters, digits, _ and -`
}

const urlSchema = z
  .string()
  .check(z.refine(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
const headersSchema = z.record(z.string(), z.string())
const secondsSchema = z.number().check(z.positive())
const defaultTimeoutSeconds = 20

function readTarget(server: Readonly<Record<string, unknown>>): FunctionToolRecord['target'] {
  if (server.url === undefined) return { fault: 'has no server.url', missing: true }
  const url = urlSchema.safeParse(server.url)
  const headers = headersSchema.safeParse(server.headers ?? {})
  const seconds = secondsSchema.safeParse(server.timeoutSeconds ?? defaultTimeoutSeconds)
  if (!url.success) return { fault: 'has a server.url that is no http:// or https:// URL' }
  if (!headers.success) return { fault: 'has server.headers that are no object of texts' }
  if (!seconds.success) return { fault: 'has a server.timeoutSeconds that is no positive number' }
  return { url: url.data, headers: headers.data, timeoutSeconds: seconds.data }
}
