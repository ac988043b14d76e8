import fc from 'fast-check'
import type { BatchFile } from '../../../src/files/formats/batch.ts'
import type { ScriptedCall } from './scripted-call.ts'

export const callbackField = 'structuredData.callbackAt'

interface Rules {
  readonly retry: NonNullable<BatchFile['retry']>
  readonly callbacks: number
}

/** Slow and simple: one person, one call after the other. Returns the index of the script's call for each call, and why it is placed. */
export function expectedCalls(script: readonly ScriptedCall[], { retry, callbacks }: Rules): string[] {
  const kinds = ['first']
  for (;;) {
    const call = script[Math.min(kinds.length, script.length) - 1]
    if (call === undefined || call.says !== undefined) return kinds
    const done = kinds.filter(kind => kind === 'callback').length
    const wantsCall = call.analysis !== undefined && done < callbacks
    const isRetried = (retry.on ?? ['no-answer', 'busy']).some(outcome => outcome === call.outcome)
    const wasCallback = kinds.at(-1) === 'callback'
    if (wantsCall || (isRetried && wasCallback && done < callbacks)) kinds.push('callback')
    else if (isRetried && !wasCallback && kinds.length - done < retry.attempts) kinds.push('retry')
    else return kinds
  }
}

export const scriptedCall = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<ScriptedCall>(...calls('no-answer', 'busy')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<ScriptedCall>(
      ...calls('answered', 'voicemail', 'failed', 'unclear', 'forwarded'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<ScriptedCall>({ outcome: 'answered', says: 'Take me off your list!' }),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 0, max: 4 }).map(
      (days): ScriptedCall => ({
        outcome: 'answered',
        analysis: { structuredData: { callbackAt: `+${days} days` } },
      }),
    ),
  },
)

function calls(...outcomes: ScriptedCall['outcome'][]): ScriptedCall[] {
  return outcomes.map((outcome, index) => ({ outcome, seconds: 20 + 70 * index }))
}
