/**
 * Types that are inferred from the sandbox's schemas. scripts/resource-types.ts writes them out without zod for publication.
 */
export type { FaultRule, RequestRecord as SandboxRequest } from '../files/formats/control-api.ts'
export type { PhoneNumber, PhoneOutcome } from '../interface/phone-number.ts'
