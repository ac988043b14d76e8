import * as z from 'zod/mini'
import { requestStatuses } from '../../../calls/approval/index.ts'
import { approvableActions, decisionSchema } from '../../../files/formats/approval.ts'
import { required } from '../../../interface/fields.ts'

const requestSchema = z.object({
  code: z.string(),
  status: z.enum(requestStatuses),
  action: z.enum(approvableActions),
  command: required(z.string(), 'Command that would be run'),
  cwd: required(z.string(), 'Folder in which it would be run'),
  service: required(z.string(), 'Base URL of the service'),
  profile: z.nullable(z.string()),
  expiresAt: required(z.string(), 'ISO 8601'),
})

export const approveResult = {
  document: z.union([
    z.object({
      requests: required(z.array(requestSchema), 'With --list: requests of the last day, oldest first'),
      decisions: required(z.array(decisionSchema()), 'Decisions in the call log, latest first'),
    }),
    z.object({
      code: z.string(),
      decision: z.enum(['approved', 'rejected']),
      exitCode: required(z.nullable(z.int()), 'Exit code of the approved command'),
    }),
  ]),
}
