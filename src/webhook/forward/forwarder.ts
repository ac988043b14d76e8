import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../context.ts'
import { CliError } from '../../errors.ts'
import type { WebhookEvent } from '../../interface/webhook.ts'
import { callIdOf } from '../conversation-state.ts'
import type { Delivery } from '../receiver.ts'
import type { Disk } from '../recording/line-file.ts'
import { withoutQuery } from '../without-query.ts'
import type { ForwardNews, ForwardTotals } from './forward-news.ts'
import { createJournal, type Entry, type Journal } from './journal.ts'
import { type Leftovers, lockRun, openLeftovers } from './leftovers.ts'
import { createRoute, type Parcel, type Route } from './route.ts'
import type { StoredTarget } from './segment.ts'
import { type ForwardTarget, keyOf, targetsOf } from './targets.ts'

export interface ForwarderOptions {
  readonly targets: readonly ForwardTarget[]
  /** Where events wait; made where it is missing. Absolute. */
  readonly folder: string
  /** Only events that carried something unseen go out. */
  readonly onlyNew: boolean
  /** Delivers first what earlier processes left for these targets. */
  readonly resume: boolean
  /** Milliseconds for one attempt. */
  readonly timeout: number
  /** Bytes of bodies that wait in memory too, so that they need not be read back; 32 MiB unless told. */
  readonly maxMemory?: number
  /** Bytes of events that may wait; 512 MiB unless told. */
  readonly maxWaiting?: number
  readonly clock: Clock
  /** Told what a person should know, at once. Must not throw. */
  tell(news: ForwardNews): void
  readonly disk?: Disk | undefined
}

export interface Forwarder {
  /** Writes an event down before its sender is answered, so that a kill does not lose it. Never throws. */
  keep(event: WebhookEvent, delivery: Delivery): KeptEvent
  /** Events that wait for a target, or are on their way. */
  readonly left: number
  /**
   * Delivers what waits for so many milliseconds at most; a target that refuses connections is tried once more. What is
   * undelivered then stays in the folder. Never rejects.
   */
  close(milliseconds: number): Promise<ForwardTotals>
}

/** An event that was written down. */
export interface KeptEvent {
  /** Queues it for its targets; `isNew` tells whether it carried something unseen. Never throws. */
  send(isNew: boolean): void
}

/**
 * Passes events on to other receivers (interface.md 4.8), body and content type untouched: those of one call to one target
 * one after the other in their order, calls side by side, targets apart. Each event is on disk before it is acknowledged and
 * until each of its targets answered; only a refused connection is tried again, because then nothing was sent.
 * @throws CliError `usage` when the folder cannot be used.
 */
export async function openForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const { folder, clock } = options
  // Its order is the order of time, also between processes.
  const name = `${new Date(clock.now()).toISOString().replace(/[-:.]/g, '')}-${randomUUID().slice(0, 8)}`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = await lockRun(join(folder, name), clock)
    try {
      const leftovers = await takeLeftovers(options)
      const journal = createJournal({ ...options, name, targets: options.targets.map(storedTarget) })
      return createForwarder(journal, leftovers, lock, options)
    } catch (error) {
      await lock.release()
      throw error
    }
  } catch (error) {
    if (error instanceof CliError) throw error
    throw new CliError('usage', `events cannot be kept in ${folder}: ${reasonOf(error)}`, {
      hint: 'check the folder, its permissions and the free space',
      cause: error,
    })
  }
}

/** What earlier processes left, told; undefined where it is not to be delivered. */
async function takeLeftovers({ targets, folder, resume, clock, disk, tell }: ForwarderOptions) {
  const keys = new Set(targets.map(keyOf))
  const leftovers = await openLeftovers({ folder, targets: keys, clock, disk })
  for (const { target, events } of leftovers.waiting) {
    const resumed = resume && keys.has(target.key)
    tell({ kind: 'forward-left', target: target.address, type: target.type, events, resumed })
  }
  for (const path of leftovers.unreadable) tell({ kind: 'forward-unreadable', path })
  if (resume) return leftovers
  await leftovers.close()
  return undefined
}

function storedTarget(target: ForwardTarget): StoredTarget {
  return { key: keyOf(target), type: target.type ?? null, address: withoutQuery(target.url) }
}

const nothing: KeptEvent = { send() {} }
/** Estimated bytes of what is kept in memory of each event. */
const overhead = 500

