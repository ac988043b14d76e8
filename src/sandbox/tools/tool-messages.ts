import * as z from 'zod/mini'

const kinds = ['start', 'complete', 'failed', 'delayed'] as const
type Kind = (typeof kinds)[number]

/** What is spoken while a function tool runs: `messages` of interface.md 2.5. */
export interface ToolMessages {
  readonly start: string | undefined
  readonly complete: string | undefined
  readonly failed: string | undefined
  /** Each is spoken when the answer has not come after so many milliseconds of the call's time. */
  readonly delayed: readonly { readonly text: string; readonly after: number }[]
  /** Why a message is never spoken, one sentence each. */
  readonly problems: readonly string[]
}

const defaultDelayMs = 3000

const messageSchema = z.looseObject({
  type: z.string(),
  content: z.string(),
  timingMilliseconds: z.optional(z.unknown()),
})

/**
 * Of start, complete and failed messages the first of each counts; blank ones are none. The interface publishes one
 * `type`, `request-start`: the kind is told by the word in it.
 */
export function readToolMessages(messages: unknown, fill = (text: string) => text): ToolMessages {
  const problems: string[] = []
  const found: { kind: Kind; text: string; after: number }[] = []
  for (const message of Array.isArray(messages) ? messages : []) {
    const read = messageSchema.safeParse(message)
    if (!read.success) {
      problems.push('a message without type and content is not spoken')
      continue
    }
    const { type, content, timingMilliseconds: timing } = read.data
    const kind = kindOf(type)
    if (kind === undefined) {
      problems.push(`the message of type ${JSON.stringify(type)} is not spoken: use ${types}`)
      continue
    }
    const text = fill(content)
    if (text.trim() !== '') found.push({ kind, text, after: isDelay(timing) ? timing : defaultDelayMs })
  }
  const first = (wanted: Kind) => found.find(({ kind }) => kind === wanted)?.text
  return {
    start: first('start'),
    complete: first('complete'),
    failed: first('failed'),
    delayed: found.filter(({ kind }) => kind === 'delayed').map(({ text, after }) => ({ text, after })),
    problems,
  }
}

const types = 'request-start, request-complete, request-failed or request-response-delayed'

const words = {
  fail: 'failed',
  delay: 'delayed',
  complete: 'complete',
  start: 'start',
} as const satisfies Record<string, Kind>

function kindOf(type: string): Kind | undefined {
  const [, kind] = Object.entries(words).find(([word]) => type.toLowerCase().includes(word)) ?? []
  return kind
}

function isDelay(timing: unknown): timing is number {
  return typeof timing === 'number' && Number.isFinite(timing) && timing > 0
}
