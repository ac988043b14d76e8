import type { CallPlan } from './call-plan.ts'
import { andThen, type CallState, type EndedBy, type Step, step } from './call-state.ts'
import { giveUpReply, keepWhatWasSaid } from './speaking.ts'

/** The call is over. Words that were already heard stay said, whoever said them; nothing follows. */
export function end(plan: CallPlan, state: CallState, endedBy: EndedBy, at: number): Step {
  return andThen(keepWhatWasSaid(plan, state, at), kept =>
    andThen(giveUpReply(kept), quiet =>
      step(
        {
          ...quiet,
          phase: 'finished',
          assistantNext: [],
          callerNext: [],
          waiting: undefined,
          silent: false,
          endedBy,
          endedAt: at,
          forwardedTo: endedBy === 'assistant' ? quiet.closing?.forwardTo : undefined,
        },
        { type: 'status', status: 'finished' },
      ),
    ),
  )
}
