import { isObject } from '../interface/is-object.ts'
import type { WebhookEvent } from '../interface/webhook.ts'
import { webhookStatuses } from '../interface/words.ts'
import type { StatusChange } from './changes.ts'
import { type Conversation, callIdOf, entryBytes, type Step } from './conversation-state.ts'
import { printable } from './depth.ts'
import { digest } from './digest.ts'

const statusOrder: readonly string[] = webhookStatuses
const statusFacts = [
  'phoneCallStatus',
  'callType',
  'direction',
  'userNumber',
  'assistantNumber',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const

/** A status of interface.md section 3 applied to what is known of its call: shown once, never a step back; pure. */
export function addStatus(before: Conversation, event: WebhookEvent, status: string): Step {
  const call: Readonly<Record<string, unknown>> = event.message.call ?? {}
  const position = statusOrder.indexOf(status)
  if (position !== -1 && position < before.progress) {
    return { conversation: before, changes: [], repeats: 0, late: 1 }
  }
  const analysis = analysisOf(event)
  const analysisKey = analysis === undefined ? undefined : `analysis ${digest(JSON.stringify(analysis))}`
  // A phone status of its own (`ringing`) is news under the same call status.
  const statusKey = `status ${digest(JSON.stringify([status, call.phoneCallStatus ?? null].map(printable)))}`
  const newAnalysis = analysisKey !== undefined && !before.shown.has(analysisKey)
  if (before.shown.has(statusKey) && !newAnalysis) {
    return { conversation: before, changes: [], repeats: 1, late: 0 }
  }
  const shown = new Set(before.shown).add(statusKey)
  if (analysisKey !== undefined) shown.add(analysisKey)
  const conversation = {
    ...before,
    shown,
    progress: Math.max(before.progress, position),
    finished: before.finished || status === 'finished',
    bytes: before.bytes + (shown.size - before.shown.size) * entryBytes,
  }
  const facts = Object.fromEntries(
    statusFacts.flatMap(name => (typeof call[name] === 'string' ? [[name, call[name]]] : [])),
  )
  const change: StatusChange = {
    kind: 'status',
    callId: callIdOf(event),
    status,
    ...facts,
    ...(newAnalysis && analysis !== undefined ? { analysis } : {}),
  }
  return { conversation, changes: [change], repeats: 0, late: 0 }
}

/** interface.md 6 puts the analysis beside the call, 2.9 inside it. An empty one says nothing yet. */
function analysisOf({ message }: WebhookEvent): Readonly<Record<string, unknown>> | undefined {
  for (const candidate of [message.analysis, message.call?.analysis]) {
    if (!isObject(candidate)) continue
    const entries = Object.entries(candidate).filter(([, value]) => value !== undefined && value !== null)
    if (entries.length > 0) return Object.fromEntries(entries.map(([key, value]) => [key, printable(value)]))
  }
  return undefined
}
