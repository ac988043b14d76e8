import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openRecords } from '../../../src/sandbox/records/records.ts'
import { createStore, type RecordEntry } from '../../../src/sandbox/records/store.ts'
import { failingDisk } from '../../forward/failing-disk.ts'
import { runs } from '../../helpers/every-case.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { entriesIn, folder } from './journal-file.ts'

const minCompactedBytes = 4096

async function openIn(file: string, options: Partial<Parameters<typeof openRecords>[0]> = {}) {
  return openRecords({
    data: file,
    newTeamId: () => 't',
    clock: realClock,
    log: () => {},
    minCompactedBytes,
    ...options,
  })
}

const tool = (id: number, version: number, kind: 'tool' | 'assistant' = 'tool'): RecordEntry => ({
  kind,
  record: { _id: `t${id}`, version, description: 'x'.repeat(200) },
})

async function recordsIn(file: string) {
  return createStore(await entriesIn(file)).snapshot()
}

test('the file stays within a few times the size of its records while it is written', async () => {
  const file = join(await folder(), 'records.ndjson')
  const records = await openIn(file)
  let largest = 0
  for (let version = 0; version < 600; version += 1) {
    await records.save(tool(version % 5, version))
    largest = Math.max(largest, (await stat(file)).size)
  }
  const expected = records.store.snapshot()
  await records.close()
  expect(largest).toBeLessThan(10 * minCompactedBytes)
  expect(await recordsIn(file)).toEqual(expected)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('the file contains every acknowledged event at any moment', async () => {
  const change = fc.record({
    kind: fc.constantFrom('tool', 'assistant', 'faq', 'replace'),
    id: fc.nat({ max: 6 }),
    isAwaited: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 150 }), async changes => {
      const file = join(await folder(), 'records.ndjson')
      let records = await openIn(file, { minCompactedBytes: 1024 })
      const pending: Promise<unknown>[] = []
      for (const [version, { kind, id, isAwaited }] of changes.entries()) {
        const done =
          kind === 'replace'
            ? records.replace(createStore([tool(99, version)]), next => {
                records = next
              })
            : records.save(
                kind === 'faq'
                  ? {
                      kind,
                      knowledgeBaseId: 'kb',
                      entries: [{ id: `f${id}`, question: 'q'.repeat(100), answer: `${version}` }],
                    }
                  : tool(id, version, kind),
              )
        pending.push(done.catch(() => {}))
        if (!isAwaited) continue
        await Promise.all(pending.splice(0))
        expect(await recordsIn(file)).toEqual(records.store.snapshot())
      }
      await Promise.all(pending)
      const expected = records.store.snapshot()
      await records.close()
      expect(await recordsIn(file)).toEqual(expected)
    }),
    { numRuns: runs(4) },
  )
}, 60_000)

test('a knowledge base of many entries is written as lines of bounded length', async () => {
  const file = join(await folder(), 'records.ndjson')
  const records = await openIn(file)
  const entries = Array.from({ length: 2345 }, (_, index) => ({
    id: `f${index}`,
    question: 'q',
    answer: String(index),
  }))
  await records.save({ kind: 'faq', knowledgeBaseId: 'kb', entries })
  const expected = records.store.snapshot()
  await records.close()
  await (await openIn(file)).close()
  expect(await recordsIn(file)).toEqual(expected)
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  expect(lines.length).toBe(1 + Math.ceil(2345 / 500))
})

test('keeps the file unchanged on a full disk, and keeps running', async () => {
  const file = join(await folder(), 'records.ndjson')
  const disk = failingDisk()
  const records = await openIn(file, { disk })
  for (let version = 0; version < 200; version += 1) await records.save(tool(0, version))
  disk.room = 0
  await expect(records.save(tool(1, 0))).rejects.toMatchObject({ status: 507 })
  disk.room = Number.POSITIVE_INFINITY
  for (let version = 200; version < 400; version += 1) await records.save(tool(0, version))
  const expected = records.store.snapshot()
  await records.close()
  expect(await recordsIn(file)).toEqual(expected)
})
