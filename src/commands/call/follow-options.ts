import type { Command } from 'commander'
import { parsePort } from '../option-parsers.ts'
import { type LookOptions, withLookOptions } from '../webhook/look-options.ts'
import { type ReachOptions, withReachOptions } from '../webhook/reach-options.ts'

export interface FollowOptions extends LookOptions, ReachOptions {
  readonly follow?: boolean
  /** Of the listener; a free one unless given. */
  readonly port?: number
}

export function withFollowOptions(command: Command): Command {
  command
    .optionsGroup('Follow the call:')
    .option('--follow', 'show what is said until the call ends, by a listener of its own')
    .option('--port <number>', 'port to listen on (default: a free one)', parsePort)
  return withLookOptions(withReachOptions(command)).optionsGroup('Help:')
}

export const followHelp = `--follow starts a listener, makes it the assistantServer of the inline assistant
of --assistant for this one call, and shows the call as webhook tail does. The
service must reach it: one on this machine does; otherwise give --tunnel, or
--public-url with the --port that it leads to. The listener's path is the one of
--public-url, else a random one. With --json the lines are { kind: "public-url",
url } where there is one, { kind: "placed", call } with the service's answer,
then those of webhook tail. Ctrl-C ends the command, not the call.
Exit code with --follow: 0 when the call was answered and finished, 8 when it
finished unanswered, 130 when you left before.`
