import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planBatch } from '../../../../src/calls/batch/index.ts'
import { rulesOf } from '../../../../src/calls/batch/next-call.ts'
import { createCallQueue } from '../../../../src/calls/batch/queue.ts'
import { createBatchState } from '../../../../src/calls/batch/state.ts'
import { assertResults, keepResults } from '../../../../src/calls/batch/status/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { openList } from '../open-list.ts'

async function startResults(onError: (error: unknown) => void) {
  const folder = await temporaryFolder()
  const numbers = ['+12025551000', '+12025551001', '+12025551002']
  const { people } = planBatch({
    ...(await openList(folder, [['to'], ...numbers.map(to => [to])], {})),
    now: 0,
  })
  const state = createBatchState([])
  const rules = rulesOf({})
  const queue = createCallQueue(people, state, rules, () => false)
  const path = join(folder, 'results.csv')
  let now = 0
  const results = await keepResults(path, {
    ...{ queue, rules, state, uncalled: [], monotonicMs: () => now },
    onError,
  })
  const call = (index: number) => {
    const { id = '', numbers: [number = ''] = [] } = people[index] ?? {}
    const at = new Date(index * 1000).toISOString()
    const attempt = `attempt ${index}`
    state.apply({ step: 'calling', at, attempt, person: id, number, from: '+12025550100', kind: 'first' })
    state.apply({ step: 'placed', at, attempt, call: `CC-${index}` })
    queue.refresh(id)
    results.update(id)
    return id
  }
  const passTime = () => {
    now += 60_000
  }
  return { call, passTime, path, people, results }
}

test('a results file that is removed during a run is written again with its header and everybody', async () => {
  const { call, passTime, path, people } = await startResults(error => {
    throw error
  })
  call(0)
  await rm(path)
  call(1)
  await expect(assertResults(path)).resolves.toBeUndefined()
  passTime()
  call(2)
  await expect
    .poll(async () => (await readFile(path, 'utf8')).replace('\ufeff', '').trim().split('\n'))
    .toMatchObject([
      expect.stringMatching(/^id,number,.*,line$/),
      ...people.map(({ id }) => expect.stringContaining(`${id},`)),
    ])
})

test.each(['a link', 'another file'])('%s in the place of the results is not written', async what => {
  const errors: unknown[] = []
  const { call, passTime, path, results } = await startResults(error => errors.push(error))
  call(0)
  await rm(path)
  const other = what === 'a link' ? `${path}.other` : path
  await writeFile(other, 'mine\n')
  if (what === 'a link') await symlink(other, path)
  call(1)
  passTime()
  call(2)
  await results.finish()
  expect(errors).toMatchObject([{ kind: 'usage' }])
  expect(await readFile(other, 'utf8')).toBe('mine\n')
})
