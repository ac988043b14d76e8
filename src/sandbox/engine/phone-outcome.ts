import type { PhoneOutcome } from '../../interface/phone-number.ts'
import { speechTime } from '../../lib/text/speech-time.ts'
import type { CallPlan, PhonePlan } from './call-state.ts'

/** Number of an assistant whose own is not known: reserved for examples, so that no person has it. */
export const exampleNumber = '+12025550100'

/** Numbers for tests: no person has them. One outcome for each call to the number, one after the other; the last one stays. */
export const testNumbers: readonly { readonly number: string; readonly outcomes: readonly PhoneOutcome[] }[] =
  [
    { number: '+12025550181', outcomes: ['busy'] },
    { number: '+12025550182', outcomes: ['no-answer'] },
    { number: '+12025550183', outcomes: ['voicemail'] },
    { number: '+12025550184', outcomes: ['unreachable'] },
    { number: '+12025550185', outcomes: ['no-answer', 'answered'] },
    { number: '+12025550186', outcomes: ['hang-up'] },
    { number: '+12025550187', outcomes: ['dropped'] },
    { number: '+12025550188', outcomes: ['silent'] },
  ]

export const answeredPhone: PhonePlan = { rings: 1000, unanswered: undefined, greeting: '', cut: undefined }

const noAnswerMs = 30_000
const greeting = 'The person you are calling cannot take your call. Please leave a message after the tone.'
/** The machine hangs up after so much silence. */
const recordingSilenceMs = 10_000
const dropMs = 10_000
/** Delay before hanging up if there is no welcome to interrupt. */
const hangUpMs = 1000

/** The plan of a call to a phone with this outcome. A machine and a caller who is silent take no lines of a script. */
export function withOutcome(plan: CallPlan, outcome: PhoneOutcome): CallPlan {
  const { welcome, script, maxDuration } = plan
  const phone = answeredPhone
  switch (outcome) {
    case 'answered':
      return plan
    case 'busy':
      return { ...plan, phone: { ...phone, unanswered: 'busy' } }
    case 'no-answer':
      return { ...plan, phone: { ...phone, rings: noAnswerMs, unanswered: 'no-answer' } }
    case 'unreachable':
      return { ...plan, phone: { ...phone, unanswered: 'failed' } }
    case 'voicemail':
      return {
        ...plan,
        phone: { ...phone, greeting },
        script: [{ type: 'silence', milliseconds: recordingSilenceMs }],
      }
    case 'hang-up': {
      const takes = welcome.callerFirst ? 0 : speechTime(welcome.message.trim())
      const after = welcome.message.trim() === '' || takes === 0 ? hangUpMs : Math.round(takes / 2)
      return { ...plan, phone: { ...phone, cut: { after, by: 'user' } } }
    }
    case 'dropped':
      return {
        ...plan,
        phone: { ...phone, cut: { after: dropMs, by: 'system' } },
        // A caller who has said all waits for it.
        ...(script === undefined ? {} : { script: [...script, { type: 'silence', milliseconds: dropMs }] }),
      }
    case 'silent':
      return { ...plan, script: [{ type: 'silence', milliseconds: maxDuration }] }
  }
}

/** Returns the outcome after this number of earlier calls to the phone: outcomes in order, the last one repeated. */
export function outcomeAfter(outcomes: readonly PhoneOutcome[], earlierCalls: number): PhoneOutcome {
  return outcomes[Math.min(earlierCalls, outcomes.length - 1)] ?? 'answered'
}