function createForwarder(
  journal: Journal,
  leftovers: Leftovers | undefined,
  lock: { release(): Promise<void> },
  {
    targets,
    onlyNew,
    timeout,
    maxMemory = 32 * 1024 ** 2,
    maxWaiting = 512 * 1024 ** 2,
    clock,
    tell,
  }: ForwarderOptions,
): Forwarder {
  const routes = targets.map(target => createRoute(target, { timeout, clock, tell }))
  let waitingBytes = 0
  let memoryBytes = 0
  let dropped = 0
  let dropping = false
  let writable = true
  let closed: Promise<ForwardTotals> | undefined

  const write = (event: { at: string; contentType: string; body: Buffer }, count: number) => {
    const { at, contentType, body } = event
    try {
      const entry = journal.add(
        { at, headers: { 'content-type': contentType }, body: body.toString('utf8') },
        count,
      )
      if (!writable) tell({ kind: 'forward-kept-again' })
      writable = true
      return entry
    } catch (error) {
      if (writable) tell({ kind: 'forward-unkept', since: at, reason: reasonOf(error) })
      writable = false
      return undefined
    }
  }
  const drop = (at: string, why: 'full' | 'disk', count: number) => {
    dropped += count
    if (!dropping) tell({ kind: 'forward-dropped', since: at, why })
    dropping = true
    return nothing
  }
  const parcelOf = (
    facts: Pick<Parcel, 'callId' | 'type' | 'at'>,
    entry: Entry | undefined,
    body: ReturnType<Parcel['load']>,
    wanted: number,
  ): Parcel => {
    const size = body.body.length + overhead
    const inMemory = entry === undefined || memoryBytes + size <= maxMemory
    let left = wanted
    // Let go when it is done: a parcel may be remembered for longer.
    let held = inMemory ? body : undefined
    waitingBytes += size
    if (inMemory) memoryBytes += size
    return {
      ...facts,
      kept: entry !== undefined,
      load() {
        if (held !== undefined) return held
        if (entry === undefined) throw new Error('nothing is to be sent of it any more')
        return loaded(entry)
      },
      done(key) {
        entry?.done(key)
        left = key === undefined ? 0 : left - 1
        if (left > 0) return
        held = undefined
        waitingBytes -= size
        if (inMemory) memoryBytes -= size
      },
    }
  }
  for (const { entry, targets: keys, type, callId, at } of leftovers?.events ?? []) {
    const parcel: Parcel = {
      callId,
      type,
      at,
      kept: true,
      load: () => loaded(entry),
      done: key => entry.done(key),
    }
    for (const route of routes) if (keys.includes(route.key)) route.send(parcel)
  }

  return {
    keep(event, { body, headers }) {
      const wanted = targetsOf(event.message.type, routes)
      if (wanted.length === 0) return nothing
      const at = new Date(clock.now()).toISOString()
      if (waitingBytes + body.length + overhead > maxWaiting) return drop(at, 'full', wanted.length)
      const contentType = headers['content-type'] ?? 'application/json'
      const entry = write({ at, contentType, body }, wanted.length)
      if (entry === undefined && memoryBytes + body.length + overhead > maxMemory)
        return drop(at, 'disk', wanted.length)
      // A queue that stays near its bound is full again and again; that is told once.
      const isCrowded = entry === undefined ? memoryBytes > maxMemory / 2 : waitingBytes > maxWaiting / 2
      dropping &&= isCrowded
      const facts = { callId: callIdOf(event), type: event.message.type, at }
      const parcel = parcelOf(facts, entry, { body, contentType }, wanted.length)
      return {
        send(isNew) {
          if (onlyNew && !isNew) parcel.done()
          else for (const route of wanted) route.send(parcel)
        },
      }
    },
    get left() {
      return routes.reduce((sum, route) => sum + route.left, 0)
    },
    close(milliseconds) {
      closed ??= end(milliseconds)
      return closed
    },
  }

  async function end(milliseconds: number): Promise<ForwardTotals> {
    await drain(routes, milliseconds, clock)
    journal.close()
    await leftovers?.close()
    await lock.release()
    const unwritten = journal.unwritten + (leftovers?.unwritten ?? 0)
    return { targets: routes.map(route => route.totals()), dropped, unwritten }
  }
}

/** Gives the routes so much time, and then none. */
async function drain(routes: readonly Route[], milliseconds: number, clock: Clock): Promise<void> {
  for (const route of routes) route.hurry()
  const ended = Promise.all(routes.map(route => route.empty()))
  const done = new AbortController()
  await Promise.race([ended, clock.sleep(milliseconds, done.signal).catch(() => {})])
  done.abort()
  for (const route of routes) route.abort()
  await ended
}

function loaded(entry: Entry): ReturnType<Parcel['load']> {
  const { headers, body } = entry.read()
  return { body: Buffer.from(body), contentType: headers['content-type'] ?? 'application/json' }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
