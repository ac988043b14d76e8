import * as z from 'zod/mini'

/** Fields that a body does not have although a reader may expect them: name → why. Told by check in place of "unknown". */
export const refusedFields = z.registry<Readonly<Record<string, string>>>()
