import * as z from 'zod/mini'
import { digest } from '../../lib/hash.ts'
import { nestsAtMost, parseJson, stringifyJson } from '../../lib/json.ts'
import { toJsonLine } from '../../lib/text/escape.ts'
import type { ModelRole } from '../verdict.ts'
import {
  type CanonicalMessage,
  type CanonicalRequest,
  type CanonicalTool,
  callSchema,
  cassetteToolSchema,
  messageSchema,
} from './canonical-request.ts'

export interface CassetteEntry {
  /** Row of `each` that first sent the request; undefined for a test without rows. */
  readonly row: number | undefined
  /** Turn in which the request was first sent. */
  readonly turn: number
  readonly role: ModelRole
  readonly request: CanonicalRequest
  readonly response: RecordedResponse
  /** 1-based occurrence of this request within one call. */
  readonly occurrence: number
  readonly hash: string
}

/** Environment values are replaced with their references. */
export interface RecordedResponse {
  readonly text: string
  /** Arguments verbatim from the model. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

/** An unusable line: truncated, conflicting, too long, or of an unknown format or version. */
export interface CassetteParseError {
  /** 1-based. */
  readonly line: number
  readonly code: 'torn-line' | 'merge-conflict' | 'foreign-line' | 'other-version' | 'long-conversation'
}

const version = 1

const answerSchema = z.strictObject({
  kind: z.literal('answer'),
  row: z.optional(z.int()),
  turn: z.int(),
  of: z.enum(['assistant', 'analysis', 'judge', 'caller']),
  asked: z.array(messageSchema),
  text: z._default(z.string(), ''),
  calls: z._default(z.array(callSchema), []),
  model: z._default(z.string(), ''),
  temperature: z.number(),
  maxTokens: z.number(),
  prompt: z.optional(z.string()),
  tools: z.optional(z.string()),
  schema: z.optional(z.string()),
  after: z.optional(z.string()),
  time: z._default(z.int(), 1),
  hash: z.string(),
})

const lineSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cassette'), version: z.literal(version) }),
  z.strictObject({ kind: z.literal('prompt'), id: z.string(), text: z.string() }),
  z.strictObject({
    kind: z.literal('tools'),
    id: z.string(),
    tools: z.array(cassetteToolSchema),
  }),
  z.strictObject({ kind: z.literal('schema'), id: z.string(), schema: z.unknown() }),
  answerSchema,
])

/** Returns a key that is equal for the same occurrence of the same request. */
export function entryKey({ hash, occurrence }: Pick<CassetteEntry, 'hash' | 'occurrence'>): string {
  return `${hash} ${occurrence}`
}

/**
 * Formats entries, one line per request with the newest message and the response first. Prompts, tool lists and schemas get their own line
 * before their first use; a conversation contains only the messages it adds to an earlier one.
 */
export function formatCassette(entries: readonly CassetteEntry[]): string {
  const lines: unknown[] = [{ kind: 'cassette', version }]
  const parts = new Set<string>()
  const partOf = (kind: string, content: Readonly<Record<string, unknown>>) => {
    const id = digest(JSON.stringify(content))
    if (!parts.has(id)) lines.push({ kind, id, ...content })
    parts.add(id)
    return id
  }
  const conversations = new Map<string, string>()
  for (const { row, turn, role, request, response, occurrence, hash } of entries) {
    const { model, temperature, maxTokens, prompt, conversation, tools, schema } = request
    const beginnings = hashPrefixes(conversation)
    const known = beginnings.slice(0, -1).findLastIndex(beginning => conversations.has(beginning))
    const after = known === -1 ? undefined : conversations.get(beginnings[known] ?? '')
    const whole = beginnings.at(-1)
    if (whole !== undefined && !conversations.has(whole)) conversations.set(whole, hash)
    const promptId = prompt === undefined ? undefined : partOf('prompt', { text: prompt })
    const toolsId = tools.length === 0 ? undefined : partOf('tools', { tools })
    const schemaId = schema === undefined ? undefined : partOf('schema', { schema })
    lines.push({
      kind: 'answer',
      row,
      turn,
      of: role,
      asked: conversation.slice(known + 1),
      text: response.text === '' ? undefined : response.text,
      calls: response.calls.length === 0 ? undefined : response.calls.map(toWrittenCall),
      model: model === '' ? undefined : model,
      temperature,
      maxTokens,
      prompt: promptId,
      tools: toolsId,
      schema: schemaId,
      after,
      time: occurrence === 1 ? undefined : occurrence,
      hash,
    })
  }
  return lines.map(line => `${toJsonLine(line)}\n`).join('')
}

