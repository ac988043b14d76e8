import type { WebhookStatus } from '../../interface/words.ts'
import { createDeferred } from '../../lib/queue.ts'
import type { WorldClock } from '../clock/world-clock.ts'
import { advanceCall } from '../engine/call-engine.ts'
import {
  type CallEffect,
  type CallEvent,
  type CallPlan,
  type CallState,
  type ControlCommand,
  type Message,
  newCall,
} from '../engine/call-state.ts'
import type { HistoryItem, ReplyEvent, Responder } from '../engine/reply.ts'
import type { ToolOutcome } from '../tools/call-tool.ts'
import type { CallStep } from './call-trace.ts'

/** Effects of the engine on the world. */
export interface CallDeps {
  readonly time: WorldClock
  /** When the call is placed: milliseconds since the epoch. */
  readonly placedAt: number
  readonly respond: Responder
  statusChanged(status: WebhookStatus, state: CallState): void
  conversationGrew(message: Message): void
  /** Reports progress: drafts, running tools, a free floor, failures. */
  onEvent(event: Exclude<ReplyEvent, { kind: 'message' | 'ending' }> | { readonly kind: 'listening' }): void
  /** The engine took an event, at this time of the call; what follows from it comes after. */
  stepped(step: CallStep): void
  warned(message: string): void
  /** Called if a responder throws, which is a bug; the call continues with an apology. */
  failed(error: unknown): void
  /** The call is over; tools may still run. */
  over(): void
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
  let reply: AbortController | undefined
  let release: (() => void) | undefined
  let isEnding = false
  let isDropped = false

  const dispatch = (event: CallEvent) => {
    if (isDropped) return
    const before = state
    const at = time.now()
    const step = advanceCall(plan, before, event, at)
    state = step.state
    deps.stepped({ before, event, after: state, at })
    for (const effect of step.effects) executeEffect(effect)
    if (state.phase !== 'finished' || isEnding) return
    isEnding = true
    time.track(finish().catch(broke))
    time.stop()
  }
  /** The caller keeps speaking while a reply is made, and may stop it. */
  const isOfCaller = (event: CallEvent) =>
    event.type === 'barge-in' || (event.type === 'spoken' && event.id === state.caller?.id)
  const enqueue = (event: CallEvent) => time.enqueue(() => dispatch(event))

  const executeEffect = (effect: CallEffect) => {
    switch (effect.type) {
      case 'status':
        // The last status follows with the analysis, when the tools have ended.
        if (effect.status !== 'finished') deps.statusChanged(effect.status, state)
        break
      case 'conversation':
        history.push({ type: 'said', role: effect.message.role, text: effect.message.text })
        deps.conversationGrew(effect.message)
        break
      case 'after':
        time.at(time.now() + effect.milliseconds, () => dispatch(effect.event), isOfCaller(effect.event))
        break
      case 'think': {
        reply = new AbortController()
        replies = makeReply(effect, reply.signal, replies)
        time.track(replies)
        break
      }
      case 'cancel':
        reply?.abort(notNeeded)
        break
      case 'draft':
        deps.onEvent({ kind: 'draft', text: effect.text })
        break
      case 'listen':
        release ??= time.hold()
        deps.onEvent({ kind: 'listening' })
        break
      case 'warning':
        deps.warned(effect.message)
    }
  }
  /** One after another: a tool that still runs for a reply that was given up has ended before the next one asks again. */
  const makeReply = async (
    { turn, lines }: Extract<CallEffect, { type: 'think' }>,
    signal: AbortSignal,
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
    if (!signal.aborted) {
      await deps.respond({ history, unanswered: lines, signal }, emit).catch(error => {
        deps.failed(error)
        emit({ kind: 'message', text: apology })
      })
    }
    replying -= 1
    enqueue({ type: 'replied', turn, answered: hasAnswer, ending })
  }
  const finish = async () => {
    deps.over()
    await replies
    await Promise.all(works)
    if (!isDropped) await deps.ended(state)
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
    /** Ends the call immediately: nothing else is spoken or sent, and its record does not change. */
    drop() {
      isEnding = true
      isDropped = true
      reply?.abort(notNeeded)
      time.stop()
      deps.over()
      end()
    },
    time,
    ended,
  }
}

/** Without a reason every abort makes an error with a stack. */
const notNeeded = new Error('the reply is not needed any more')

const apology = 'I am sorry, something went wrong. Could you say that again?'
