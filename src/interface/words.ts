/**
 * Enumerations of the interface. Separate from the schemas, so that code that only needs the words, such as the flags of commands, does
 * not load zod.
 */

/** interface.md 4.2: outbound is started by the assistant, inbound by the user. */
export const directions = ['inbound', 'outbound'] as const

/** interface.md 2.7: the status of a call's record. */
export const callStatuses = ['queued', 'ongoing', 'completed', 'forwarded'] as const
/** interface.md 2.9: who says a message; a deployment may send others. */
export const messageRoles = ['user', 'assistant'] as const

/** Webhooks of a sandbox about tools, for an assistant whose `messages` names them (docs/interface-decisions.md). */
export const toolEventTypes = ['tool-started', 'tool-ended'] as const
export type ToolEventType = (typeof toolEventTypes)[number]

/** interface.md 3: the status in webhooks, in the order in which a call goes through them; `finished` is the record's `completed`. */
export const webhookStatuses = ['queued', 'ongoing', 'finished'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/**
 * Carrier statuses of calls that nobody picked up: interface.md 3 shows no value of phoneCallStatus but `ringing`. Deployments may send
 * others.
 */
export const unansweredStatuses = ['busy', 'no-answer', 'failed', 'canceled', 'cancelled'] as const
export type UnansweredStatus = Exclude<(typeof unansweredStatuses)[number], 'cancelled'>

/**
 * Outcomes of a call, as callyard counts them. The interface has no such field: they follow from the events of the call
 * (src/events/conversation/read-outcome.ts).
 */
export const callOutcomes = [
  'answered',
  'forwarded',
  'voicemail',
  'no-answer',
  'busy',
  'failed',
  'unclear',
] as const
export type CallOutcome = (typeof callOutcomes)[number]

/** Fields of an event whose words `outcomes` of callyard.yaml maps (interface.md 2.9 and 6). */
export const outcomeFields = ['status', 'phoneCallStatus', 'callEndTriggerBy', 'type'] as const
export type OutcomeField = (typeof outcomeFields)[number]

/** Normalizes a word for comparison: `No_Answer` and `noAnswer` become `no-answer`. */
export function foldWord(word: string): string {
  return word
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
}

/** interface.md 2.7: who carries a call; the first is the default. */
export const phoneVendors = ['<phone_vendor_1>', '<phone_vendor_2>'] as const

/** The kinds of file, by the name that a person gives. */
export const kindNames = [
  'assistant',
  'inline-assistant',
  'tool',
  'tool-update',
  'knowledge-base',
  'overrides',
  'call-start',
  'call-connect',
  'test',
  'batch',
  'guard',
  'project',
] as const

export type KindName = (typeof kindNames)[number]

/** The kinds of resource that a project holds, as `${tool:name}` and its like name them, in the order of their making. */
export const resourceKinds = ['tool', 'kb', 'assistant'] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** interface.md 4.8: the response to an event. */
export const acceptedResponse = { message: 'accepted' } as const
