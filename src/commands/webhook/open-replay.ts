import { relative } from 'node:path'
import type { Context } from '../../context.ts'
import { readRecording } from '../../webhook/recording/read-recording.ts'
import type { SkippedLine } from '../../webhook/recording/recorded-event.ts'
import { createPace } from '../../webhook/replay/pace.ts'
import { createSelector, type Moment, type SelectedEvent } from '../../webhook/replay/select-events.ts'

export interface ReplayOptions {
  /** Times as fast as recorded; Infinity waits for nothing. */
  readonly speed?: number
  /** Any of these calls; `-` for the events that name none. */
  readonly call?: readonly string[]
  /** Any of these types. */
  readonly type?: readonly string[]
  readonly from?: Moment
  readonly until?: Moment
}

export interface Replay {
  /** The wanted events, each when it is due. Throws as readRecording does, and `usage` when nothing matched. */
  readonly events: AsyncIterable<SelectedEvent>
  /** Lines that were skipped up to now. */
  skippedLines(): number
}

/** A recording as a command plays it; lines that are skipped are told on stderr. */
export function openReplay(
  file: string,
  { call: calls, type: types, from, until, speed = Number.POSITIVE_INFINITY }: ReplayOptions,
  { cwd, resolve, clock, signal, output }: Pick<Context, 'cwd' | 'resolve' | 'clock' | 'signal' | 'output'>,
): Replay {
  let skipped = 0
  const skip = (line: SkippedLine) => {
    skipped++
    if (skipped <= mostTold) output.warn(skippedText(line, cwd))
    else if (skipped === mostTold + 1) output.warn('more lines are skipped; the end says how many')
  }
  async function* play() {
    const selector = createSelector({ calls, types, from, until })
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

const mostTold = 20

function skippedText({ file, line, torn }: SkippedLine, cwd: string): string {
  const place = `${relative(cwd, file)}:${line}`
  return torn ? `${place} is torn and is skipped` : `${place} is no recorded event and is skipped`
}
