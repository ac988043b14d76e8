import type { CallObservation, ToolResult } from '../../interface/call-observation.ts'
import { type CallerTurn, callerLine } from '../../interface/caller-script.ts'
import { parseJson } from '../../lib/json.ts'
import {
  type CallCourse,
  type CourseStep,
  endedByOf,
  spoken,
  spokenLine,
  startTextOf,
} from './call-course.ts'

/** Records a call in progress. */
export type ObservedCourse = ReturnType<typeof createObservedCourse>

export function createObservedCourse() {
  const steps: CourseStep[] = []
  const toolPlaces = new Map<string, number>()
  const keys: string[] = []
  let isCutOff = false
  let record: Extract<CallObservation, { kind: 'status' }>['record'] | undefined
  let hasEnded = false
  const observe = (observation: CallObservation): void => {
    if (observation.kind === 'status') {
      record = observation.record
      hasEnded = observation.status === 'finished'
    } else if (observation.kind === 'tool-started') {
      const { id, name, arguments: given } = observation.run
      toolPlaces.set(id, steps.length)
      steps.push({ kind: 'tool', tool: { name, arguments: given, answer: undefined } })
    } else if (observation.kind === 'tool-ended') {
      const { id, name, arguments: given } = observation.result
      const place = toolPlaces.get(id)
      const tool = { name, arguments: given, answer: answerOf(observation.result) }
      if (place !== undefined) steps[place] = { kind: 'tool', tool }
    } else if (observation.kind === 'message') {
      const text = spoken(observation.text)
      if (text === '') return
      if (observation.role === 'assistant') steps.push({ kind: 'said', text })
      else if (keys.includes(text)) steps.push({ kind: 'caller', line: `/keys ${text}` })
      else steps.push({ kind: 'caller', line: isCutOff ? `/interrupt ${text}` : spokenLine(text) })
      isCutOff = observation.role === 'assistant' && observation.interrupted === true
    }
  }
  return {
    observe,
    /** Records a completed caller turn. */
    take(turn: CallerTurn): void {
      if (turn.type === 'keys') keys.push(turn.keys)
      if (turn.type === 'silence') steps.push({ kind: 'caller', line: callerLine(turn) })
    },
    /** Returns the call so far. */
    course: (facts: Pick<CallCourse, 'assistant' | 'variables'>): CallCourse => ({
      ...facts,
      steps: [...steps],
      unplacedTools: [],
      endedBy: hasEnded ? endedByOf(record?.callEndTriggerBy, record?.status) : undefined,
      at: startTextOf(record?.createdAt),
      analysis: record?.analysis,
      people: { names: [], numbers: [] },
    }),
  }
}

function answerOf({ content, failure, simulated }: ToolResult) {
  if (simulated === true) return { simulated: true } as const
  return failure === undefined ? { returns: parseJson(content) ?? content } : { fails: failure }
}
