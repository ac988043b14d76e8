import { type Command, InvalidArgumentError } from 'commander'

/** As they come from the command line; openReach reads them. */
export interface ReachOptions {
  /** true: the first tunnel program that is installed. */
  readonly tunnel?: string | true
  readonly tunnelUrl?: RegExp
  readonly publicUrl?: string
}

/** How the service reaches the listener. */
export function withReachOptions(command: Command): Command {
  return command
    .option('--tunnel [command]', 'start a tunnel program, and find the public URL in its output')
    .option('--tunnel-url <pattern>', 'regular expression of the public URL in that output', parsePattern)
    .option('--public-url <url>', 'where the service reaches this listener already', parsePublicUrl)
}

export const reachHelp = `The service must reach the listener. --tunnel starts a program that gives it a
public URL, shows that URL, starts the program again when it dies and ends it
at the end (not after a kill -9). Without a command it is the first that is
installed of cloudflared, localtunnel (lt), ngrok, devtunnel and tailscale
(funnel); the name alone takes that one. In a command of your own {port} is the
listener's port and {url} its address. What the regular expression of
--tunnel-url matches (its first group, if it has one) is the public URL at
once; without it, the last https URL that the program has printed when no other
host came for half a second. With --public-url you say where the listener is
reached; without a path of its own the listener's path is put behind it.
Requests to that host are taken.`

function parsePattern(source: string): RegExp {
  try {
    return new RegExp(source)
  } catch (error) {
    throw new InvalidArgumentError(
      `Give a regular expression. ${error instanceof Error ? error.message : ''}`,
    )
  }
}

function parsePublicUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give an http or https address, such as https://hooks.example.com.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Give it without user and password.')
  }
  url.hash = ''
  return url.href
}
