import type { ToolResult } from '../files/formats/call-observation.ts'
import type { Infer } from '../lib/lazy.ts'
import type { requestFilterSchema } from './option-schemas.ts'

/**
 * Types that are inferred from the sandbox's schemas. scripts/resource-types.ts writes them out without zod for publication.
 */
export type { FaultRule, RequestRecord as SandboxRequest } from '../files/formats/control-api.ts'
export type { PhoneNumber, PhoneOutcome } from '../interface/phone-number.ts'

export type RequestFilter = Readonly<Infer<typeof requestFilterSchema>>
export type ToolCall = Omit<ToolResult, 'id' | 'startedAt' | 'endedAt'>
