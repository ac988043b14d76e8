import type { CallObservation, CallView } from '../../../interface/control-api.ts'
import { isObject } from '../../../lib/json.ts'
import type { CallSummary } from '../../wire.ts'
import { emptyCall, matcher, type SelectedCall } from '../page-model.ts'
import {
  type CallWork,
  factsOf,
  numbersOf,
  statusesOf,
  summaryOf,
  toolStateOf,
  toPageMessage,
  worksOf,
} from './shown-record.ts'

/** What one observation changed. */
interface CallChange {
  readonly key: number
  /** Of messages. */
  readonly places: readonly number[]
  /** All of the transcript is to be drawn again. */
  readonly whole: boolean
}

export type SandboxCalls = ReturnType<typeof createSandboxCalls>

/** The calls of a sandbox as its page knows them. Strings are as clients sent them: hostile. */
export function createSandboxCalls() {
  const summaries = new Map<number, CallSummary>()
  const byKey = new Map<number, KnownCall>()
  const keys = new Map<string, number>()
  let lastKey = 0

  const put = (record: CallView) => {
    const key = keys.get(record.id) ?? ++lastKey
    const call = byKey.get(key) ?? newCall(key, record)
    keys.set(record.id, key)
    byKey.set(key, call)
    const places = takeRecord(call, record)
    summaries.set(key, summaryOf(call.record, call.detail))
    return { call, places }
  }

  return {
    summaries,
    detail: (key: number) => byKey.get(key)?.detail,
    works: (key: number) => byKey.get(key)?.works ?? [],
    /** Whether the caller has the floor. */
    isListening: (key: number) => byKey.get(key)?.listening ?? false,
    /** The key of a call; undefined for one that is not known. */
    keyOf: (callId: string) => keys.get(callId),
    /** All calls, as they are now. */
    replace(records: readonly CallView[]) {
      const known = new Set(records.map(({ id }) => id))
      for (const [id, key] of keys) {
        if (known.has(id)) continue
        keys.delete(id)
        byKey.delete(key)
        summaries.delete(key)
      }
      for (const record of records) put(record).call.listening = record.listening === true
    },
    /** Undefined for a call that is not known. */
    observe(observation: CallObservation): CallChange | undefined {
      if (observation.kind === 'status') {
        const { call, places } = put(observation.record)
        if (observation.status === 'finished') call.listening = false
        return { key: call.detail.key, places, whole: dropDraft(call) }
      }
      const key = keys.get(observation.callId)
      const call = byKey.get(key ?? -1)
      if (key === undefined || call === undefined) return undefined
      const change = { key, ...happened(call, observation) }
      summaries.set(key, summaryOf(call.record, call.detail))
      return change
    },
    /** The calls in whose id, numbers, names or texts all words of a query stand, in any case. */
    find(query: string) {
      const matches = matcher(query)
      return [...byKey].flatMap(([key, call]) => (matches(...textsOf(call)) ? [key] : []))
    },
  }
}

interface KnownCall {
  record: CallView
  readonly detail: SelectedCall
  works: CallWork[]
  /** The assistant's words that are being made; they stand at the end of the transcript. */
  draft: string
  listening: boolean
}

function newCall(key: number, record: CallView): KnownCall {
  return { record, detail: emptyCall(key), works: [], draft: '', listening: false }
}

/** The places of messages that are new. A record carries them from its end on; until then they come one by one. */
function takeRecord(call: KnownCall, record: CallView): number[] {
  const { detail } = call
  call.record = record
  detail.statuses = statusesOf(record)
  detail.facts = factsOf(record, detail)
  detail.analysis = record.analysis
  const { messages, toolCalls, failures } = record
  if (toolCalls !== undefined || failures !== undefined) call.works = worksOf(record)
  if (messages === undefined || messages.length < detail.messages.length - (call.draft === '' ? 0 : 1))
    return []
  call.draft = ''
  detail.messages = messages.map(toPageMessage)
  return messages.map((_, place) => place)
}

function happened(
  call: KnownCall,
  observation: Exclude<CallObservation, { kind: 'status' }>,
): Omit<CallChange, 'key'> {
  const { messages } = call.detail
  const last = messages.length - 1
  switch (observation.kind) {
    case 'draft': {
      const place = call.draft === '' ? last + 1 : last
      call.draft += observation.text
      messages[place] = toPageMessage({ messageId: '', role: 'assistant', text: call.draft }, place)
      return { places: [place], whole: false }
    }
    case 'message': {
      call.listening = false
      const known = messages.findIndex(({ messageId }) => messageId === observation.messageId)
      // Of what stands at the end as a draft this is the end, or the caller's words come before it is said.
      const place = known !== -1 ? known : call.draft === '' ? last + 1 : last
      call.draft = ''
      messages[place] = toPageMessage(observation, place)
      return { places: [place], whole: false }
    }
    case 'listening':
      call.listening = true
      return { places: [], whole: dropDraft(call) }
    case 'tool-started': {
      const { run } = observation
      putWork(call, { title: run.name, state: 'running', value: run })
      return nothingSaid
    }
    case 'tool-ended': {
      const { result } = observation
      const place = call.works.findIndex(({ value }) => isObject(value) && value.id === result.id)
      const work = { title: result.name, state: toolStateOf(result), value: result }
      putWork(call, work, place === -1 ? undefined : place)
      return nothingSaid
    }
    case 'failure': {
      const { part, message } = observation
      putWork(call, { title: part, state: 'failed', value: message })
      return nothingSaid
    }
    default:
      return nothingSaid
  }
}

function putWork({ works }: KnownCall, work: Omit<CallWork, 'number'>, place = works.length): void {
  works[place] = { number: place + 1, ...work }
}

const nothingSaid = { places: [], whole: false }

/** Whether there was one. */
function dropDraft(call: KnownCall): boolean {
  if (call.draft === '') return false
  call.draft = ''
  call.detail.messages.pop()
  return true
}

function textsOf({ record, detail }: KnownCall): string[] {
  const { assistantNumber, userNumber } = numbersOf(record)
  const facts = [record.id, record.customer.name ?? '', assistantNumber, userNumber, record.assistantId ?? '']
  return [...facts, ...detail.messages.map(({ text }) => text)]
}
