import { shortId } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { bold, dim, green, red, type Text, text, yellow } from '../../lib/text/text.ts'
import type { SandboxEvent } from '../../sandbox/index.ts'

/** One line of the sandbox's log, for a person. */
export function describeEvent(event: SandboxEvent): Text {
  if (event.kind === 'request') {
    const { method, path, status } = event
    return text`${dim(`${method} ${path}`)} ${status < 400 ? green(String(status)) : red(String(status))}`
  }
  if (event.kind === 'call') {
    const { callId, status, phoneCallStatus } = event
    const unanswered = phoneCallStatus === undefined ? '' : text` ${yellow(phoneCallStatus)}`
    return text`call ${shortId(callId)} ${bold(status)}${unanswered}`
  }
  if (event.kind === 'delivery-failed') {
    const { callId, type, url, reason, answer } = event
    const answered = answer === undefined ? '' : text`: ${oneLine(answer)}`
    return text`${yellow('not delivered:')} ${type} of call ${shortId(callId)} to ${url}: ${reason}${answered}`
  }
  if (event.kind === 'wrong-answer') {
    const { callId, type, url, reason, answer } = event
    const answered = answer === '' ? ' is an empty text' : `: ${answer}`
    return text`${yellow('wrong answer:')} ${url} ${reason}, to ${type} of call ${shortId(callId)}; a receiver answers 200 with {"message": "…"}. Its answer${oneLine(answered)}`
  }
  if (event.kind === 'fault') {
    const where =
      'callId' in event
        ? `${event.type} ${event.index + 1} of call ${shortId(event.callId)}`
        : `${event.method} ${event.path}`
    return text`${yellow('fault:')} ${event.fault} in ${where}`
  }
  const call = event.callId === undefined ? '' : ` (call ${shortId(event.callId)})`
  return text`${yellow('warning:')} ${event.message}${call}`
}
