import type { RequiredHeader } from '../../webhook/index.ts'
import type { ExecOptions } from './exec-options.ts'
import type { ReachOptions } from './exposure-options.ts'
import type { FilterOptions } from './filter-options.ts'
import type { FormatOptions } from './format-options.ts'
import type { ForwardOptions } from './forward-options.ts'
import type { HeaderSource } from './header-option.ts'
import type { RecordOptions } from './open-recording.ts'

/** What the flags of `webhook tail` say. */
export interface TailCommandOptions extends Omit<ListenOptions, 'path' | 'isSecretPath'> {
  /** Undefined: `/`, with a tunnel a random one. */
  readonly path?: string
}

/** The same with a path that is settled. */
export interface ListenOptions
  extends RecordOptions,
    ForwardOptions,
    ExecOptions,
    FilterOptions,
    FormatOptions,
    ReachOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  /** It was made for a tunnel: who does not know it cannot send. */
  readonly isSecretPath: boolean
  readonly requireHeader?: RequiredHeader
  readonly allowHost?: readonly string[]
  /** Bytes. */
  readonly maxBody: number
  readonly until?: 'finished'
  readonly ui?: boolean
}

/** As the command line gives them: values of headers may still have to be read. */
export interface TailFlags extends Omit<TailCommandOptions, 'requireHeader' | 'forwardHeader'> {
  readonly requireHeader?: HeaderSource
  readonly forwardHeader?: readonly HeaderSource[]
}
