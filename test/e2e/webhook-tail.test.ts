import { expect, test } from 'vitest'
import { lines, startBin } from '../helpers/run-bin.ts'

const event = (id: string, status?: string) => ({
  message:
    status === undefined
      ? {
          type: 'conversation-update',
          call: { id },
          messages: [{ messageId: 'm1', role: 'user', text: 'hello', timestamp: '2026-01-01T00:00:00Z' }],
        }
      : { type: 'status-update', call: { id, status } },
})

async function startTail(...flags: string[]) {
  const child = startBin(['webhook', 'tail', '--port', '0', '--json', ...flags])
  const stream = lines(child.stdout)
  const { url } = JSON.parse((await stream.next()).value ?? '')
  const post = (body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const rest = async () => {
    const events: { kind: string }[] = []
    for await (const line of stream) events.push(JSON.parse(line))
    return events
  }
  return { child, url, post, rest, stream }
}

test('prints each message once, exits after the call and prints the summary last', async () => {
  const tail = await startTail('--until', 'finished')
  for (const body of [event('a', 'queued'), event('a', 'ongoing'), event('a'), event('a')]) {
    const answer = await tail.post(body)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ message: expect.any(String) })
  }
  await tail.post(event('a', 'finished'))
  expect((await tail.rest()).map(({ kind }) => kind)).toEqual([
    'status',
    'status',
    'message',
    'status',
    'summary',
  ])
  expect((await tail.child).exitCode).toBe(0)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s drains, prints the summary and exits with 0',
  async signal => {
    const tail = await startTail()
    await tail.post(event('a'))
    tail.child.kill(signal)
    const events = await tail.rest()
    expect(events).toMatchObject([
      { kind: 'message', text: 'hello' },
      { kind: 'summary', messages: 1 },
    ])
    expect((await tail.child).exitCode).toBe(0)
  },
)

test('a closed stdout pipe ends it quietly', async () => {
  const tail = await startTail()
  tail.child.stdout?.destroy()
  await tail.post(event('a')).catch(() => undefined)
  await tail.post(event('b')).catch(() => undefined)
  const { exitCode, stderr } = await tail.child
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('a port in use is an immediate error with a hint', async () => {
  const { url } = await startTail()
  const second = await startBin(['webhook', 'tail', '--port', new URL(url).port, '--json'])
  expect(second.exitCode).toBeGreaterThan(0)
  expect(second.stderr).toContain('--port 0')
  expect(JSON.parse(second.stdout)).toMatchObject({ error: { message: expect.any(String) } })
})
