import { CliError } from '../../errors.ts'
import { didYouMean } from '../../interface/did-you-mean.ts'
import type { WebhookEvent } from '../../interface/webhook.ts'
import { isWebhookEvent } from '../../interface/webhook-envelope.ts'
import { callIdOf } from '../conversation-state.ts'
import type { RecordedEvent } from '../recording/recorded-event.ts'

/** A point of a recording: a time, or so long after its first event; both in milliseconds. */
export type Moment = { readonly at: number } | { readonly after: number }

/** Which events of a recording are wanted; both ends of the time are included. */
export interface Selection {
  readonly callId?: string | undefined
  readonly type?: string | undefined
  readonly from?: Moment | undefined
  readonly until?: Moment | undefined
}

export interface SelectedEvent {
  readonly recorded: RecordedEvent
  /** Which event of the recording it is, from 1. */
  readonly number: number
  /** When it arrived, in milliseconds since the epoch. */
  readonly arrived: number
  /** Undefined where somebody made something else of the body. */
  readonly event: WebhookEvent | undefined
  readonly callId: string | null
}

export interface Selector {
  /** The event, if it is wanted; for all events of a recording, in order. */
  take(recorded: RecordedEvent): SelectedEvent | undefined
  /** @throws CliError `usage` when something was asked for and nothing matched. */
  assertMatched(): void
}

export function createSelector(selection: Selection): Selector {
  const types = new Set<string>()
  const callIds = new Set<string>()
  let number = 0
  let matched = 0
  let start: number | undefined

  const isWanted = (arrived: number, event: WebhookEvent | undefined, first: number) => {
    const { callId, type, from, until } = selection
    return (
      (callId === undefined || (event !== undefined && callIdOf(event) === callId)) &&
      (type === undefined || event?.message.type === type) &&
      (from === undefined || arrived >= timeOf(from, first)) &&
      (until === undefined || arrived <= timeOf(until, first))
    )
  }
  return {
    take(recorded) {
      const arrived = Date.parse(recorded.at)
      const event = readEvent(recorded.body)
      const callId = event === undefined ? null : callIdOf(event)
      start ??= arrived
      number++
      if (event !== undefined && types.size < mostRemembered) types.add(event.message.type)
      if (callId !== null && callIds.size < mostRemembered) callIds.add(callId)
      if (!isWanted(arrived, event, start)) return undefined
      matched++
      return { recorded, number, arrived, event, callId }
    },
    assertMatched() {
      if (matched > 0 || Object.values(selection).every(wanted => wanted === undefined)) return
      throw new CliError('usage', `none of the ${number} recorded events matches`, {
        hint: hintOf(selection, [...types], [...callIds]),
      })
    },
  }
}

/** For a hint; a recording may have any number of them. */
const mostRemembered = 1000
const mostListed = 8

function readEvent(body: string): WebhookEvent | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isWebhookEvent(value) ? value : undefined
  } catch {
    return undefined
  }
}

function timeOf(moment: Moment, start: number): number {
  return 'at' in moment ? moment.at : start + moment.after
}

function hintOf(
  { type, callId }: Selection,
  types: readonly string[],
  callIds: readonly string[],
): string | undefined {
  if (type !== undefined && !types.includes(type)) return alternatives(type, types, 'types')
  if (callId !== undefined && !callIds.includes(callId)) return alternatives(callId, callIds, 'calls')
  return 'together, --call, --type, --from and --until leave nothing'
}

function alternatives(word: string, found: readonly string[], what: string): string | undefined {
  const meant = didYouMean(word, found)
  if (meant !== undefined) return `did you mean ${meant}?`
  if (found.length === 0) return undefined
  const more = found.length > mostListed ? ', …' : ''
  return `${what} in the recording: ${found.slice(0, mostListed).join(', ')}${more}`
}
