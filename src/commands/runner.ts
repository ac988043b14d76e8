import type { Command } from 'commander'
import type { Context } from '../context.ts'

/** Runs a command's work with the context that its global options ask for. */
export type Runner = (command: Command, work: (context: Context) => Promise<void>) => Promise<void>
