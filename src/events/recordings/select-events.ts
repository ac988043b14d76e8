import type { Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { beginningHint, findByBeginning } from '../../lib/text/did-you-mean.ts'
import { type Clue, clueHint, createWordFilter } from '../../lib/text/wanted-words.ts'
import type { ReadEvent } from '../conversation/index.ts'
import { createConversationTracker, listCallNames } from '../conversation/index.ts'
import { type RecordedEvent, type RecordingItem, recordedEvents, type SkippedLine } from './recording-file.ts'

/** A point of a recording: a time, or so long after its first event; both in milliseconds. */
export type TimeBound = { readonly at: number } | { readonly after: number }

/** Which events of a recording are wanted: of one of these calls, of one of these types; both ends of the time are included. */
export interface Selection {
  /** `-` for the events that name no call. */
  readonly calls?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  readonly from?: TimeBound | undefined
  readonly until?: TimeBound | undefined
}

export interface SelectedEvent {
  readonly recorded: RecordedEvent
  /** Which event of the recording it is, from 1. */
  readonly number: number
  /** When it arrived, in milliseconds since the epoch. */
  readonly arrived: number
  /** Selected events of its body; may be empty. */
  readonly events: readonly ReadEvent[]
  readonly callId: string | null
}

export function createSelector(selection: Selection) {
  const { from, until } = selection
  const calls = createWordFilter(selection.calls)
  const types = createWordFilter(selection.types)
  const counter = createConversationTracker()
  let number = 0
  let matched = 0
  let start: number | undefined

  const isWanted = (event: ReadEvent) => {
    // Both see every event, for the hint.
    const ofCall = listCallNames(counter.assign(event).origin).filter(calls.admit).length > 0
    const ofType = types.admit(event.type)
    return ofCall && ofType
  }
  const absent = () => {
    const [type] = types.missing()
    if (type !== undefined) return { filter: 'type' as const, ...types.clue(type) }
    const [call] = calls.missing()
    return call === undefined ? undefined : { filter: 'call' as const, ...calls.clue(call) }
  }
  return {
    /** The event, if it is wanted; for all events of a recording, in order. */
    add(recordedEvent: RecordedEvent): SelectedEvent | undefined {
      const arrived = Date.parse(recordedEvent.at)
      const allEvents = recordedEvents(recordedEvent)
      start ??= arrived
      number++
      const events = allEvents.filter(isWanted)
      const isUnread =
        allEvents.length === 0 && selection.calls === undefined && selection.types === undefined
      const early = from !== undefined && arrived < timeOf(from, start)
      const late = until !== undefined && arrived > timeOf(until, start)
      if ((events.length === 0 && !isUnread) || early || late) return undefined
      matched++
      return { recorded: recordedEvent, number, arrived, events, callId: events[0]?.callId ?? null }
    },
    /** @throws CallyardError `usage` when something was asked for and nothing matched. */
    assertMatched(): void {
      if (matched > 0 || Object.values(selection).every(part => part === undefined)) return
      throw nothingSelected(number, absent())
    },
  }
}

function timeOf(moment: TimeBound, start: number): number {
  return 'at' in moment ? moment.at : start + moment.after
}

export interface PlayedRecording {
  /** False for a pipe of the shell. */
  readonly isRereadable: boolean
  read(): AsyncIterable<RecordingItem>
}

interface PlayOptions extends Selection {
  /** Speed relative to the recording; Infinity does not wait. */
  readonly speed: number
  readonly clock: Clock
  readonly signal: AbortSignal
  onSkipped(line: SkippedLine): void
}

/**
 * Selected events of a recording, each emitted at its time; calls are named by the beginnings of their ids.
 * @throws CallyardError as `read` does; `usage` when nothing matched, or a beginning is that of several calls.
 */
export async function* playRecording(
  { read: readAgain, isRereadable }: PlayedRecording,
  { speed, clock, signal, onSkipped, calls, ...selection }: PlayOptions,
): AsyncGenerator<SelectedEvent, void> {
  const isReadTwice = calls !== undefined
  const bufferedItems = isReadTwice && !isRereadable ? await toItems(readAgain(), signal) : undefined
  const read = () => bufferedItems ?? readAgain()
  const ids = isReadTwice ? await wholeIds(calls, read(), signal) : undefined
  const selector = createSelector({ ...selection, calls: ids })
  let first: { readonly arrived: number; readonly now: number } | undefined
  /** Against the first event, not the one before: what is late does not make the rest later. */
  const wait = async ({ arrived }: SelectedEvent) => {
    if (speed === Number.POSITIVE_INFINITY) return
    first ??= { arrived, now: clock.now() }
    const due = first.now + (arrived - first.arrived) / speed
    const left = Math.ceil(due - clock.now())
    if (left > 0) await clock.sleep(left, signal)
  }
  for await (const item of read()) {
    signal.throwIfAborted()
    if (item.kind === 'skipped') {
      onSkipped(item)
      continue
    }
    const selectedEvent = selector.add(item)
    if (selectedEvent === undefined) continue
    await wait(selectedEvent)
    yield selectedEvent
  }
  selector.assertMatched()
}

/** Reads a shell pipe into memory, because it can be read only once. */
async function toItems(
  recording: AsyncIterable<RecordingItem>,
  signal: AbortSignal,
): Promise<RecordingItem[]> {
  const items: RecordingItem[] = []
  for await (const item of recording) {
    signal.throwIfAborted()
    items.push(item)
  }
  return items
}

/**
 * Resolves abbreviated ids. The whole recording is read, because a prefix could match another call further down.
 */
async function wholeIds(
  beginnings: readonly string[],
  recording: Iterable<RecordingItem> | AsyncIterable<RecordingItem>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for await (const item of recording) {
    signal.throwIfAborted()
    for (const { callId: id } of item.kind === 'skipped' ? [] : recordedEvents(item))
      if (id !== null && beginnings.some(beginning => id.startsWith(beginning))) ids.add(id)
  }
  return beginnings.map(beginning => {
    const match = findByBeginning(beginning, [...ids], id => id)
    if (match.kind === 'found') return match.item
    // Without a match, the selector's error lists the available ones.
    if (match.kind === 'missing') return beginning
    const { candidates } = match
    throw new CallyardError(
      'usage',
      `${candidates.length} recorded calls have ids that start with ${beginning}`,
      {
        code: 'ambiguous-call',
        hint: beginningHint(match, id => id, { short: true }),
        details: { beginning, ids: candidates },
      },
    )
  })
}

/** `absent` did not occur at all. */
const nothingSelected = (events: number, absent: ({ readonly filter: 'type' | 'call' } & Clue) | undefined) =>
  new CallyardError('usage', `none of the ${events} recorded events match`, {
    code: 'nothing-selected',
    hint:
      absent === undefined
        ? 'no event matches the calls, types and times together'
        : clueHint(absent, `${absent.filter}s in the recording`),
    details: { events, absent },
  })
