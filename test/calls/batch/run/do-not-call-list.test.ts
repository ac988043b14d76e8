import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDoNotCallList } from '../../../../src/calls/batch/run/do-not-call-list.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { realClock } from '../../../helpers/real-clock.ts'

async function openList(text?: string) {
  const folder = await temporaryFolder(text === undefined ? {} : { 'do-not-call.csv': text })
  const path = join(folder, 'do-not-call.csv')
  const known = { call: 'CC-1', at: '2026-11-24T09:00:00.000Z', words: 'stop calling' }
  const readNumber = (text: string) => ({ number: text })
  const { add, find } = openDoNotCallList(
    { folder, doNotCall: new Map(), readNumber },
    { cwd: folder, clock: realClock },
  )
  return {
    path,
    find,
    add: (...numbers: string[]) => add({ numbers, ...known }),
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

test('a number that another program added meanwhile is not added again, and one that it removed is', async () => {
  const { add, lines, path } = await openList()
  await add('+12025550101')
  await appendFile(path, '+12025550102,,,\n')
  await add('+12025550102', '+12025550103')
  expect((await lines()).slice(2).map(line => line.split(',')[0])).toEqual(['+12025550102', '+12025550103'])
  await writeFile(path, 'number,call,at,words\n')
  await add('+12025550101')
  expect(await lines()).toHaveLength(2)
})

test('a list without a header is one of numbers', async () => {
  const { add, lines } = await openList('+12025550101\n')
  await add('+12025550101', '+12025550102')
  expect(await lines()).toEqual(['+12025550101', '+12025550102'])
})

test('a run finds what it added, and what another program added before and after', async () => {
  const { add, find, path } = await openList()
  expect(await find(['+12025550101'])).toBeUndefined()
  await add('+12025550101')
  expect(await find(['+12025550100', '+12025550101'])).toBe('do-not-call.csv')
  for (const number of ['+12025550102', '+12025550103']) {
    await appendFile(path, `${number},,,\n`)
    await add(`${number}9`)
    expect(await find([number])).toBe('do-not-call.csv')
    expect(await find([`${number}9`])).toBe('do-not-call.csv')
  }
  await writeFile(path, 'number,call,at,words\n')
  expect(await find(['+12025550101'])).toBeUndefined()
})
