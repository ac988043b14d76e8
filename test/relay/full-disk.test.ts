import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toRecordedLine } from '../../src/events/recordings/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openSpool, type SpooledEvent, type SpoolOptions } from '../../src/relay/spool.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { callEvent } from './start-test-relay.ts'

const at = '2026-01-02T03:04:05.678Z'
const lineOf = (number: number) =>
  Buffer.from(
    toRecordedLine({
      at,
      headers: {},
      body: JSON.stringify({ ...callEvent('c1', number), pad: 'x'.repeat(9000) }),
    }),
  )
const stored = async () => ({ isStored: true, hasHoles: false })

async function open(folder: string, options: Partial<SpoolOptions> = {}) {
  const now = () => 0
  const spool = await openSpool({
    ...{ folder, maxBytes: 1024 ** 3, clock: systemClock, monotonicMs: now, brokerUptime: now },
    ...{ segmentBytes: 8 * lineOf(0).length, ...options },
  })
  onTestFinished(spool.close)
  const take = async (count: number) => {
    const events: SpooledEvent[] = []
    while (events.length < count) events.push(...(await spool.next(new AbortController().signal)))
    return events
  }
  return { spool, take }
}

/** A disk with room for so many bytes of events. */
function diskOf(folder: string, room: number): NonNullable<SpoolOptions['disk']> {
  const used = () =>
    readdirSync(folder)
      .filter(name => /^\d+\.ndjson$/.test(name))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  return {
    write(file, bytes) {
      if (used() + bytes.length > room)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      return writeSync(file, bytes)
    },
    truncate() {},
  }
}

test('on a full disk, events that JetStream has make room for new ones', async () => {
  const folder = await temporaryFolder()
  const { spool, take } = await open(folder, { disk: diskOf(folder, 32 * lineOf(10).length) })
  for (let number = 0; number < 32; number += 1) await spool.append(lineOf(number))
  await expect(spool.append(lineOf(32))).rejects.toThrow('ENOSPC')
  expect(spool.isDiskFull).toBe(true)
  expect(spool.unpublished).toBe(32)
  for (const [index, event] of (await take(10)).slice(0, 10).entries())
    spool.acknowledge(event, { sequence: index + 1, id: String(index) })
  // Eight of them are a whole segment.
  for (let number = 32; number < 40; number += 1) await spool.append(lineOf(number))
  expect(spool.isDiskFull).toBe(false)
  expect(spool.events).toBe(32)
  await expect(spool.append(lineOf(40))).rejects.toThrow('ENOSPC')
})

/** A file system of a megabyte; skips the test for a user who may not mount one. */
async function smallDisk(skip: (reason: string) => never): Promise<string> {
  const folder = await temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    skip('mount is not permitted')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

/** Fills what is left of a disk, as another program does. */
function fill(folder: string): void {
  for (let size = 1 << 20; size >= 1; size >>= 1) {
    for (let number = 0; ; number += 1) {
      try {
        writeFileSync(join(folder, `other-${size}-${number}`), Buffer.alloc(size))
      } catch {
        break
      }
    }
  }
}

test('a relay starts on a full disk, publishes and removes, and then accepts', async ({ skip }) => {
  const folder = await smallDisk(skip)
  const first = await open(folder)
  for (let number = 0; number < 40; number += 1) await first.spool.append(lineOf(number))
  await first.spool.close()
  fill(folder)
  const { spool } = await open(folder)
  // What the lock needs came from the reserve, and events do not get the rest of it.
  expect(spool.isDiskFull).toBe(true)
  await expect(spool.append(lineOf(99))).rejects.toThrow('ENOSPC')
  await spool.close()
  const again = await open(folder)
  await again.spool.rewind(stored)
  for (const [index, event] of (await again.take(40)).entries())
    again.spool.acknowledge(event, { sequence: index + 1, id: String(index) })
  await again.spool.append(lineOf(40))
  await again.spool.tidy()
  expect(again.spool.isDiskFull).toBe(false)
})
