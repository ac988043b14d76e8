import type { CallerTurn } from '../../../src/files/formats/caller-script.ts'
import { advanceCall } from '../../../src/sandbox/engine/call-engine.ts'
import type { CallPlan } from '../../../src/sandbox/engine/call-state.ts'
import {
  type CallEffect,
  type CallEvent,
  type CallState,
  newCall,
} from '../../../src/sandbox/engine/call-state.ts'
import { answeredPhone } from '../../../src/sandbox/engine/phone-outcome.ts'

/** A plain call: a welcome, nothing else; a test says what is different. */
export const plainPlan: CallPlan = {
  callId: 'CC-1',
  phone: answeredPhone,
  welcome: { message: 'Welcome.', callerFirst: false, interruptible: false },
  script: [],
  turnTaking: {
    typed: false,
    wait: { always: 0, afterPunctuation: 0, afterNumber: 0, afterOther: 0 },
    bargeIn: { words: 0, voice: 200 },
    acknowledgement: undefined,
  },
  endCall: undefined,
  idle: { after: 30_000, most: undefined, message: 'Are you still there?' },
  maxDuration: 120 * 60_000,
  keysHeard: false,
}

export const plan = (changes: Partial<CallPlan>): CallPlan => ({ ...plainPlan, ...changes })

export const turnTaking = (changes: Partial<CallPlan['turnTaking']>) => ({
  ...plainPlan.turnTaking,
  ...changes,
})

/** Takes five seconds to say. */
export const long = 'We are open from Monday to Friday, and on Saturday until one in the afternoon.'

/** A line of the caller from outside. */
export const user = (at: number, text: string) => ({
  at,
  event: { type: 'say', role: 'user', text } as const,
})

export const say = (text: string): CallerTurn => ({ type: 'say', text })

export interface Taken {
  readonly at: number
  readonly event: CallEvent
  readonly state: CallState
  readonly effects: readonly CallEffect[]
}

interface Play {
  /** Messages from outside with their times. */
  readonly outside?: readonly { readonly at: number; readonly event: CallEvent }[]
  /** The reply to the caller's lines, and how many milliseconds each part takes; default: `re: <line>` at once. */
  readonly reply?: (lines: readonly string[]) => {
    readonly parts: readonly string[]
    readonly each?: number
    readonly ending?: Extract<CallEvent, { type: 'replied' }>['ending']
  }
}

const standardReply: NonNullable<Play['reply']> = lines => ({ parts: lines.map(line => `re: ${line}`) })

/** Carries out effects by the time of the call, as the runner does, and gives every step taken. */
export function play(plan: CallPlan, { outside = [], reply = standardReply }: Play = {}): Taken[] {
  const due: { at: number; event: CallEvent }[] = [{ at: 0, event: { type: 'placed' } }, ...outside]
  const steps: Taken[] = []
  let state = newCall
  while (due.length > 0) {
    const first = due.reduce((best, { at }, index) => (at < (due[best]?.at ?? 0) ? index : best), 0)
    const [next] = due.splice(first, 1)
    if (next === undefined) break
    const { event, at } = next
    const step = advanceCall(plan, state, event, at)
    steps.push({ at, event, ...step })
    state = step.state
    for (const effect of step.effects) {
      if (effect.type === 'after') due.push({ at: at + effect.milliseconds, event: effect.event })
      if (effect.type !== 'think') continue
      const { turn } = effect
      const { parts, each = 0, ending } = reply(effect.lines)
      parts.forEach((text, index) => {
        const when = at + each * (index + 1)
        due.push({ at: when, event: { type: 'drafted', turn, text } })
        due.push({ at: when, event: { type: 'made', turn, text } })
      })
      due.push({ at: at + each * parts.length, event: { type: 'replied', turn, answered: true, ending } })
    }
  }
  return steps
}

export function ended(steps: readonly Taken[]): CallState {
  const last = steps.at(-1)?.state
  if (last === undefined) throw new Error('nothing happened')
  return last
}

/** `role: text` of every message; `…` where it was cut short. */
export function transcript(state: CallState): string[] {
  return state.messages.map(
    ({ role, text, interrupted }) => `${role}: ${text}${interrupted === true ? '…' : ''}`,
  )
}
