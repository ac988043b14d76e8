import { expect, test } from 'vitest'
import { startTestSandbox } from '../start-test-sandbox.ts'

const tools = '/assistants/v1/tools'
const tool = { type: 'function', function: { name: 'book' } }
test('after a restore the same requests get the same ids and times; reset goes back to the beginning', async () => {
  const sandbox = await startTestSandbox({})
  const { first } = sandbox
  const make = async () => (await sandbox.send('POST', tools, tool)).body
  const one = await make()
  const saved = first.snapshot()
  const two = await make()
  await first.restore(saved)
  expect(await make()).toEqual(two)
  await first.reset()
  expect([...first.store.tools()]).toEqual([])
  expect(await make()).toEqual(one)
  expect(first.requests.list()).toMatchObject([
    { method: 'POST', path: tools, status: 200, body: tool, answer: one, headers: { authorization: '****' } },
  ])
})
