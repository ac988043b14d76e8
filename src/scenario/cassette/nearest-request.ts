import { stringifyJson } from '../../lib/json.ts'
import { diffLines } from '../../lib/text/line-diff.ts'
import type { RequestDifference } from '../verdict.ts'
import type { CanonicalMessage, CanonicalRequest } from './canonical-request.ts'
import type { CassetteEntry, CassetteRequest } from './cassette-text.ts'

/** Returns the most similar recorded request; the first of several. */
export function findNearestEntry(
  sentRequest: CassetteRequest,
  entries: Iterable<CassetteEntry>,
): CassetteEntry | undefined {
  let nearest: CassetteEntry | undefined
  let best = -1
  for (const entry of entries) {
    if (entry.role !== sentRequest.role) continue
    const similarity = scoreSimilarity(sentRequest, entry)
    if (similarity > best) nearest = entry
    best = Math.max(best, similarity)
  }
  return nearest
}

/** Weighs the conversation most, because a changed prompt affects all requests equally. */
function scoreSimilarity(sentRequest: CassetteRequest, entry: CassetteEntry): number {
  const [one, other] = [sentRequest.request, entry.request]
  const same = (read: (request: CanonicalRequest) => unknown) =>
    stringifyJson(read(one)) === stringifyJson(read(other)) ? 1 : 0
  return (
    8 * sharedFraction(one.conversation.map(formatMessage), other.conversation.map(formatMessage)) +
    2 * same(({ prompt }) => prompt ?? null) +
    same(({ tools }) => tools) +
    (sentRequest.turn === entry.turn ? 4 : 0) +
    (sentRequest.row === entry.row ? 2 : 0)
  )
}

/** Returns the fraction, 0 to 1, of the longer list that is a common prefix or suffix. */
function sharedFraction(one: readonly string[], other: readonly string[]): number {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return 1
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start += 1
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return (start + end) / longer
}

const linesAround = 1
/** Per part: the lines of a rewritten prompt say little. */
const maxLines = 40

/** Returns the parts that differ, each with its diff. */
export function diffRequests(recordedRequest: CanonicalRequest, now: CanonicalRequest): RequestDifference[] {
  return parts.flatMap(([part, write]) => {
    const [before, after] = [write(recordedRequest), write(now)]
    if (before === after) return []
    const lines = diffLines(before, after, linesAround)
    return [{ part, lines: lines.length > maxLines ? [...lines.slice(0, maxLines), '⋮'] : lines }]
  })
}

const parts: readonly (readonly [RequestDifference['part'], (request: CanonicalRequest) => string])[] = [
  ['prompt', ({ prompt = '' }) => prompt],
  ['conversation', ({ conversation }) => conversation.map(formatMessage).join('\n')],
  ['tools', ({ tools }) => tools.map(tool => stringifyJson(tool, { indented: true })).join('\n')],
  [
    'parameters',
    ({ model, temperature, maxTokens, schema }) =>
      [
        `model ${model}`,
        `temperature ${temperature}`,
        `maxTokens ${maxTokens}`,
        ...(schema === undefined ? [] : [`answer ${stringifyJson(schema, { indented: true })}`]),
      ].join('\n'),
  ],
]

/** Formats a message as one line, plus one per tool call. */
export function formatMessage(message: CanonicalMessage): string {
  if ('user' in message) return `caller: ${message.user}`
  if ('system' in message) return `system: ${message.system}`
  if ('tool' in message) return `tool ${message.tool} answered: ${toText(message.answered)}`
  const calls = (message.calls ?? []).map(
    ({ name, arguments: args }) => `assistant calls ${name}: ${toText(args)}`,
  )
  return [...(message.assistant === '' ? [] : [`assistant: ${message.assistant}`]), ...calls].join('\n')
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value)
}
