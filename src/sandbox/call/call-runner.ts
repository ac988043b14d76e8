import { getErrorReason } from '../../lib/error.ts'
import { followSignal } from '../../lib/follow-signal.ts'
import { createDeferred } from '../../lib/queue.ts'
import type { WorldClock } from '../clock/world-clock.ts'
import { advanceCall } from '../engine/call-engine.ts'
import {
  type CallEffect,
  type CallEvent,
  type CallPlan,
  type CallState,
  type ControlCommand,
  newCall,
} from '../engine/call-state.ts'
import type { HistoryItem, ReplyEvent, Responder } from '../engine/reply.ts'
import type { ToolOutcome } from '../tools/call-tool.ts'
import type { CallStep } from './call-trace.ts'

export interface CallDeps {
  readonly time: WorldClock
  /** When the call is placed: milliseconds since the epoch. */
  readonly placedAt: number
  readonly respond: Responder
  /** Aborts when nothing more is to happen: a reply that is being made is given up. */
  readonly closed: AbortSignal
  /** Called after the engine took an event: with what both sides did, and its effects on the world. */
  onStep(step: CallStep): void
  /** Reports the progress of a reply: running tools, failures. */
  onEvent(event: Exclude<ReplyEvent, { kind: 'message' | 'ending' }>): void
  /** Called after the call and its tools have ended; resolves when the last status was sent. */
  ended(state: CallState): Promise<void>
  /** A fault of the sandbox itself ended the call; no other call is touched by it. */
  onBreak(error: unknown): void
}

export type RunningCall = ReturnType<typeof runCall>

/**
 * Runs one call from `queued` to its end: hands events to the engine in the order of the call's time, and carries out
 * what follows.
 */
export function runCall(plan: CallPlan, deps: CallDeps) {
  const { promise: ended, resolve: end } = createDeferred()
  const broke = (error: unknown) => {
    isOver = true
    time.stop()
    deps.onBreak(error)
    end()
  }
  const time = deps.time.openCall({ began: deps.placedAt, onBreak: broke })
  const history: HistoryItem[] = []
  let toolsUsed = 0
  const works = new Set<Promise<unknown>>()
  let state = newCall
  let replies: Promise<void> = Promise.resolve()
  let replying = 0
  let reply: ReturnType<typeof followSignal> | undefined
  let release: (() => void) | undefined
  let isOver = false

  const dispatch = (event: CallEvent) => {
    const before = state
    const at = time.now()
    const { state: after, effects } = advanceCall(plan, before, event, at)
    state = after
    for (const effect of effects) executeEffect(effect)
    deps.onStep({ before, event, after, at, effects })
    if (state.phase !== 'finished' || isOver) return
    isOver = true
    time.track(finish().catch(broke))
    time.stop()
  }
  /** The caller keeps speaking while a reply is made, and may stop it. */
  const isOfCaller = (event: CallEvent) =>
    event.type === 'barge-in' || (event.type === 'spoken' && event.id === state.caller?.id)
  const enqueue = (event: CallEvent) => time.enqueue(() => dispatch(event))

  const executeEffect = (effect: CallEffect) => {
    switch (effect.type) {
      case 'conversation':
        history.push({ type: 'said', role: effect.message.role, text: effect.message.text })
        break
      case 'after':
        time.at(time.now() + effect.milliseconds, () => dispatch(effect.event), isOfCaller(effect.event))
        break
      case 'think': {
        reply = followSignal(deps.closed)
        replies = makeReply(effect, reply, replies)
        time.track(replies)
        break
      }
      case 'cancel':
        reply?.abort(notNeeded)
        break
      case 'listen':
        release ??= time.hold()
    }
  }
  /** One after another: a tool that still runs for a reply that was given up has ended before the next one asks again. */
  const makeReply = async (
    { turn, lines }: Extract<CallEffect, { type: 'think' }>,
    controller: ReturnType<typeof followSignal>,
    before: Promise<void>,
  ) => {
    replying += 1
    await (replying > 1 ? time.waitFor(before) : before)
    let hasAnswer = false
    let ending: Extract<CallEvent, { type: 'replied' }>['ending']
    const after = state.messages.length
    const emit = (event: ReplyEvent) => {
      if (event.kind === 'draft') {
        // Only a caller who types reads along.
        if (plan.turnTaking.typed) enqueue({ type: 'drafted', turn, text: event.text })
      } else if (event.kind === 'message') {
        const { text, fallback } = event
        enqueue({ type: 'made', turn, text, fallback })
      } else if (event.kind === 'answered') {
        hasAnswer = true
        deps.onEvent(event)
      } else if (event.kind === 'ending') ending = event.ending
      else {
        // After the words that led to it.
        if (event.kind === 'tool-ended')
          history.splice(after + toolsUsed++, 0, { type: 'tool', ...event.result })
        deps.onEvent(event)
      }
    }
    const { signal } = controller
    if (!signal.aborted) {
      await deps.respond({ history, unanswered: lines, signal }, emit).catch(error => {
        emit({ kind: 'failure', part: 'model', message: `the reply failed: ${getErrorReason(error)}` })
        emit({ kind: 'message', text: apology })
      })
    }
    controller.release()
    replying -= 1
    enqueue({ type: 'replied', turn, answered: hasAnswer, ending })
  }
  const finish = async () => {
    await replies
    await Promise.all(works)
    await deps.ended(state)
    end()
  }
  try {
    dispatch({ type: 'placed' })
  } catch (error) {
    broke(error)
  }
  return {
    get state() {
      return state
    },
    /** Tools may still run. */
    get isOver() {
      return isOver
    },
    /** Taken up at once; whether it changes anything is the engine's affair. */
    control(event: ControlCommand) {
      time.enqueue(() => {
        // Not before: the caller may be given the floor until then.
        release?.()
        release = undefined
        dispatch(event)
      })
    },
    /** The assistant says it when the reply that is being made is complete. */
    sayLater(text: string) {
      void replies.then(() => enqueue({ type: 'say', role: 'assistant', text }))
    },
    /** Work of a tool that the call does not wait for; it is not over before it. */
    workOn(work: Promise<ToolOutcome>) {
      const completion = work.then(() => undefined)
      works.add(completion)
      time.track(completion)
    },
    time,
    ended,
  }
}

/** Without a reason every abort makes an error with a stack. */
const notNeeded = new Error('the reply is not needed any more')

const apology = 'I am sorry, something went wrong. Could you say that again?'
