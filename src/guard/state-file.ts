import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../lib/clock.ts'
import type { CallyardError } from '../lib/error.ts'
import { describeFileError } from '../lib/error.ts'
import { type FileLock, lockFile } from '../lib/fs/file-lock.ts'
import { replaySteps, toLines } from '../lib/fs/journal.ts'
import { type LineFile, openLineFile } from '../lib/fs/line-file.ts'
import { makeFolder } from '../lib/fs/make-folder.ts'
import type { Immutable } from '../lib/json.ts'
import type { CallFacts } from '../report/index.ts'
import { alertSchemas, type GuardAlert } from './alert.ts'
import type { Firing, GuardMemory } from './engine.ts'

/** A step of the state. */
export type GuardStep = Immutable<z.infer<typeof stepSchema>>

const factsSchema = z.custom<CallFacts>(
  value => typeof value === 'object' && value !== null && 'call' in value,
)

const stepSchema = z.discriminatedUnion('step', [
  z.object({ step: z.literal('begin'), version: z.literal(1), file: z.string() }),
  /** An ended call, as known so far. Its key is null if only this run knows it. */
  z.object({
    step: z.literal('call'),
    key: z.nullable(z.string()),
    endedAt: z.number(),
    facts: factsSchema,
    parts: z.optional(z.array(z.string())),
  }),
  /** `pending`: to be delivered. */
  z.object({ step: z.literal('alert'), alert: z.union(alertSchemas), pending: z.boolean() }),
  /** The alert was delivered, or is not to be delivered again. */
  z.object({ step: z.literal('done'), id: z.string(), kind: z.string() }),
])

interface StateFileOptions {
  readonly path: string
  /** Guard file, for messages. */
  readonly file: string
  readonly clock: Clock
  inUse(pid: number | undefined): CallyardError
  unusable(reason: string, error: unknown): CallyardError
}

/** Bytes of steps after which the file is rewritten, if most of them are outdated. */
const minCompactBytes = 4 * 1024 ** 2

/**
 * Opens the state of a guard for one process at a time. Steps are lines that are written before `append` returns, so that a kill loses
 * none.
 * @throws errors of `inUse` and `unusable`
 */
export async function openStateFile({ path, file: name, clock, inUse, unusable }: StateFileOptions) {
  const toUnusable = (error: unknown) => unusable(describeFileError(error), error)
  await makeFolder(dirname(path), 0o700).catch(error => {
    throw toUnusable(error)
  })
  const lock: FileLock = await lockFile(path, {
    clock,
    inUse: holder => inUse(holder?.pid),
    cannotLock: error => toUnusable(error),
  })
  const calls = new Map<string, Extract<GuardStep, { step: 'call' }>>()
  const alerts = new Map<string, GuardAlert>()
  const firing = new Map<string, Firing>()
  let unnamed = 0
  const apply = (step: GuardStep) => {
    if (step.step === 'call') calls.set(step.key ?? `unnamed ${unnamed++}`, step)
    if (step.step === 'done') alerts.delete(`${step.id} ${step.kind}`)
    if (step.step !== 'alert') return
    const { alert, pending } = step
    if (pending) alerts.set(`${alert.id} ${alert.kind}`, alert)
    if (alert.kind === 'guard-fired') firing.set(alert.id, toFiring(alert))
    else firing.delete(alert.id)
  }
  let file: LineFile | undefined
  let size = 0
  const write = (memory: GuardMemory, pending: readonly GuardAlert[]) => {
    const lines = Buffer.from(toLines(stepsOf(name, memory, pending)))
    const temporary = `${path}.tmp`
    rmSync(temporary, { force: true })
    const next = openLineFile(temporary)
    try {
      next.append(lines)
      renameSync(temporary, path)
    } catch (error) {
      next.close()
      throw error
    }
    file?.close()
    file = next
    size = lines.length
  }
  try {
    await replaySteps(path, value => apply(stepSchema.parse(value)))
    const memory: GuardMemory = {
      calls: [...calls.values()].sort((one, other) => one.endedAt - other.endedAt),
      firing: [...firing.values()],
    }
    const pending = [...alerts.values()]
    write(memory, pending)
    return {
      memory,
      /** Alerts that an earlier process did not deliver, in their order. */
      pending,
      /** @throws errors of the system; nothing was written then */
      append(...steps: readonly GuardStep[]): void {
        if (!lock.isHeld()) throw new Error('another process took its lock')
        const lines = Buffer.from(toLines(steps))
        file?.append(lines)
        size += lines.length
      },
      /** Rewrites the file if it has grown. @throws errors of the system; the file is then unchanged */
      compact(
        current: () => { readonly memory: GuardMemory; readonly pending: readonly GuardAlert[] },
      ): void {
        if (size < minCompactBytes || !lock.isHeld()) return
        const { memory: now, pending: left } = current()
        write(now, left)
        // A state that is large by itself is not written again and again.
        size = 0
      },
      async close() {
        file?.close()
        await lock.release()
      },
    }
  } catch (error) {
    file?.close()
    await lock.release()
    throw unusable(error instanceof z.core.$ZodError ? 'unknown content' : describeFileError(error), error)
  }
}

function toFiring({ id, rule, when, group, since }: GuardAlert): Firing {
  return { id, rule, when, group, since: Date.parse(since) }
}

function stepsOf(file: string, { calls, firing }: GuardMemory, pending: readonly GuardAlert[]): GuardStep[] {
  return [
    { step: 'begin', version: 1, file },
    ...calls.map(call => ({ step: 'call' as const, ...call })),
    ...firing.map(each => ({
      step: 'alert' as const,
      alert: firedAlert(each),
      pending: false,
    })),
    ...pending.map(alert => ({ step: 'alert' as const, alert, pending: true })),
  ]
}

/** An alert that was delivered: only what tells that the rule is firing. */
function firedAlert({ id, rule, when, group, since }: Firing): GuardAlert {
  const at = new Date(since).toISOString()
  return {
    ...{
      kind: 'guard-fired',
      id,
      rule,
      when,
      at,
      since: at,
      value: null,
      limit: 0,
      unit: 'number',
      calls: [],
    },
    ...(group !== undefined && { group }),
  }
}
