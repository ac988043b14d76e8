import { isObject } from '../../lib/json.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import type { Warning } from './deps.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Returns the body of a call whose inline assistant sends its events to `url`; the rest of its assistantServer is kept.
 * `replaced` is the URL that the file has, without its query.
 */
export function sendEventsTo(
  body: Body,
  url: string,
): { readonly body: Body; readonly replaced?: string | undefined; readonly warnings: readonly Warning[] } {
  const assistant = isObject(body.assistant) ? body.assistant : {}
  const own = isObject(assistant.assistantServer) ? assistant.assistantServer : {}
  const { enabled, messages } = own
  const lacksStatus = Array.isArray(messages) && !messages.includes('status-update')
  const isReplaced = enabled !== false && typeof own.url === 'string' && URL.canParse(own.url)
  // The file may switch events off for its own server; following a call needs them.
  const assistantServer = { ...own, url, enabled: enabled === false ? true : enabled }
  return {
    body: { ...body, assistant: { ...assistant, assistantServer } },
    replaced: isReplaced ? withoutQuery(String(own.url)) : undefined,
    warnings: lacksStatus ? [noStatusUpdates] : [],
  }
}

const noStatusUpdates = {
  message:
    'assistantServer.messages of the file does not contain status-update, so the service may not report the end of the call',
  hint: 'Ctrl-C ends the command, not the call',
}
