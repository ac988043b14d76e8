import { stringifyJson } from '../../lib/json.ts'
import { type CallerTurn, parseCallerLine } from '../../sandbox/index.ts'
import type { ObservedCall, ObservedTool, ObservedTurn, SaidMessage } from '../observed-call.ts'

/** Characters of a tool's answer that a judge reads. */
const maxToolAnswer = 2000

/**
 * A call as lines of JSON, one for each thing that happened, with the number of its turn: no words of a speaker can look like a line of
 * another, or end the transcript. `until`: the last turn that is written; undefined: all, and how the call ended.
 */
export function toTranscript(call: ObservedCall, until: number | undefined): string {
  // `Thu, 01 Jan 2026`: without the time, which no answer that was recorded is to depend on.
  const day = new Date(call.startedAt).toUTCString().slice(0, 16)
  const turns = until === undefined ? call.turns : call.turns.slice(0, until + 1)
  const isWhole = turns.length === call.turns.length
  return [
    { callOf: day },
    ...turns.flatMap((turn, number) => linesOf(turn).map(line => ({ turn: number, ...line }))),
    ...(isWhole ? [{ callEnded: endOf(call) }] : []),
  ]
    .map(line => stringifyJson(line))
    .join('\n')
}

/** In the order in which they began. */
function linesOf({ caller, said, tools }: ObservedTurn): object[] {
  const timed = [
    ...said.map(each => ({ at: each.from, line: saidLine(each) })),
    ...tools.map(each => ({ at: each.from, line: toolLine(each) })),
  ]
  const happened = timed.sort((one, other) => one.at - other.at).map(({ line }) => line)
  return [...(caller === undefined ? [] : [callerLine(caller.line)]), ...happened]
}

function callerLine(line: string): object {
  const read = parseCallerLine(line)
  const turn: CallerTurn = 'turn' in read ? read.turn : { type: 'say', text: line }
  switch (turn.type) {
    case 'say':
      return { caller: turn.text }
    case 'interrupt':
      return { callerInterrupts: turn.text }
    case 'keys':
      return { callerPresses: turn.keys }
    case 'silence':
      return { callerIsSilentForSeconds: turn.milliseconds / 1000 }
    case 'hang-up':
      return { callerHangsUp: true }
  }
}

function saidLine({ text, heard }: SaidMessage): object {
  return text.trim() === heard.trim() ? { assistant: text } : { assistant: text, cutOffAfter: heard }
}

function toolLine({ name, arguments: given, content, failure }: ObservedTool): object {
  const answer =
    content.length > maxToolAnswer ? `${content.slice(0, maxToolAnswer).toWellFormed()}…` : content
  return { tool: name, arguments: given, ...(failure === undefined ? { answer } : { failed: failure }) }
}

function endOf({ record }: ObservedCall): string {
  if (record.status === 'forwarded') return 'the assistant put the caller through'
  return `by the ${record.callEndTriggerBy ?? 'service'}`
}
