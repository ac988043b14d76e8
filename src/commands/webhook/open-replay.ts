import { relative } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { beginningHint, findByBeginning } from '../../lib/text/did-you-mean.ts'
import {
  createPace,
  createSelector,
  parseEvent,
  type RecordingItem,
  readRecording,
  type SelectedEvent,
  type SkippedLine,
} from '../../webhook/index.ts'
import type { ReplayOptions } from './replay.ts'

export interface Replay {
  /** The wanted events, each when it is due. Throws as readRecording does, and `usage` when nothing or too much matched. */
  readonly events: AsyncIterable<SelectedEvent>
  /** Lines that were skipped up to now. */
  skippedLines(): number
}

/** A recording as a command plays it; lines that are skipped are told on stderr. */
export function openReplay(
  file: string,
  {
    call: calls,
    type: types,
    from,
    until,
    speed = Number.POSITIVE_INFINITY,
  }: Pick<ReplayOptions, 'call' | 'type' | 'from' | 'until' | 'speed'>,
  { cwd, resolve, clock, signal, output }: Pick<Context, 'cwd' | 'resolve' | 'clock' | 'signal' | 'output'>,
): Replay {
  let skipped = 0
  const skip = (line: SkippedLine) => {
    skipped++
    if (skipped <= maxShown) output.warn(skippedText(line, cwd))
    else if (skipped === maxShown + 1) output.warn('more lines are skipped; the end says how many')
  }
  async function* play() {
    const ids = calls === undefined ? undefined : await wholeIds(calls, readRecording(resolve(file)), signal)
    const selector = createSelector({ calls: ids, types, from, until })
    const pace = createPace(speed, { clock, signal })
    for await (const item of readRecording(resolve(file))) {
      signal.throwIfAborted()
      if (item.kind === 'skipped') {
        skip(item)
        continue
      }
      const selected = selector.take(item)
      if (selected === undefined) continue
      await pace.wait(selected.arrived)
      yield selected
    }
    selector.assertMatched()
  }
  return { events: play(), skippedLines: () => skipped }
}

/**
 * The ids that are meant by their beginnings. The recording is read for them: what is sent to a server must not go on to
 * another call that begins alike further down.
 * @throws CallwrightError `usage` for a beginning of several ids
 */
async function wholeIds(
  beginnings: readonly string[],
  recording: AsyncIterable<RecordingItem>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for await (const item of recording) {
    signal.throwIfAborted()
    const event = item.kind === 'skipped' ? '' : parseEvent(item.body)
    const id = typeof event === 'string' ? null : event.callId
    if (id !== null && beginnings.some(beginning => id.startsWith(beginning))) ids.add(id)
  }
  return beginnings.map(beginning => {
    const found = findByBeginning(beginning, [...ids], id => id)
    if (found.kind === 'found') return found.item
    // Where there is none, the selector's error lists what there is.
    if (found.kind === 'missing') return beginning
    throw new CallwrightError(
      'usage',
      `${found.candidates.length} recorded calls have ids that begin with ${beginning}`,
      {
        hint: beginningHint(found, id => id, { short: true }),
      },
    )
  })
}

const maxShown = 20

function skippedText({ file, line, torn }: SkippedLine, cwd: string): string {
  const place = `${relative(cwd, file)}:${line}`
  return torn ? `${place} is torn and is skipped` : `${place} is no recorded event and is skipped`
}
