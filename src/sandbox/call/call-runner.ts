import type { Clock } from '../../context.ts'
import type { WebhookStatus } from '../../interface/words.ts'
import type { Responder } from '../reply/responder.ts'
import type { Behaviour } from './behaviour.ts'
import { advance, type CallEffect, type CallEvent, type CallState, newCall } from './call-engine.ts'
import { createCallTime } from './call-time.ts'

/** What the engine's effects do to the world. */
export interface CallWorld {
  readonly clock: Clock
  /** How many times faster than real time; 0 does not wait at all. */
  readonly pace: number
  readonly respond: Responder
  statusChanged(status: WebhookStatus, state: CallState): void
  conversationGrew(state: CallState): void
  failed(error: unknown): void
}

/** Something from outside that happens to a call, now. */
export type CallIntervention =
  | { readonly type: 'say'; readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly type: 'hang-up'; readonly by: 'control' | 'system' }

export interface RunningCall {
  readonly state: CallState
  /** Taken up at once; whether it changes anything is the engine's affair. */
  intervene(event: CallIntervention): void
  readonly ended: Promise<void>
}

/**
 * Runs one call from `queued` to its end: hands events to the engine in the order of the call's time, and carries out
 * what follows. With pace 0 the time of the call jumps from event to event.
 */
export function runCall({ plan, knowledgeBaseIds }: Behaviour, world: CallWorld): RunningCall {
  const time = createCallTime(world)
  let state = newCall

  const dispatch = (event: CallEvent) => {
    const step = advance(plan, state, event, time.now())
    state = step.state
    for (const effect of step.effects) carryOut(effect)
  }
  const carryOut = (effect: CallEffect) => {
    if (effect.type === 'status') world.statusChanged(effect.status, state)
    else if (effect.type === 'conversation') world.conversationGrew(state)
    else if (effect.type === 'after') {
      time.at(time.now() + effect.milliseconds, () => dispatch({ type: effect.event }))
    } else time.during(reply(effect.text))
  }
  const reply = async (text: string) => {
    const { texts, answered } = await world.respond({ text, knowledgeBaseIds }).catch(error => {
      world.failed(error)
      return apology
    })
    time.soon(() => dispatch({ type: 'reply', texts, answered }))
  }
  const run = async () => {
    dispatch({ type: 'placed' })
    while (state.phase !== 'finished') (await time.next())()
    time.stop()
  }
  return {
    get state() {
      return state
    },
    intervene: event => time.soon(() => dispatch(event)),
    ended: run(),
  }
}

const apology = { texts: ['I am sorry, something went wrong. Could you say that again?'], answered: false }
