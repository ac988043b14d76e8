import { type Command, InvalidArgumentError } from 'commander'

/** As they come from the command line; openReach reads them. */
export interface ReachOptions {
  /** true: the first tunnel program that is installed. */
  readonly tunnel?: string | true
  readonly tunnelUrl?: RegExp
  readonly publicUrl?: string
}

/** How the service reaches the listener. */
export function withReachOptions<C extends Command>(command: C): C {
  return command
    .option('--tunnel [command]', 'Start a tunnel program for a public URL')
    .option('--tunnel-url <pattern>', 'Pattern of the public URL in its output', parsePattern)
    .option('--public-url <url>', 'URL at which the service reaches this listener', parsePublicUrl)
}

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
