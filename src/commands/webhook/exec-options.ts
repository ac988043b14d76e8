import type { Command } from 'commander'
import { parseDuration, parseInteger } from '../../cli/flags/option-parsers.ts'

/** As they come from the command line; openExec reads them. */
export interface ExecOptions {
  readonly exec?: string
  readonly execShell?: boolean
  readonly execAtOnce?: number
  /** Milliseconds. */
  readonly execTimeout?: number
}

/** More programs side by side than this are a mistake. */
const maxConcurrent = 64

/** A program for each message that was not seen before. */
export function withExecOptions<C extends Command>(command: C): C {
  return command
    .option('--exec <command>', 'Run this for each new message, its JSON on stdin')
    .option('--exec-shell', 'Let the shell read the command of --exec')
    .option('--exec-at-once <number>', 'Programs at a time (default: 4)', text =>
      parseInteger(text, 1, maxConcurrent),
    )
    .option('--exec-timeout <duration>', 'End a program that takes longer (default: 60s)', parseDuration)
}
