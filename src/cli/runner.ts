import type { Command } from 'commander'
import type { Context } from './context.ts'

export interface RunnerOptions {
  /** True for a command that ends well by itself after context.signal, however long that takes. Others are given up soon. */
  readonly endsItself?: boolean
}

/** Runs a command's work with the context that its global options ask for. */
export type Runner = (
  command: Command,
  work: (context: Context) => Promise<void>,
  options?: RunnerOptions,
) => Promise<void>
