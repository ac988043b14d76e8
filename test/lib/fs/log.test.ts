import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { openLog, readSteps, toLines } from '../../../src/lib/fs/log.ts'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const stepSchema = z.object({ step: z.int() })
const read = (path: string) => readSteps(path, line => stepSchema.parse(line))

async function journalPath() {
  const folder = await temporaryFolder()
  return join(folder, 'own', 'steps.ndjson')
}

test('a journal has no file before its first step, and is replayed in order', async () => {
  const path = await journalPath()
  const journal = openLog(path)
  expect(await read(path)).toBeUndefined()
  await journal.append(toLines([{ step: 1 }, { step: 2 }]))
  await journal.append(toLines([{ step: 3 }]))
  await journal.close()
  expect(await read(path)).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }])
})

test('a kill at any byte of a line loses that line at most', async () => {
  const path = await journalPath()
  const journal = openLog(path)
  await journal.append(toLines([{ step: 1 }]))
  await journal.append(toLines([{ step: 2 }]))
  await journal.close()
  const whole = await readFile(path)
  const first = whole.indexOf('\n') + 1
  for (let length = first; length <= whole.length; length += 1) {
    await writeFile(path, whole.subarray(0, length))
    const hasSecond = length >= whole.length - 1
    expect(await read(path)).toEqual(hasSecond ? [{ step: 1 }, { step: 2 }] : [{ step: 1 }])
  }
})

test('nothing is appended to a removed file, or without the lock', async () => {
  const path = await journalPath()
  let isHeld = true
  const journal = openLog(path, { lock: { isHeld: () => isHeld } })
  await journal.append(toLines([{ step: 1 }]))
  isHeld = false
  await expect(journal.append(toLines([{ step: 2 }]))).rejects.toThrow('another process took its lock')
  await expect(journal.replace(() => [toLines([{ step: 2 }])])).rejects.toThrow('took its lock')
  expect(await read(path)).toEqual([{ step: 1 }])
  isHeld = true
  await rm(path)
  await expect(journal.append(toLines([{ step: 3 }]))).rejects.toThrow('it was removed')
  await journal.close()
})

test.each([
  ['a line that a kill cut off is removed', `${' '.repeat(200_000)}{"st`, []],
  ['a line without its newline is kept', '{"step":2}', [2]],
])('%s before the next one is written', async (_what, torn, kept) => {
  const path = await journalPath()
  const journal = openLog(path)
  await journal.append(toLines([{ step: 1 }]))
  await journal.close()
  await appendFile(path, torn)
  const next = openLog(path)
  await next.append(toLines([{ step: 3 }]))
  await next.close()
  expect(await read(path)).toEqual([1, ...kept, 3].map(step => ({ step })))
})

test('lines that come while the disk is busy share a sync, and know their offsets', async () => {
  const path = await journalPath()
  let syncs = 0
  const sync = async () => {
    syncs += 1
  }
  const journal = openLog(path, { disk: { ...failingDisk(), sync } })
  const lines = ['{"step":1}\n', '{"step":22}\n', '{"step":3}\n']
  expect(await Promise.all(lines.map(journal.append))).toEqual([0, 11, 23])
  expect(syncs).toBe(1)
  await journal.close()
})

test('a replacement comes after the lines before it, and stops a compaction', async () => {
  const path = await journalPath()
  const journal = openLog(path)
  const before = journal.append(toLines([{ step: 1 }]))
  const replaced = journal.replace(() => [toLines([{ step: 2 }])])
  const after = journal.append(toLines([{ step: 3 }]))
  await Promise.all([before, replaced, after])
  expect(await read(path)).toEqual([{ step: 2 }, { step: 3 }])
  const compaction = expect(journal.compact(() => [toLines([{ step: 4 }])])).rejects.toThrow('aborted')
  await journal.replace(() => [toLines([{ step: 5 }])])
  await compaction
  await journal.compact(() => [toLines([{ step: 6 }])])
  await journal.append(toLines([{ step: 7 }]))
  await journal.close()
  expect(await read(path)).toEqual([{ step: 6 }, { step: 7 }])
})

test('a replaced journal continues after its new lines; others stay unchanged', async () => {
  const path = await journalPath()
  let isHeld = true
  const journal = openLog(path, { lock: { isHeld: () => isHeld } })
  await journal.append(toLines([{ step: 1 }]))
  await journal.replace(() => [toLines([{ step: 2 }]), toLines([{ step: 3 }])])
  await journal.append(toLines([{ step: 4 }]))
  async function* losingTheLock() {
    yield toLines([{ step: 5 }])
    isHeld = false
  }
  await expect(journal.replace(losingTheLock)).rejects.toThrow('took its lock')
  isHeld = true
  await journal.append(toLines([{ step: 6 }]))
  await journal.close()
  expect(await read(path)).toEqual([2, 3, 4, 6].map(step => ({ step })))
})

test('a damaged line before the last one is an error', async () => {
  const path = await journalPath()
  const journal = openLog(path)
  await journal.append(toLines([{ step: 'one' }]))
  await journal.close()
  await appendFile(path, '{"step":2}\n')
  await expect(read(path)).rejects.toThrow()
})
