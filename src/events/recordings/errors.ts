import { CallyardError, checkFolder } from '../../lib/error.ts'

export const cannotRecord = (path: string, reason: string, cause: unknown) =>
  new CallyardError('usage', `cannot record to ${path}: ${reason}`, {
    code: 'cannot-record',
    hint: `use another file, or ${checkFolder}`,
    details: { path, reason },
    cause,
  })
