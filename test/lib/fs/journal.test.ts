import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createJournal, readSteps, toLines } from '../../../src/lib/fs/journal.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const stepSchema = z.object({ step: z.int() })
const read = (path: string) => readSteps(path, line => stepSchema.parse(line))

async function journalPath() {
  const folder = await temporaryFolder()
  return join(folder, 'own', 'steps.ndjson')
}

test('a journal has no file before its first step, and is replayed in order', async () => {
  const path = await journalPath()
  const journal = createJournal(path)
  expect(await read(path)).toBeUndefined()
  await journal.append(toLines([{ step: 1 }, { step: 2 }]))
  await journal.append(toLines([{ step: 3 }]))
  journal.close()
  expect(await read(path)).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }])
})

test('a kill at any byte of a line loses that line at most', async () => {
  const path = await journalPath()
  const journal = createJournal(path)
  await journal.append(toLines([{ step: 1 }]))
  await journal.append(toLines([{ step: 2 }]))
  journal.close()
  const whole = await readFile(path)
  const first = whole.indexOf('\n') + 1
  for (let length = first; length <= whole.length; length += 1) {
    await writeFile(path, whole.subarray(0, length))
    const hasSecond = length >= whole.length - 1
    expect(await read(path)).toEqual(hasSecond ? [{ step: 1 }, { step: 2 }] : [{ step: 1 }])
  }
})

test('nothing is appended to a torn line, to a removed file, or without the lock', async () => {
  const path = await journalPath()
  let isHeld = true
  const journal = createJournal(path, { lock: { isHeld: () => isHeld } })
  await journal.append(toLines([{ step: 1 }]))
  isHeld = false
  await expect(journal.append(toLines([{ step: 2 }]))).rejects.toThrow('another process took its lock')
  await expect(journal.replace(() => [toLines([{ step: 2 }])])).rejects.toThrow('took its lock')
  expect(await read(path)).toEqual([{ step: 1 }])
  isHeld = true
  await rm(path)
  await expect(journal.append(toLines([{ step: 3 }]))).rejects.toThrow('it was removed')
  journal.close()
  await writeFile(path, '{"step":1}\n{"st')
  await expect(createJournal(path).append(toLines([{ step: 4 }]))).rejects.toThrow('could not be repaired')
})

test('a replaced journal continues after its new lines; others stay unchanged', async () => {
  const path = await journalPath()
  let isHeld = true
  const journal = createJournal(path, { lock: { isHeld: () => isHeld } })
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
  journal.close()
  expect(await read(path)).toEqual([2, 3, 4, 6].map(step => ({ step })))
})

test('a damaged line before the last one is an error', async () => {
  const path = await journalPath()
  const journal = createJournal(path)
  await journal.append(toLines([{ step: 'one' }]))
  journal.close()
  await appendFile(path, '{"step":2}\n')
  await expect(read(path)).rejects.toThrow()
})
