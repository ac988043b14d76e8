import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

const events = 2000

test('a tail on a terminal that does not read answers, records and ends; the screen says what it missed', async () => {
  const { tail, port, cwd } = await startTail('--record', 'calls.ndjson')
  expect(await sendEvents(port)).toEqual({ 200: events })
  expect((await readFile(join(cwd, 'calls.ndjson'), 'utf8')).split('\n')).toHaveLength(events + 1)
  tail.readAgain()
  await tail.shows(/… \d+ lines are not shown: the terminal did not read/)
  tail.kill('SIGINT')
  expect(await tail.exitCode).toBe(0)
  expect(tail.screen).toContain(`${events} messages`)
})

test('Ctrl-C ends a tail whose terminal does not read', async () => {
  const { tail, port } = await startTail()
  expect(await sendEvents(port)).toEqual({ 200: events })
  tail.kill('SIGINT')
  expect(await tail.exitCode).toBe(0)
})

/** A tail that listens, in a terminal that does not read any more. */
async function startTail(...flags: readonly string[]) {
  const cwd = await temporaryFolder()
  const env = { CALLWRIGHT_CONFIG_DIR: cwd }
  const tail = startInTerminal(['webhook', 'tail', '--port', '0', ...flags], { cwd, env })
  await tail.shows(/http:\/\/127\.0\.0\.1:\d+/)
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(tail.screen)?.[1])
  tail.stopReading()
  return { tail, port, cwd }
}

/** How many answers of each status came to events of 3 KB, each a message of its own. */
async function sendEvents(port: number): Promise<Record<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const counts: Record<number, number> = {}
  const send = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const post = request({ port, host: '127.0.0.1', method: 'POST', agent }, response => {
        const status = response.statusCode ?? 0
        counts[status] = (counts[status] ?? 0) + 1
        response.resume().on('end', resolve)
      })
      const messages = [{ messageId: `m-${index}`, role: 'user', text: 'one two '.repeat(375) }]
      post.on('error', reject)
      post.end(
        JSON.stringify({
          message: { type: 'conversation-update', call: { id: `CC-${index % 20}` }, messages },
        }),
      )
    })
  await Promise.all(Array.from({ length: events }, (_, index) => send(index)))
  agent.destroy()
  return counts
}
