import {
  type CallerTurn,
  commandOf,
  createIds,
  defaultStart,
  openWorld,
  Problem,
  placeCheckedCall,
  type StoredCall,
  type World,
} from '../../sandbox/index.ts'
import type { AttemptModels } from '../attempt-models.ts'
import type { TestCase } from '../test-case.ts'
import { toolAnswersOf } from './answer-tools.ts'
import type { CallObserver } from './observe-call.ts'
import { sameEverywhere, type Template } from './open-templates.ts'
import type { NextTurn, RunOptions } from './run-options.ts'
import { withIds } from './with-ids.ts'

/** Reserved for examples: no person has them. */
export const numbers = { assistantNumber: '+12025550100', userNumber: '+12025550123' }

interface CallParts extends Pick<RunOptions, 'clock' | 'signal'> {
  readonly template: Template
  readonly models: Pick<AttemptModels, 'modelFor'>
  readonly observer: CallObserver
  /** Speaks in place of the test's lines. */
  readonly nextTurn: NextTurn | undefined
  /** The caller does this next. */
  onTurn(turn: CallerTurn): void
}

/**
 * Holds the call of a test in a world of its own.
 * @returns its record when it is over
 * @throws Problem for what the service refuses, the signal's reason when it aborts; then nothing of the call goes on
 */
export async function holdCall(test: TestCase, parts: CallParts): Promise<StoredCall> {
  const { template, models, observer, clock, signal } = parts
  signal.throwIfAborted()
  let end: (record: StoredCall) => void = () => {}
  const ended = new Promise<StoredCall>(resolve => {
    end = resolve
  })
  const world = await openWorld({
    ...sameEverywhere,
    clock,
    records: template.world,
    vocabulary: template.world.vocabulary,
    newId: createIds({ seed: 0, taken: () => false }),
    startsAt: startTimeOf(test),
    caller: parts.nextTurn === undefined ? 'script' : 'live',
    modelFor: models.modelFor,
    answerTool: toolAnswersOf(test),
    sendsWebhooks: false,
    trace: observer.trace,
    observe(observation) {
      if (observation.kind === 'status' && observation.status === 'finished') end(observation.record)
      else if (observation.kind === 'listening') void takeFloor(observation.callId)
    },
  })
  const takeFloor = async (callId: string) => {
    const turn = await nextTurnOf(test, parts)
    if (signal.aborted) return
    parts.onTurn(turn)
    control(world, callId, turn)
  }
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    await placeCheckedCall(world, bodyOf(test, template))
    return await Promise.race([ended, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
    // What goes on in it ends where it is.
    if (signal.aborted) await world.reset()
    await world.close()
  }
}

/** When the call is placed: milliseconds since the epoch. */
export function startTimeOf({ at = defaultStart }: TestCase): number {
  return at
}

/** Create call (interface.md 4.1). The caller's lines are a script in its metadata, beside the test's own. */
function bodyOf({ assistant, variables, overrides, metadata, caller, turns }: TestCase, { ids }: Template) {
  const lines = turns.flatMap(turn => (turn.caller === undefined ? [] : [turn.caller.line]))
  const { caller: _, ...own } = metadata ?? {}
  return {
    ...numbers,
    ...('name' in assistant
      ? { assistantId: ids.get(`assistant/${assistant.name}`) ?? assistant.name }
      : { assistant: withIds(assistant.inline, ids) }),
    assistantOverrides: withIds({ ...overrides, dynamicVariables: variables }, ids),
    metadata: caller === undefined ? { ...own, caller: lines } : own,
  }
}

async function nextTurnOf(
  { caller }: TestCase,
  { observer, nextTurn, signal }: CallParts,
): Promise<CallerTurn> {
  if (nextTurn === undefined || observer.turn() >= (caller?.turns ?? 0)) return { type: 'hang-up' }
  return nextTurn(observer.heard(), signal)
}

function control(world: World, callId: string, turn: CallerTurn): void {
  try {
    world.calls.intervene(callId, commandOf(turn))
  } catch (error) {
    // It was over before the caller had thought of anything to say.
    if (!(error instanceof Problem)) throw error
  }
}
