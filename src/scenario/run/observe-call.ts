import { type CallerTurn, callerLine } from '../../interface/caller-script.ts'
import type { StoredCall } from '../../interface/control-api.ts'
import type { CallTrace } from '../../sandbox/index.ts'
import type { CallerLine, TestCase } from '../test-case.ts'
import type { ObservedCall, ObservedTool, ObservedTurn, SaidMessage } from '../verdict.ts'

interface OpenTurn {
  readonly caller: (CallerLine & { readonly from: number; until: number }) | undefined
  readonly said: SaidMessage[]
  readonly tools: { -readonly [Field in keyof ObservedTool]: ObservedTool[Field] }[]
  readonly searches: ObservedTurn['searches'][number][]
  readonly failures: ObservedTurn['failures'][number][]
}

/** Gathers what happens in a call, turn by turn. */
export type CallObserver = ReturnType<typeof observeCall>

export function observeCall(test: TestCase) {
  const lines = test.turns.flatMap(({ caller }) => caller ?? [])
  let current = newTurn(undefined)
  const turns = [current]
  /** That with which a speech began: what is said ends in another one when the caller interrupts it. */
  const turnAt = (from: number) =>
    turns.findLast(({ caller }) => caller === undefined || caller.from <= from) ?? current
  let broke: string | undefined
  const tools = new Map<string, OpenTurn['tools'][number]>()

  const trace = (event: CallTrace) => {
    switch (event.kind) {
      case 'caller-began':
        current = newTurn({ ...(lines[turns.length - 1] ?? noLine), from: event.at, until: event.at })
        turns.push(current)
        break
      case 'caller-paused':
        if (current.caller !== undefined) current.caller.until = event.at
        break
      case 'said': {
        const { role, from, until, text, heard, fallback } = event
        const turn = turnAt(from)
        if (role === 'assistant') turn.said.push({ text, heard, from, until, fallback })
        else if (turn.caller !== undefined) turn.caller.until = until
        break
      }
      case 'searched':
        current.searches.push({ question: event.question, hits: event.hits, used: event.used })
        break
      case 'tool-started': {
        const tool = { ...event.run, content: '', from: event.at, until: undefined }
        tools.set(event.run.id, tool)
        current.tools.push(tool)
        break
      }
      case 'tool-ended': {
        const tool = tools.get(event.result.id)
        if (tool !== undefined) Object.assign(tool, event.result, { until: event.at })
        break
      }
      case 'failure':
        current.failures.push({ part: event.part, message: event.message })
        break
      case 'broke':
        broke = event.message
    }
  }
  return {
    trace,
    /** A simulated caller does this next. */
    callerDoes: (turn: CallerTurn) => void lines.push({ line: callerLine(turn), turn }),
    /** The turn that the call has come to; 0 before the caller's first line. */
    turn: () => turns.length - 1,
    /** The fault of the sandbox that ended the call. */
    broke: () => broke,
    /** What the assistant said since the last turn of the caller. */
    heard: (): readonly SaidMessage[] => current.said,
    /** `record`: as it is at the end. */
    toCall(record: StoredCall): ObservedCall {
      const { startAt = record.createdAt, endAt = record.updatedAt } = record
      return { record, turns, startedAt: Date.parse(startAt), endedAt: Date.parse(endAt) }
    },
  }
}

const noLine: CallerLine = { line: '', turn: { type: 'say', text: '' } }

function newTurn(caller: OpenTurn['caller']): OpenTurn {
  return { caller, said: [], tools: [], searches: [], failures: [] }
}
