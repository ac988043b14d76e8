import { expect, test } from 'vitest'
import { conversationUpdate, message } from '../helpers/events.ts'
import { startBuiltTail } from '../helpers/run-bin.ts'

test('a signal drains, prints the summary and exits with 0', async () => {
  const tail = await startBuiltTail()
  await tail.post(conversationUpdate('a', message('m1', 'hello')))
  tail.child.kill('SIGTERM')
  expect(await tail.rest()).toMatchObject([
    { kind: 'message', text: 'hello' },
    { kind: 'summary', messages: 1 },
  ])
  expect((await tail.child).exitCode).toBe(0)
})

test('a closed stdout pipe ends it quietly', async () => {
  const tail = await startBuiltTail()
  tail.child.stdout?.destroy()
  for (const call of ['a', 'b'])
    await tail.post(conversationUpdate(call, message('m1', 'hello'))).catch(() => undefined)
  const { exitCode, stderr } = await tail.child
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})
