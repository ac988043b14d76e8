import { CallyardError, checkFolder } from '../../lib/error.ts'

export const eventsNotKept = (folder: string, reason: string, cause: unknown) =>
  new CallyardError('usage', `cannot write events to ${folder}: ${reason}`, {
    code: 'events-not-kept',
    hint: checkFolder,
    details: { folder, reason },
    cause,
  })
