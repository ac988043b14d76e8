import { expect, test } from 'vitest'
import { createAssistant, place, recordOf, saidIn, startTestSandbox } from '../../helpers/test-sandbox.ts'

test('without a model, books from the caller’s message and marks the record as simulated', async () => {
  const sandbox = await startTestSandbox()
  const { body: tool } = await sandbox.send('POST', '/assistants/v1/tools', {
    type: 'function',
    async: true,
    function: {
      name: 'book_appointment',
      parameters: {
        type: 'object',
        properties: { day: { type: 'string', format: 'date' } },
        required: ['day'],
      },
    },
    messages: [{ type: 'request-complete', content: 'It is in the calendar.' }],
    server: { url: 'https://workshop.example.com/appointments' },
  })
  const { _id } = await createAssistant(sandbox, { welcomeMessage: '', assistantToolIds: [tool._id] })
  const call = () =>
    place(sandbox, { assistantId: _id, metadata: { caller: ['Book me in for Friday', 'Bye'] } })
  const id = await call()
  expect(await saidIn(sandbox, id)).toEqual(
    expect.arrayContaining(['user: Book me in for Friday', 'assistant: It is in the calendar.']),
  )
  const { toolCalls, failures, createdAt } = await recordOf(sandbox, id)
  expect(new Date(String(createdAt)).getUTCDay()).toBe(4)
  const content = { day: '2026-01-02', simulated: true, reason: 'workshop.example.com is an example address' }
  expect(toolCalls).toMatchObject([
    {
      id: `offline-${id}-1`,
      name: 'book_appointment',
      arguments: { day: '2026-01-02' },
      content: JSON.stringify(content),
      simulated: true,
    },
  ])
  expect(failures).toBeUndefined()
  expect(await saidIn(sandbox, await call())).toEqual(await saidIn(sandbox, id))
})

test('of an asynchronous tool replaces its acceptance with its result, however early it arrives', async () => {
  const sandbox = await startTestSandbox()
  const { body: tool } = await sandbox.send('POST', '/assistants/v1/tools', {
    type: 'function',
    async: true,
    function: { name: 'ring_bell' },
    server: { url: 'http://127.0.0.1:9/' },
  })
  const { _id } = await createAssistant(sandbox, { welcomeMessage: '', assistantToolIds: [tool._id] })
  const id = await place(sandbox, { assistantId: _id, metadata: { caller: ['Ring the bell'] } })
  expect((await recordOf(sandbox, id)).toolCalls).toEqual([
    expect.objectContaining({
      name: 'ring_bell',
      simulated: true,
      content: expect.stringContaining('refused'),
    }),
  ])
})
