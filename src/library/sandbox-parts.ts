/**
 * What the sandbox itself has a schema of. The published declarations have it written out, without zod (scripts/resource-types.ts).
 */
export type { FaultRule, RequestRecord as SandboxRequest } from '../interface/control-api.ts'
export type { PhoneNumber, PhoneOutcome } from '../sandbox/index.ts'
