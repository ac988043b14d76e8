import { type CallerTurn, callerLine } from '../../files/formats/caller-script.ts'
import type { StoredCall } from '../../files/formats/control-api.ts'
import type { CallTrace } from '../../sandbox/index.ts'
import type { CallerLine, TestCase } from '../test-case.ts'
import type { ObservedCall, ObservedTool, ObservedTurn, SpokenMessage } from '../verdict.ts'

interface OpenTurn {
  readonly caller: (CallerLine & { readonly from: number; until: number }) | undefined
  readonly messages: SpokenMessage[]
  readonly tools: { -readonly [Field in keyof ObservedTool]: ObservedTool[Field] }[]
  readonly searches: ObservedTurn['searches'][number][]
  readonly failures: ObservedTurn['failures'][number][]
}

export type CallObserver = ReturnType<typeof createCallObserver>

export function createCallObserver(test: TestCase) {
  const lines = test.turns.flatMap(({ caller }) => caller ?? [])
  let current = newTurn(undefined)
  const turns = [current]
  /** Returns the turn in which a message started; an interruption may end it in a later turn. */
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
        if (role === 'assistant') turn.messages.push({ text, heard, from, until, fallback })
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
        if (tool === undefined) break
        tool.acceptedAt ??= tool.until
        Object.assign(tool, event.result, { until: event.at })
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
    /** Adds the next turn of a simulated caller. */
    addCallerTurn: (turn: CallerTurn) => void lines.push({ line: callerLine(turn), turn }),
    /** Returns the index of the current turn; 0 before the caller's first line. */
    turn: () => turns.length - 1,
    broke: () => broke,
    /** Returns the assistant's messages since the caller's last turn. */
    heard: (): readonly SpokenMessage[] => current.messages,
    /** `record` is the final record. */
    toCall(record: StoredCall): ObservedCall {
      const { startAt = record.createdAt, endAt = record.updatedAt } = record
      return { record, turns, startedAt: Date.parse(startAt), endedAt: Date.parse(endAt) }
    },
  }
}

const noLine: CallerLine = { line: '', turn: { type: 'say', text: '' } }

function newTurn(caller: OpenTurn['caller']): OpenTurn {
  return { caller, messages: [], tools: [], searches: [], failures: [] }
}
