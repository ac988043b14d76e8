import { localDate, timeOfDay } from '../../lib/text/date-time.ts'
import { element } from './dom.ts'

/** A time as the page shows every time: by the clock of this machine, in ISO 8601 on hover. Milliseconds since the epoch. */
export function timeElement(at: number): HTMLTimeElement {
  const iso = new Date(at).toISOString()
  return element('time', { datetime: iso, title: iso }, timeOfDay(at))
}

/** The same with its day. */
export function dateTimeElement(at: number): HTMLTimeElement {
  const time = timeElement(at)
  time.prepend(`${localDate(at)} `)
  return time
}
