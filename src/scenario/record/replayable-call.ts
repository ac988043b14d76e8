import type { CallTranscript, RecordedCall } from '../../events/conversation/index.ts'
import { getSpeaker } from '../../events/conversation/read-outcome.ts'
import { foldWord } from '../../interface/words.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { speechTime } from '../../lib/text/speech-time.ts'
import { toSpokenText } from '../spoken-text.ts'
import type { CallEndedBy } from '../test-case.ts'
import { inferVariables } from './infer-variables.ts'
import { findAssistant, type ProjectNames } from './project-names.ts'

type RecordedTool = RecordedCall['tools'][number]

type ToolUse = Pick<RecordedTool, 'name' | 'arguments' | 'result'>

export type ReplayStep =
  | { readonly kind: 'said'; readonly text: string }
  /** A line in the grammar of `parseCallerLine`. */
  | { readonly kind: 'caller'; readonly line: string }
  | { readonly kind: 'tool'; readonly tool: ToolUse }

/** A recorded call, reduced to what a test can repeat. */
export interface ReplayableCall {
  readonly steps: readonly ReplayStep[]
  /** Tools that were used at an unknown point of the call. */
  readonly unplacedTools: readonly ToolUse[]
  /** Undefined if the call is in progress or no event tells. */
  readonly endedBy: CallEndedBy | undefined
  /** Start, ISO 8601 without milliseconds. */
  readonly at: string | undefined
  readonly variables: Readonly<Record<string, string>>
  readonly analysis: Readonly<Record<string, unknown>> | undefined
  readonly assistant: { readonly id: string | undefined; readonly name: string | undefined }
  /** The caller's names and phone numbers, according to the events. */
  readonly people: { readonly names: readonly string[]; readonly numbers: readonly string[] }
}

type Message = CallTranscript['messages'][number]

/** Reconstructs a call. Joins consecutive messages of one side, and infers silences and interruptions. */
export function toReplayableCall(call: RecordedCall, project: ProjectNames | undefined): ReplayableCall {
  const { transcript, tools } = call
  const { customerName, userNumber, assistantNumber, assistantId, assistantName } = transcript
  const assistant = { id: assistantId ?? undefined, name: assistantName ?? undefined }
  const written = findAssistant(assistant, project)?.templates ?? []
  const templates = call.templates.length > 0 ? call.templates : written
  // Without templates the texts of a long call are not read twice.
  const spokenBy = templates.length === 0 ? [] : transcript.messages
  const assistantLines = spokenBy.flatMap(({ role, text }) =>
    getSpeaker(role) === 'assistant' ? [toSpokenText(text)] : [],
  )
  return {
    steps: toSteps(call),
    unplacedTools: tools.filter(({ after }) => after === undefined),
    endedBy: transcript.ended ? getEndedBy(transcript) : undefined,
    at: formatStartTime(transcript.startAt),
    variables: {
      ...call.variables.ofAssistant,
      ...inferVariables(
        templates,
        assistantLines.filter(text => text !== ''),
      ),
      ...call.variables.ofCall,
    },
    analysis: transcript.analysis ?? undefined,
    assistant,
    people: {
      names: [customerName].filter(name => name !== null),
      numbers: [userNumber, assistantNumber].filter(number => number !== null),
    },
  }
}

function toSteps(call: RecordedCall): ReplayStep[] {
  const { messages, endAt } = call.transcript
  const steps: ReplayStep[] = []
  const remaining = call.tools.filter(({ after }) => after !== undefined)
  let before: Message | undefined
  const addCallerLine = (line: string) => {
    const last = steps.at(-1)
    if (last?.kind === 'caller' && !isDirection(last.line) && !isDirection(line))
      steps[steps.length - 1] = { kind: 'caller', line: `${last.line} ${line}` }
    else steps.push({ kind: 'caller', line })
  }
  for (const [index, message] of messages.entries()) {
    const text = toSpokenText(message.text)
    const speaker = text === '' ? undefined : getSpeaker(message.role)
    if (speaker === undefined) continue
    const isAnswer = speaker === 'user' && isReplyExpected(before)
    const hasTool = isAnswer ? false : placeTools(remaining, index, steps)
    if (speaker === 'assistant') {
      const silence =
        before === undefined || hasTool ? undefined : silenceBetween(call, before, message, index)
      if (silence !== undefined) addCallerLine(`/say-nothing ${silence}`)
      steps.push({ kind: 'said', text })
    } else addCallerLine(isInterruption(call, before, message) ? `/interrupt ${text}` : toCallerLine(text))
    before = message
  }
  placeTools(remaining, messages.length, steps, true)
  const end = readDateTime(endAt ?? undefined)
  const last = before === undefined ? undefined : getTimestamp(before)
  const silence = end === undefined || last === undefined ? 0 : end - last
  const isLeft =
    getEndedBy(call.transcript) !== 'user' && before !== undefined && getSpeaker(before.role) === 'assistant'
  if (isLeft && silence >= shortestSilence(call) && !steps.some(isSilence))
    addCallerLine(`/say-nothing ${toSeconds(silence)}`)
  return steps
}

