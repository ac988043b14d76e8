import type * as z from 'zod/mini'
import type { ToolResult } from '../files/formats/call-observation.ts'
import type { Immutable } from '../lib/json.ts'
import type { Infer } from '../lib/lazy.ts'
import type { callOptionsSchema, requestFilterSchema, sandboxFields, worldFields } from './sandbox-options.ts'

/**
 * Types that are inferred from the sandbox's schemas. scripts/resource-types.ts writes them out without zod for publication.
 */
export type { FaultRule, RequestRecord as SandboxRequest } from '../files/formats/control-api.ts'
export type { PhoneNumber, PhoneOutcome } from '../interface/phone-number.ts'

type OptionsOf<Fields extends Readonly<Record<string, () => z.ZodMiniType>>> = {
  readonly [Name in keyof Fields]?: Immutable<Infer<Fields[Name]>>
}

export type WorldOptions = OptionsOf<typeof worldFields>
export type SandboxOptions = OptionsOf<typeof sandboxFields>
export type CallOptions = Immutable<Infer<typeof callOptionsSchema>>
export type RequestFilter = Readonly<Infer<typeof requestFilterSchema>>
export type ToolCall = Omit<ToolResult, 'id' | 'startedAt' | 'endedAt'>
