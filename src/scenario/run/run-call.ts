import type { CallerTurn } from '../../files/formats/caller-script.ts'
import type { StoredCall } from '../../files/formats/control-api.ts'
import type { ResourceReference } from '../../files/source/index.ts'
import { createIds } from '../../lib/deterministic.ts'
import { createCounter } from '../../lib/text/count.ts'
import {
  defaultStart,
  openWorld,
  Problem,
  placeCheckedCall,
  type World,
  type WorldOptions,
} from '../../sandbox/index.ts'
import { replaceReferences } from '../reference-mark.ts'
import type { TestCase } from '../test-case.ts'
import type { SpokenMessage } from '../verdict.ts'
import type { CallObserver } from './observe-call.ts'
import type { AttemptModels, RunOptions } from './run-options.ts'

/** A world with the resources of a project. The worlds of its tests start with copies of its records. */
export interface WorldTemplate {
  readonly world: World
  /** Ids by address. */
  readonly ids: ReadonlyMap<string, string>
}

/** Opens a world for a project, or an empty one. @throws errors of opening and applying the project */
export async function openTemplate(
  folder: string | undefined,
  { openProject, clock }: RunOptions,
): Promise<WorldTemplate> {
  const project = folder === undefined ? undefined : await openProject(folder)
  const world = await openWorld({
    ...deterministicOptions,
    clock,
    vocabulary: project?.vocabulary,
    serviceVariables: project?.serviceVariables,
  })
  try {
    return { world, ids: (await project?.applyTo(world)) ?? new Map() }
  } catch (error) {
    await world.close()
    throw error
  }
}

/** Options that keep worlds independent of the machine. The address leads nowhere. */
const deterministicOptions = { pace: 0, seed: 0, baseUrl: () => 'https://example.com' } as const

export const exampleNumbers = { assistantNumber: '+12025550100', userNumber: '+12025550123' }

interface CallParts extends RunOptions {
  readonly template: WorldTemplate
  readonly models: AttemptModels
  readonly observer: CallObserver
  /** Returns the next turn of a simulated caller; undefined if the test scripts its lines. */
  readonly nextTurn: ((heard: readonly SpokenMessage[]) => Promise<CallerTurn>) | undefined
}

/**
 * Runs the call of a test in its own world and returns the final record.
 * @throws Problem if the service rejects the call; the signal's reason on abort, after cancelling the call
 */
export async function runTestCall(test: TestCase, parts: CallParts): Promise<StoredCall> {
  const { template, models, observer, nextTurn, clock, signal } = parts
  signal.throwIfAborted()
  let end: (record: StoredCall) => void = () => {}
  let abort = () => {}
  const ended = new Promise<StoredCall>((resolve, reject) => {
    end = resolve
    abort = () => reject(signal.reason)
  })
  const world = await openWorld({
    ...deterministicOptions,
    clock,
    records: template.world,
    vocabulary: template.world.vocabulary,
    serviceVariables: template.world.serviceVariables,
    newId: createIds({ seed: 0, isTaken: () => false }),
    startsAt: getStartTime(test),
    caller: nextTurn === undefined ? 'script' : 'live',
    modelFor: models.modelFor,
    answerTool: createToolResults(test),
    sendsWebhooks: false,
    trace: observer.trace,
    observe(observation) {
      if (observation.kind === 'status' && observation.status === 'finished') end(observation.record)
      else if (observation.kind === 'listening') void speakNext(observation.callId)
    },
  })
  const speakNext = async (callId: string) => {
    const isOver = nextTurn === undefined || observer.turn() >= (test.caller?.turns ?? 0)
    const turn: CallerTurn = await (isOver ? { type: 'hang-up' } : nextTurn(observer.heard()))
    if (signal.aborted) return
    observer.addCallerTurn(turn)
    try {
      world.calls.act(callId, turn)
    } catch (error) {
      // The call may end while the caller's model is thinking.
      if (!(error instanceof Problem)) throw error
    }
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    const [record] = await Promise.all([ended, placeCheckedCall(world, buildCallBody(test, template))])
    return record
  } finally {
    signal.removeEventListener('abort', abort)
    // Cancels the call.
    if (signal.aborted) await world.reset()
    await world.close()
  }
}

/** Returns the start of the call in milliseconds since the epoch. */
export function getStartTime({ at = defaultStart }: TestCase): number {
  return at
}

/** Builds the Create call body (interface.md 4.1). Scripted caller lines go into the metadata, next to the test's own. */
function buildCallBody(
  { assistant, variables, overrides, metadata, caller, turns }: TestCase,
  { ids }: WorldTemplate,
) {
  const lines = turns.flatMap(turn => (turn.caller === undefined ? [] : [turn.caller.line]))
  const { caller: _, ...own } = metadata ?? {}
  const idOf = ({ kind, name }: ResourceReference) => ids.get(`${kind}/${name}`) ?? `\${${kind}:${name}}`
  return {
    ...exampleNumbers,
    ...('name' in assistant
      ? { assistantId: ids.get(`assistant/${assistant.name}`) ?? assistant.name }
      : { assistant: replaceReferences(assistant.inline, idOf) }),
    assistantOverrides: replaceReferences({ ...overrides, dynamicVariables: variables }, idOf),
    metadata: caller === undefined ? { ...own, caller: lines } : own,
  }
}

/** Returns canned results in order, repeating the last one. Tools without results are simulated. */
function createToolResults({ tools }: TestCase): NonNullable<WorldOptions['answerTool']> {
  const countUse = createCounter()
  return ({ name }) => {
    const results = Object.hasOwn(tools, name) ? (tools[name] ?? []) : []
    return results[Math.min(countUse(name), results.length) - 1] ?? simulatedResult
  }
}

const simulatedResult = { kind: 'simulated', reason: 'the test has no response for it', after: 0 } as const
