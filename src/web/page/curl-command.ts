import { escapeForTerminal, escapeJsonText, quoteForShell } from '../../lib/text/escape.ts'

export interface CurlRequest {
  readonly url: string
  readonly contentType: string
  /** JSON as it came. */
  readonly body: string
}

/**
 * Returns a command for any POSIX shell that sends an event. The JSON is an equal value on one line without control characters, so that
 * it can be pasted: inside strings they are escaped, between values they become spaces.
 */
export function curlCommand({ url, contentType, body }: CurlRequest): string {
  const json = escapeJsonText(body).replace(/[\t\n]/g, ' ')
  const request = [
    `curl -X POST ${/[[\]{}]/.test(url) ? '--globoff ' : ''}${quoteForShell(escapeForTerminal(url))}`,
    `  -H ${quoteForShell(escapeForTerminal(`content-type: ${contentType}`))}`,
  ].join(' \\\n')
  // Linux takes no argument of 128 KiB; the body of a here-document may be of any length.
  return new TextEncoder().encode(json).length < maxArgumentLength
    ? `${request} \\\n  --data-binary ${quoteForShell(json)}`
    : `${request} \\\n  --data-binary @- <<'CALLYARD_EVENT'\n${json}\nCALLYARD_EVENT`
}

const maxArgumentLength = 100_000
