import type { CallerTurn } from '../../interface/caller-script.ts'
import type { StoredCall } from '../../interface/control-api.ts'
import { createIds } from '../../lib/deterministic.ts'
import { mapTexts } from '../../lib/json.ts'
import { createCounter } from '../../lib/text/count.ts'
import {
  defaultStart,
  openWorld,
  Problem,
  placeCheckedCall,
  type World,
  type WorldOptions,
} from '../../sandbox/index.ts'
import { parseTemplate } from '../../source/index.ts'
import type { TestCase } from '../test-case.ts'
import type { SaidMessage } from '../verdict.ts'
import type { CallObserver } from './observe-call.ts'
import type { AttemptModels, RunOptions } from './run-options.ts'

/** A world that holds the resources of a project; the worlds of its tests begin with its records. */
export interface Template {
  readonly world: World
  /** Ids by address. */
  readonly ids: ReadonlyMap<string, string>
}

/** Undefined: of no project. @throws what opening and applying a project throw */
export async function openTemplate(
  folder: string | undefined,
  { openProject, clock }: Pick<RunOptions, 'openProject' | 'clock'>,
): Promise<Template> {
  const project = folder === undefined ? undefined : await openProject(folder)
  const world = await openWorld({ ...sameEverywhere, clock, vocabulary: project?.vocabulary })
  try {
    return { world, ids: (await project?.applyTo(world)) ?? new Map() }
  } catch (error) {
    await world.close()
    throw error
  }
}

/** What every world of a test run has: nothing of the machine, and no address that leads anywhere. */
const sameEverywhere = { pace: 0, seed: 0, baseUrl: () => 'https://example.com' } as const

/** Reserved for examples: no person has them. */
export const numbers = { assistantNumber: '+12025550100', userNumber: '+12025550123' }

interface CallParts extends Pick<RunOptions, 'clock' | 'signal'> {
  readonly template: Template
  readonly models: Pick<AttemptModels, 'modelFor'>
  readonly observer: CallObserver
  /** Speaks in place of the test's lines, having heard this. */
  readonly nextTurn: ((heard: readonly SaidMessage[]) => Promise<CallerTurn>) | undefined
}

/**
 * Holds the call of a test in a world of its own.
 * @returns its record when it is over
 * @throws Problem for what the service refuses, the signal's reason when it aborts; then nothing of the call goes on
 */
export async function holdCall(test: TestCase, parts: CallParts): Promise<StoredCall> {
  const { template, models, observer, nextTurn, clock, signal } = parts
  signal.throwIfAborted()
  let end: (record: StoredCall) => void = () => {}
  let giveUp = () => {}
  const ended = new Promise<StoredCall>((resolve, reject) => {
    end = resolve
    giveUp = () => reject(signal.reason)
  })
  const world = await openWorld({
    ...sameEverywhere,
    clock,
    records: template.world,
    vocabulary: template.world.vocabulary,
    newId: createIds({ seed: 0, taken: () => false }),
    startsAt: startTimeOf(test),
    caller: nextTurn === undefined ? 'script' : 'live',
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
    const isOver = nextTurn === undefined || observer.turn() >= (test.caller?.turns ?? 0)
    const turn: CallerTurn = await (isOver ? { type: 'hang-up' } : nextTurn(observer.heard()))
    if (signal.aborted) return
    observer.callerDoes(turn)
    try {
      world.calls.act(callId, turn)
    } catch (error) {
      // It was over before the caller had thought of anything to say.
      if (!(error instanceof Problem)) throw error
    }
  }
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const [record] = await Promise.all([ended, placeCheckedCall(world, bodyOf(test, template))])
    return record
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

/** A value with the ids of a project's resources in place of `${tool:name}` and its like, in all texts. `ids`: by address. */
function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  return mapTexts(value, text => {
    let filled = text
    for (const segment of parseTemplate(text)) {
      if (segment.kind !== 'resource') continue
      const { kind, name } = segment.resource
      filled = filled.replaceAll(segment.written, () => ids.get(`${kind}/${name}`) ?? segment.written)
    }
    return filled
  })
}

/**
 * The answers of one run of a test, one after the other and the last one again and again. A tool without one answers by its
 * arguments: the server of a tool is asked only where the test says so.
 */
function toolAnswersOf({ tools }: TestCase): NonNullable<WorldOptions['answerTool']> {
  const countTime = createCounter()
  return ({ name }) => {
    const answers = Object.hasOwn(tools, name) ? (tools[name] ?? []) : []
    return answers[Math.min(countTime(name), answers.length) - 1] ?? noAnswer
  }
}

const noAnswer = { kind: 'simulated', reason: 'the test gives no answer for it', after: 0 } as const
