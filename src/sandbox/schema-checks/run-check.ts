import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startTimer, systemClock } from '../../lib/clock.ts'
import { hashOf } from '../../lib/hash.ts'
import { isBounded } from './bounded-schema.ts'
import type { Answers, CheckedArguments, Questions } from './checks.ts'
import type { CheckRequest } from './worker.ts'

const maxCheckMs = 1000
const maxSlowSchemas = 1000
const maxKnownAnswers = 1000

let running: Promise<Worker> | undefined
let lastAnswer: Promise<unknown> = Promise.resolve()
const slowSchemas = new Set<string>()
/** Cached results: a check takes a hundred times as long, and calls of one run repeat the same checks. */
const knownAnswers: { readonly [Name in keyof Answers]: Map<string, Answers[Name]> } = {
  data: new Map(),
  arguments: new Map(),
}

/**
 * Validates values with a schema written by an assistant's author. Most schemas are checked on this thread. A schema with patterns or
 * references may take forever, so it is checked in a worker thread, started on first use, one check at a time. A check that takes
 * longer than a second terminates the worker and returns undefined, as does every later check with that schema. Never rejects because
 * of a schema.
 */
export async function runCheck<Name extends keyof Questions>(
  check: Name,
  question: Questions[Name],
): Promise<Answers[Name] | undefined> {
  const known = knownAnswers[check]
  const key = hashOf(JSON.stringify([question.schema, question.values]))
  const before = known.get(key)
  if (before !== undefined) return before
  const answer = isBounded(question.schema, question.values)
    ? (await import('./checks.ts')).checks[check](question)
    : await askInTurn({ check, question })
  if (known.size >= maxKnownAnswers) known.clear()
  if (answer !== undefined) known.set(key, answer)
  return answer
}

/** Whether arguments pass a tool's function.parameters. */
export async function checkArguments(
  schema: Questions['arguments']['schema'],
  values: unknown,
): Promise<CheckedArguments> {
  const checked = await runCheck('arguments', { schema, values })
  return checked ?? { unusable: 'take longer than a second to check' }
}

function askInTurn<Name extends keyof Questions>(
  request: CheckRequest<Name>,
): Promise<Answers[Name] | undefined> {
  const asking = lastAnswer.then(() => askWorker(request))
  lastAnswer = asking.catch(() => undefined)
  return asking
}

async function askWorker<Name extends keyof Questions>(
  request: CheckRequest<Name>,
): Promise<Answers[Name] | undefined> {
  const schema = hashOf(JSON.stringify(request.question.schema) ?? '')
  if (slowSchemas.has(schema)) return undefined
  running ??= start()
  const worker = await running
  const answer = await answerInTime<Answers[Name]>(worker, request)
  if (answer === undefined) {
    running = undefined
    if (slowSchemas.size >= maxSlowSchemas) slowSchemas.clear()
    slowSchemas.add(schema)
    await worker.terminate()
  }
  return answer
}

async function start(): Promise<Worker> {
  const { default: program } = await import('./worker.ts?worker')
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(program, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 256 } })
  await once(worker, 'message')
  // It may fail only while it is asked; answerInTime hears of that.
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}

/** Undefined: the worker gave none within the time, or broke. */
function answerInTime<Found>(worker: Worker, asked: object): Promise<Found | undefined> {
  return new Promise(resolve => {
    const settle = (answer?: Found) => {
      cancel()
      worker.off('message', settle)
      worker.off('exit', giveUp)
      worker.unref()
      resolve(answer)
    }
    const giveUp = () => settle()
    // Real time: a schema that never ends does so however fast the sandbox's clock goes.
    const cancel = startTimer(maxCheckMs, giveUp, systemClock)
    worker.ref()
    worker.once('message', settle)
    worker.once('exit', giveUp)
    worker.postMessage(asked)
  })
}
