import type { Command } from 'commander'
import { parseDuration, parseInteger } from '../option-parsers.ts'

/** As they come from the command line; openExec reads them. */
export interface ExecOptions {
  readonly exec?: string
  readonly execShell?: boolean
  readonly execAtOnce?: number
  /** Milliseconds. */
  readonly execTimeout?: number
}

/** More programs side by side than this are a mistake. */
const mostAtOnce = 64

/** A program for each message that was not seen before. */
export function withExecOptions(command: Command): Command {
  return command
    .option('--exec <command>', 'run this for each unseen message, its JSON on stdin')
    .option('--exec-shell', 'let the shell read the command of --exec')
    .option('--exec-at-once <number>', 'how many run side by side (4 unless given)', text =>
      parseInteger(text, 1, mostAtOnce),
    )
    .option('--exec-timeout <duration>', 'end one that takes longer (60s unless given)', parseDuration)
}

export const execHelp = `--exec runs a program for each unseen message that --call, --type and --role let
through, and gives it the line of --json for that message on stdin. Messages of
one call come one after the other in their order, calls side by side. Where
10,000 messages (or 8 MB of text) wait, further ones are not run until half of
them are done; that is told, and counts as done in part.
The command is split into words as a shell does; with --exec-shell the shell
reads all of it: pipes, variables, patterns. It has your environment, but for
callwright's own keys. What it prints is shown on stderr, 64 KB of it; one that
fails, takes too long or cannot be started is told with its call and message,
20 of a kind (--json tells each), and tailing goes on. One that takes too long,
or still runs at the end, is ended with all that it started; what a program
leaves running in the background when it ends by itself is left alone.`
