import * as z from 'zod/mini'
import { reportDocumentSchema } from '../../../calls/report/document/index.ts'
import { required } from '../../../interface/fields.ts'

export const reportResult = {
  document: z.union([
    reportDocumentSchema,
    z.object({
      file: required(z.string(), 'With --out: the file that was written'),
      format: z.string(),
      calls: z.int(),
    }),
  ]),
}
