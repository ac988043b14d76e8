import * as z from 'zod/mini'
import { positionSchema } from '../../files/source/diagnostic-schema.ts'
import { fieldPath, objectList, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

const counts = { covered: z.int(), total: z.int() }

/** Coverage of the files of projects, with the items that no test exercised. */
export const coverageSchema = z.object({
  files: objectList({
    file: z.string(),
    kind: z.enum(['assistant', 'tool', 'knowledge-base']),
    ...counts,
    uncovered: objectList({
      kind: z.enum([
        'assistant',
        'prompt',
        'tool',
        'entry',
        'variable',
        'end-phrase',
        'forward',
        'idle-message',
        'interruption-phrase',
        'analysis',
      ]),
      name: required(z.string(), 'Tool, variable, question, phrase or target; may be empty'),
      path: fieldPath(),
      position: z.optional(positionSchema),
    }),
  }),
  ...counts,
})
export type Coverage = Immutable<z.infer<typeof coverageSchema>>
