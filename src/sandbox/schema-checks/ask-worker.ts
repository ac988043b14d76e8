import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { startTimer, systemClock } from '../../lib/clock.ts'
import { hashOf } from '../../lib/hash.ts'
import type { Asked, CheckedArguments, Checks } from './worker.ts'

type Answer<Name extends keyof Checks> = ReturnType<Checks[Name]>
type Question<Name extends keyof Checks> = Asked<Name>['question']

const maxCheckMs = 1000
const maxSlowSchemas = 1000
const maxKnownAnswers = 1000

let running: Promise<Worker> | undefined
let lastAnswer: Promise<unknown> = Promise.resolve()
const slowSchemas = new Set<string>()
/** To ask the thread takes a hundred times as long, and the calls of one run ask the same again and again. */
const knownAnswers: { readonly [Name in keyof Checks]: Map<string, Answer<Name>> } = {
  data: new Map(),
  arguments: new Map(),
}

/**
 * Checks values by a schema that an assistant's author wrote, in a thread of its own: a pattern or a reference may take for ever.
 * The thread is started by the first check, checks one after the other and is ended when a check takes longer than a second;
 * undefined then, and at once for every further check by that schema. Never rejects for what a schema says.
 */
export async function askWorker<Name extends keyof Checks>(
  check: Name,
  question: Question<Name>,
): Promise<Answer<Name> | undefined> {
  const known = knownAnswers[check]
  const key = hashOf(JSON.stringify([question.schema, question.values]))
  const before = known.get(key)
  if (before !== undefined) return before
  const asking = lastAnswer.then(() => ask(check, question))
  lastAnswer = asking.catch(() => undefined)
  const answer = await asking
  if (known.size >= maxKnownAnswers) known.clear()
  if (answer !== undefined) known.set(key, answer)
  return answer
}

/** Whether arguments pass a tool's function.parameters. */
export async function checkArguments(
  schema: Question<'arguments'>['schema'],
  values: unknown,
): Promise<CheckedArguments> {
  const checked = await askWorker('arguments', { schema, values })
  return checked ?? { unusable: 'take longer than a second to check' }
}

async function ask<Name extends keyof Checks>(
  check: Name,
  question: Question<Name>,
): Promise<Answer<Name> | undefined> {
  const schema = hashOf(JSON.stringify(question.schema) ?? '')
  if (slowSchemas.has(schema)) return undefined
  running ??= start()
  const worker = await running
  const answer = await answerInTime<Answer<Name>>(worker, { check, question })
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
