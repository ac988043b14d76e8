import type { RequiredHeader } from '../../webhook/gate.ts'
import type { ExecOptions } from './exec-options.ts'
import type { FilterOptions } from './filter-options.ts'
import type { ForwardOptions } from './forward-options.ts'
import type { LookOptions } from './look-options.ts'
import type { RecordOptions } from './open-recording.ts'
import type { ReachOptions } from './reach-options.ts'

/** What the flags of `webhook tail` say. */
export interface TailCommandOptions
  extends RecordOptions,
    ForwardOptions,
    ExecOptions,
    FilterOptions,
    LookOptions,
    ReachOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly requireHeader?: RequiredHeader
  readonly allowHost?: readonly string[]
  /** Bytes. */
  readonly maxBody: number
  readonly until?: 'finished'
  readonly ui?: boolean
}
