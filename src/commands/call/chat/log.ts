import type { Output } from '../../../cli/context.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { dim } from '../../../lib/text/text.ts'
import type { Log, SandboxEvent } from '../../../sandbox/index.ts'

export interface ChatLog {
  readonly log: Log
  /** The failure is shown already: its line in the log is not shown again. */
  shown(message: string): void
}

/**
 * What the embedded sandbox's log has to say to the caller: warnings, each once, the first failed delivery to each URL, and
 * each rule that a receiver breaks. All of it with --debug.
 */
export function createChatLog(output: Output): ChatLog {
  const told = new Set<string>()
  const tell = (event: SandboxEvent, key: string, words: string) => {
    if (told.has(key)) return
    told.add(key)
    if (output.json) output.event(event, () => undefined)
    else output.note(dim(words))
  }
  return {
    log(event) {
      output.debug(`sandbox: ${JSON.stringify(event)}`)
      if (event.kind === 'delivery-failed') {
        const { type, url, reason } = event
        tell(event, `to ${url}`, `not delivered: ${type} to ${url}: ${reason}; the next ones are not told`)
      } else if (event.kind === 'wrong-answer') {
        const { url, reason, answer } = event
        tell(event, `${reason} ${url}`, `wrong answer: ${url} ${reason}: ${oneLine(answer)}`)
      } else if (event.kind === 'warning') {
        // After what happens at this moment: a failure is told to the caller by itself.
        queueMicrotask(() => tell(event, event.message, `warning: ${event.message}`))
      }
    },
    shown: message => void told.add(message),
  }
}
