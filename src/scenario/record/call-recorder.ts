import type { CallObservation, ToolResult } from '../../files/formats/call-observation.ts'
import { type CallerTurn, callerLine } from '../../files/formats/caller-script.ts'
import { parseJson } from '../../lib/json.ts'
import { toSpokenText } from '../spoken-text.ts'
import {
  formatStartTime,
  parseEndedBy,
  type ReplayableCall,
  type ReplayStep,
  toCallerLine,
} from './replayable-call.ts'

export type CallRecorder = ReturnType<typeof createCallRecorder>

export function createCallRecorder() {
  const steps: ReplayStep[] = []
  const toolSteps = new Map<string, number>()
  const keys: string[] = []
  let isCutOff = false
  let record: Extract<CallObservation, { kind: 'status' }>['record'] | undefined
  let hasEnded = false
  const observe = (observation: CallObservation): void => {
    if (observation.kind === 'status') {
      record = observation.record
      hasEnded = observation.status === 'finished'
    } else if (observation.kind === 'tool-started') {
      const { id, name, arguments: args } = observation.run
      toolSteps.set(id, steps.length)
      steps.push({ kind: 'tool', tool: { name, arguments: args, result: undefined } })
    } else if (observation.kind === 'tool-ended') {
      const { id, name, arguments: args } = observation.result
      const stepIndex = toolSteps.get(id)
      const tool = { name, arguments: args, result: toResult(observation.result) }
      if (stepIndex !== undefined) steps[stepIndex] = { kind: 'tool', tool }
    } else if (observation.kind === 'message') {
      const text = toSpokenText(observation.text)
      if (text === '') return
      if (observation.role === 'assistant') steps.push({ kind: 'said', text })
      else if (keys.includes(text)) steps.push({ kind: 'caller', line: `/keys ${text}` })
      else steps.push({ kind: 'caller', line: isCutOff ? `/interrupt ${text}` : toCallerLine(text) })
      isCutOff = observation.role === 'assistant' && observation.interrupted === true
    }
  }
  return {
    observe,
    onCallerTurn(turn: CallerTurn): void {
      if (turn.type === 'keys') keys.push(turn.keys)
      if (turn.type === 'silence') steps.push({ kind: 'caller', line: callerLine(turn) })
    },
    toReplayableCall: (
      assistant: ReplayableCall['assistant'],
      variables: ReplayableCall['variables'],
    ): ReplayableCall => ({
      ...{ assistant, variables },
      steps: [...steps],
      unplacedTools: [],
      endedBy: hasEnded ? parseEndedBy(record?.callEndTriggerBy, record?.status) : undefined,
      at: formatStartTime(record?.createdAt),
      analysis: record?.analysis,
      people: { names: [], numbers: [] },
    }),
  }
}

function toResult({ content, failure, simulated }: ToolResult) {
  if (simulated === true) return { simulated: true } as const
  return failure === undefined ? { returns: parseJson(content) ?? content } : { fails: failure }
}