/** Returns a digest of the conversation up to each message. */
function hashPrefixes(conversation: readonly CanonicalMessage[]): string[] {
  let beginning = ''
  return conversation.map(message => {
    beginning = digest(beginning + JSON.stringify(message))
    return beginning
  })
}

/** Parses a cassette. A merge may leave several lines for one request: the first wins. Invalid lines are skipped and reported. */
export function parseCassette(text: string): {
  readonly entries: readonly CassetteEntry[]
  readonly parseErrors: readonly CassetteParseError[]
} {
  const prompts = new Map<string, string>()
  const tools = new Map<string, readonly CanonicalTool[]>()
  const schemas = new Map<string, unknown>()
  const conversations = new Map<string, Conversation>()
  const entries = new Map<string, CassetteEntry>()
  const parseErrors: CassetteParseError[] = []
  const lines = text.split('\n')
  const isTorn = lines.at(-1) !== ''
  for (const [index, words] of lines.entries()) {
    if (words.trim() === '') continue
    const line = lineSchema.safeParse(parseJson(words)).data
    if (line === undefined) {
      parseErrors.push({ line: index + 1, code: classifyLine(words, isTorn && index === lines.length - 1) })
    } else if (line.kind === 'prompt') prompts.set(line.id, line.text)
    else if (line.kind === 'tools') tools.set(line.id, line.tools)
    else if (line.kind === 'schema') schemas.set(line.id, line.schema)
    else if (line.kind === 'answer') {
      const { row, turn, of: role, hash, time: occurrence, model, temperature, maxTokens } = line
      const before = conversations.get(line.after ?? '')
      const conversation = { before, added: line.asked, length: (before?.length ?? 0) + line.asked.length }
      if (conversation.length > maxConversationLength) {
        parseErrors.push({ line: index + 1, code: 'long-conversation' })
        continue
      }
      if (!conversations.has(hash)) conversations.set(hash, conversation)
      const request = {
        model,
        temperature,
        maxTokens,
        prompt: prompts.get(line.prompt ?? ''),
        get conversation() {
          return collectMessages(conversation)
        },
        tools: tools.get(line.tools ?? '') ?? [],
        schema: schemas.get(line.schema ?? ''),
      }
      const response = { text: line.text, calls: line.calls.map(toCall) }
      const entry = { row, turn, role, request, response, occurrence, hash }
      if (!entries.has(entryKey(entry))) entries.set(entryKey(entry), entry)
    }
  }
  return { entries: [...entries.values()], parseErrors }
}

/** In messages; a two-hour call has far fewer. */
const maxConversationLength = 10_000

/** Messages that a line adds to an earlier conversation. A full copy per line would take gigabytes. */
interface Conversation {
  readonly before: Conversation | undefined
  readonly added: readonly CanonicalMessage[]
  readonly length: number
}

function collectMessages(conversation: Conversation): CanonicalMessage[] {
  const parts: (readonly CanonicalMessage[])[] = []
  for (let part: Conversation | undefined = conversation; part !== undefined; part = part.before)
    parts.push(part.added)
  return parts.reverse().flat()
}

function classifyLine(words: string, isTorn: boolean): CassetteParseError['code'] {
  if (/^(?:<{7}|\|{7}|={7}|>{7})/.test(words)) return 'merge-conflict'
  if (isTorn) return 'torn-line'
  return /^\{"kind":"cassette"/.test(words) ? 'other-version' : 'foreign-line'
}

/** Arguments nested deeper are stored as text. */
const maxDepth = 100

/** Stores arguments as JSON if that preserves their text, because JSON is easier to read. */
function toWrittenCall({ name, arguments: given }: RecordedResponse['calls'][number]) {
  const value = parseJson(given)
  const isSame =
    typeof value === 'object' &&
    value !== null &&
    nestsAtMost(value, maxDepth) &&
    JSON.stringify(value) === given
  return { name, arguments: isSame ? value : given }
}

function toCall({ name, arguments: written }: z.infer<typeof callSchema>) {
  return { name, arguments: typeof written === 'string' ? written : stringifyJson(written) }
}
