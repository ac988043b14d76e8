import type { Command } from 'commander'
import { parsePort } from '../../cli/flags/option-parsers.ts'
import { type ReachOptions, withReachOptions } from '../webhook/exposure-options.ts'
import { type FormatOptions, withLookOptions } from '../webhook/format-options.ts'

export interface FollowOptions extends FormatOptions, ReachOptions {
  readonly follow?: boolean
  /** Of the listener; a free one unless given. */
  readonly port?: number
}

export function withFollowOptions<C extends Command>(command: C): C {
  command
    .optionsGroup('FOLLOW THE CALL')
    .option('--follow', 'Show what is said until the call ends')
    .option('--port <number>', 'Port to listen on (default: a free one)', parsePort)
  return withLookOptions(withReachOptions(command))
}
