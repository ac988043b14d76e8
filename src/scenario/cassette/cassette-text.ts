import * as z from 'zod/mini'
import { parseJson } from '../../lib/json.ts'
import { toJsonLine } from '../../lib/text/escape.ts'
import type { ModelRole } from '../verdict.ts'
import { type CanonicalRequest, cassetteToolSchema, hashRequest, messageSchema } from './canonical-request.ts'

export interface CassetteRequest {
  /** Row of `each` that first sent the request; undefined for a test without rows. */
  readonly row: number | undefined
  /** Turn in which the request was first sent. */
  readonly turn: number
  readonly role: ModelRole
  readonly request: CanonicalRequest
  /** 1-based occurrence of this request within one call. */
  readonly occurrence: number
  readonly hash: string
}

export interface CassetteEntry extends CassetteRequest {
  readonly response: RecordedResponse
}

/** Environment values are replaced with their references. */
export interface RecordedResponse {
  readonly text: string
  /** Arguments verbatim from the model. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

/** An unusable line: truncated, conflicting, or of an unknown format or version. */
export interface CassetteParseError {
  /** 1-based. */
  readonly line: number
  readonly code: 'torn-line' | 'merge-conflict' | 'foreign-line' | 'other-version'
}

const version = 1

const settingsSchema = z.strictObject({
  kind: z.literal('settings'),
  id: z.string(),
  model: z.string(),
  temperature: z.number(),
  maxTokens: z.number(),
  prompt: z.optional(z.string()),
  tools: z.array(cassetteToolSchema),
  schema: z.optional(z.unknown()),
})

const responseSchema = z.strictObject({
  kind: z.literal('response'),
  row: z.optional(z.int()),
  turn: z.int(),
  role: z.enum(['assistant', 'analysis', 'judge', 'caller']),
  text: z.string(),
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.string() })),
  conversation: z.array(messageSchema),
  settings: z.string(),
  occurrence: z.int(),
})

const lineSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cassette'), version: z.literal(version) }),
  settingsSchema,
  responseSchema,
])

/** Returns a key that is equal for the same occurrence of the same request. */
export function entryKey({ hash, occurrence }: CassetteRequest): string {
  return `${hash} ${occurrence}`
}

/**
 * Formats entries, one line per request with its response first. The settings of requests (prompt, tools, temperature …) have a line of
 * their own before their first use: repeated in each line, a prompt would fill the file and hide what changed.
 */
export function formatCassette(entries: readonly CassetteEntry[]): string {
  const lines: unknown[] = [{ kind: 'cassette', version }]
  const written = new Set<string>()
  for (const { row, turn, role, request, response, occurrence } of entries) {
    const { conversation, ...settings } = request
    const id = hashRequest({ ...request, conversation: [] })
    if (!written.has(id)) lines.push({ kind: 'settings', id, ...settings })
    written.add(id)
    lines.push({ kind: 'response', row, turn, role, ...response, conversation, settings: id, occurrence })
  }
  return lines.map(line => `${toJsonLine(line)}\n`).join('')
}

/** Parses a cassette. A merge may leave several lines for one request: the first wins. Invalid lines are skipped and reported. */
export function parseCassette(text: string): {
  readonly entries: readonly CassetteEntry[]
  readonly parseErrors: readonly CassetteParseError[]
} {
  const settingsById = new Map<string, Omit<CanonicalRequest, 'conversation'>>()
  const entries = new Map<string, CassetteEntry>()
  const parseErrors: CassetteParseError[] = []
  const lines = text.split('\n')
  const isTorn = lines.at(-1) !== ''
  for (const [index, words] of lines.entries()) {
    if (words.trim() === '') continue
    const line = lineSchema.safeParse(parseJson(words)).data
    const settings = line?.kind === 'response' ? settingsById.get(line.settings) : undefined
    if (line?.kind === 'settings') {
      const { model, temperature, maxTokens, prompt, tools, schema } = line
      settingsById.set(line.id, { model, temperature, maxTokens, prompt, tools, schema })
    } else if (line?.kind === 'response' && settings !== undefined) {
      const { row, turn, role, text, calls, conversation, occurrence } = line
      const request = { ...settings, conversation }
      const hash = hashRequest(request)
      const entry = { row, turn, role, request, response: { text, calls }, occurrence, hash }
      if (!entries.has(entryKey(entry))) entries.set(entryKey(entry), entry)
    } else if (line?.kind !== 'cassette')
      parseErrors.push({ line: index + 1, code: classifyLine(words, isTorn && index === lines.length - 1) })
  }
  return { entries: [...entries.values()], parseErrors }
}

function classifyLine(words: string, isTorn: boolean): CassetteParseError['code'] {
  if (/^(?:<{7}|\|{7}|={7}|>{7})/.test(words)) return 'merge-conflict'
  if (isTorn) return 'torn-line'
  return /^\{"kind":"cassette"/.test(words) ? 'other-version' : 'foreign-line'
}
