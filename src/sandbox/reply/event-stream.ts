import { startTimer } from '../../lib/async/timer.ts'
import type { Clock } from '../../lib/clock.ts'
import { ModelFailure } from './chat-model.ts'

/** Bytes of one answer, and characters of one of its lines: far more than any text that can be said. */
const maxAnswerBytes = 16 * 1024 * 1024
const maxLineLength = 1024 * 1024
/** Milliseconds that a server gets to end the answer after its last event. */
const graceToEnd = 1000

/** What became of a stream of events. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Whether its last event, `[DONE]`, came. */
  done(): boolean
}

/**
 * The server-sent events of an answer, made safe for the openai client: it would write what it cannot read under some
 * event names to the console, gather a line without end, and wait after `[DONE]` for a server that forgets to close. So
 * only data goes through, event by event, within bounds and up to `[DONE]`. An event named `error` becomes the error
 * object that the client looks for.
 */
export function readEvents(
  answer: ReadableStream<Uint8Array>,
  { clock, heard }: { readonly clock: Clock; readonly heard: () => void },
): EventStream {
  let done = false
  const reader = answer.getReader()

  async function* events() {
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    const take = gatherEvents()
    let size = 0
    try {
      while (true) {
        const { value, done: over } = await reader.read()
        if (over) return
        heard()
        size += value.length
        if (size > maxAnswerBytes) throw new ModelFailure('the model does not stop sending')
        for (const data of take(decoder.decode(value, { stream: true }))) {
          done = data.trim() === '[DONE]'
          if (done) return
          yield encoder.encode(`data: ${data.replaceAll('\n', '\ndata: ')}\n\n`)
        }
      }
    } finally {
      if (done) void readToEnd(reader, clock)
      else await reader.cancel().catch(() => undefined)
    }
  }
  return { body: ReadableStream.from(events()), done: () => done }
}

/** Takes text as it comes, gives the data of the events that are complete. */
function gatherEvents(): (text: string) => string[] {
  let line = ''
  let name = ''
  let data: string[] = []

  const read = (field: string): string[] => {
    if (field === '') {
      const whole = data.join('\n')
      const failed = name === 'error'
      name = ''
      data = []
      if (whole === '') return []
      return [failed ? JSON.stringify({ error: errorOf(whole) }) : whole]
    }
    const [, key, value = ''] = /^([^:]*):? ?(.*)$/s.exec(field) ?? []
    if (key === 'event') name = value
    if (key === 'data') data.push(value)
    return []
  }
  return text => {
    const [first = '', ...others] = text.split('\n')
    line += first
    if (line.length > maxLineLength) throw new ModelFailure('the model sent a line without end')
    if (others.length === 0) return []
    const complete = [line, ...others.slice(0, -1)]
    line = others.at(-1) ?? ''
    return complete.flatMap(one => read(one.endsWith('\r') ? one.slice(0, -1) : one))
  }
}

/** The client takes anything but nothing for an error. */
function errorOf(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value !== 'object' || value === null) return { message: data }
    return 'error' in value ? value.error || value : value
  } catch {
    return { message: data }
  }
}

/** A connection that was read to its end serves the next request too. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<void> {
  const cancelTimer = startTimer(graceToEnd, () => void reader.cancel().catch(() => undefined), clock)
  try {
    while (!(await reader.read()).done);
  } catch {
    // The connection is gone; all of the answer is here.
  } finally {
    cancelTimer()
  }
}