/** True if the caller speaks first or replies to a question, so that no tool can have run in between. */
function isReplyExpected(before: Message | undefined): boolean {
  return (
    before === undefined ||
    (getSpeaker(before.role) === 'assistant' && /[?？]["'”’)]*$/.test(before.text.trim()))
  )
}

/** Adds the tools that were used before the message with this index. Returns true if there were any. */
function placeTools(waiting: RecordedTool[], index: number, steps: ReplayStep[], isEnd = false): boolean {
  // A tool request may arrive before the message that triggered it.
  if (!isEnd && !steps.some(({ kind }) => kind === 'caller')) return false
  const due = waiting.filter(({ after = 0 }) => after <= index)
  for (const tool of due) {
    waiting.splice(waiting.indexOf(tool), 1)
    const { name, arguments: args, result } = tool
    steps.push({ kind: 'tool', tool: { name, arguments: args, result } })
  }
  return due.length > 0
}

/** True if something of a text is spoken. */
function isSpoken(text: string): boolean {
  return /[^\s\p{Cc}\p{Zl}\p{Zp}\p{Cf}]|\u200d/u.test(text)
}

/** Formats speech as a caller line. */
export function toCallerLine(text: string): string {
  if (/^[0-9*#]{1,32}$/.test(text) && /[*#]/.test(text)) return `/keys ${text}`
  return text.startsWith('/') ? `/${text}` : text
}

function isDirection(line: string): boolean {
  return /^\/(?!\/)/.test(line)
}

function isSilence(step: ReplayStep): boolean {
  return step.kind === 'caller' && step.line.startsWith('/say-nothing')
}

function getTimestamp({ timestamp }: Message): number | undefined {
  return readDateTime(timestamp ?? undefined)
}

/** Returns milliseconds: below the idle timeout, and above a pause to think. */
function shortestSilence({ idleTimeout }: RecordedCall): number {
  return idleTimeout === undefined ? 8000 : idleTimeout * 600
}

function toSeconds(milliseconds: number): number {
  return Math.min(7200, Math.max(1, Math.ceil(milliseconds / 1000)))
}

/** Returns the caller's silence in seconds if the assistant spoke twice with enough time for a reply in between. */
function silenceBetween(
  call: RecordedCall,
  before: Message,
  message: Message,
  index: number,
): number | undefined {
  if (getSpeaker(before.role) !== 'assistant') return undefined
  const [from, to] = [getTimestamp(before), getTimestamp(message)]
  if (from === undefined || to === undefined) return undefined
  // It is unpublished whether a timestamp marks the first word or the last.
  const quiet = to - from - Math.max(speechTime(before.text), speechTime(message.text))
  if (quiet < shortestSilence(call)) return undefined
  const next = call.transcript.messages.slice(index + 1).find(({ role }) => getSpeaker(role) === 'user')
  const answeredAt =
    next === undefined ? readDateTime(call.transcript.endAt ?? undefined) : getTimestamp(next)
  const spokenFor = next === undefined ? 0 : speechTime(next.text)
  const whole = answeredAt === undefined ? to - from : answeredAt - spokenFor - from
  return toSeconds(Math.max(whole, to - from - speechTime(message.text)))
}

/** Returns the indexes of the assistant's messages that the caller interrupted. */
export function findInterrupted(call: RecordedCall): ReadonlySet<number> {
  const indices = new Set<number>()
  let before: number | undefined
  const { messages } = call.transcript
  for (const [index, message] of messages.entries()) {
    const speaker = isSpoken(message.text) ? getSpeaker(message.role) : undefined
    if (speaker === undefined) continue
    if (speaker === 'user' && before !== undefined && isInterruption(call, messages[before], message))
      indices.add(before)
    before = index
  }
  return indices
}

/** True if the assistant's message breaks off and the caller started before it was over. */
function isInterruption(call: RecordedCall, before: Message | undefined, message: Message): boolean {
  if (before === undefined || getSpeaker(before.role) !== 'assistant') return false
  if (before.messageId !== null && call.cutOff.has(before.messageId)) return true
  const [from, to] = [getTimestamp(before), getTimestamp(message)]
  const breaksOff = /[\p{L}\p{N},–—-]$/u.test(before.text.trim())
  return breaksOff && from !== undefined && to !== undefined && from - (to - speechTime(message.text)) > 100
}

/** Parses `callEndTriggerBy`; a status `forwarded` of the call or its phone takes precedence. */
export function parseEndedBy(
  word: string | undefined,
  ...statuses: readonly (string | null | undefined)[]
): CallEndedBy | undefined {
  if (statuses.some(status => typeof status === 'string' && foldWord(status) === 'forwarded'))
    return 'forward'
  return enders.find(({ words }) => words.test(word ?? ''))?.by
}

/** Returns who ended a call, by its last known status and word. */
export function getEndedBy({ statuses, callEndTriggerBy }: CallTranscript): CallEndedBy | undefined {
  const { status, phoneCallStatus } =
    statuses.findLast(statusChange => statusChange.status !== 'unknown') ?? {}
  return parseEndedBy(callEndTriggerBy ?? undefined, status, phoneCallStatus)
}

/** Formats the start of a call without milliseconds. Returns undefined if it is not a date-time. */
export function formatStartTime(text: string | null | undefined): string | undefined {
  const at = readDateTime(text ?? undefined)
  return at === undefined ? undefined : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** The interface publishes only `user` (interface.md 2.9); the others are guesses. */
const enders: readonly { readonly by: CallEndedBy; readonly words: RegExp }[] = [
  { by: 'forward', words: /forward|transfer/i },
  { by: 'system', words: /system|time-?out|duration|limit|silence|error|fail|max/i },
  { by: 'assistant', words: /assistant|agent|bot|model|\bai\b/i },
  { by: 'user', words: /user|customer|caller|human/i },
]
