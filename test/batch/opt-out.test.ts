import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendOptOut } from '../../src/batch/opt-out.ts'
import { realClock } from '../helpers/real-clock.ts'

async function openList(text?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-opt-out-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'do-not-call.csv')
  if (text !== undefined) await writeFile(path, text)
  const known = { call: 'CC-1', at: '2026-11-24T09:00:00.000Z', words: 'stop calling' }
  return {
    add: (...numbers: string[]) => appendOptOut(folder, { numbers, ...known }, { clock: realClock }),
    lines: async () => (await readFile(path, 'utf8')).trim().split('\n'),
  }
}

test('a number is added once, also if a kill came before the journal had it', async () => {
  const { add, lines } = await openList()
  await add('+12025550101')
  await add('+12025550101')
  await add('+12025550101', '+12025550102')
  expect(await lines()).toEqual([
    'number,call,at,words',
    '+12025550101,CC-1,2026-11-24T09:00:00.000Z,stop calling',
    '+12025550102,CC-1,2026-11-24T09:00:00.000Z,stop calling',
  ])
})

test('a list without a header is one of numbers', async () => {
  const { add, lines } = await openList('+12025550101\n')
  await add('+12025550101', '+12025550102')
  expect(await lines()).toEqual(['+12025550101', '+12025550102'])
})
