import { expect, test } from 'vitest'
import { lines } from '../helpers/json-lines.ts'
import { startBin } from '../helpers/run-bin.ts'

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
