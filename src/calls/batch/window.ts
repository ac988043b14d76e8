import { Temporal } from 'temporal-polyfill'
import { type BatchFile, readDays, readHours } from '../../files/formats/batch.ts'
import { createTimeWindow } from '../../lib/time-window.ts'

/** Creates the window of a batch. */
export function createWindow({
  days = 'mon-sun',
  hours = '00:00-24:00',
  except = [],
}: NonNullable<BatchFile['window']>) {
  return createTimeWindow({ days: readDays(days), hours: readHours(hours) ?? [], except })
}

/**
 * Reads the end of a batch: a local time with a time zone in brackets, or a time with an offset. Returns milliseconds since the epoch.
 * A local time that occurs twice is the earlier one; one that does not exist is moved before the change.
 * @throws RangeError for a day or a time zone that does not exist
 */
export function readMoment(text: string): number {
  return text.endsWith(']')
    ? Temporal.ZonedDateTime.from(text, { disambiguation: 'earlier' }).epochMilliseconds
    : Temporal.Instant.from(text).epochMilliseconds
}
