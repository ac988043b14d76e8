import { readdir } from 'node:fs/promises'
import { Agent, createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { isAcknowledged } from '../helpers/is-acknowledged.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { readAll } from '../helpers/recordings.ts'
import { startBuiltTail } from '../helpers/run-bin.ts'

const calls = Array.from({ length: 10 }, (_, index) => `call-${index}`)
const kills = 3

test('a resumed tail forwards every acknowledged event in order after repeated kills under load', async () => {
  const folder = await temporaryFolder()
  const target = await startSlowTarget()
  const next = new Map(calls.map(call => [call, 0]))
  const acknowledged = new Set<string>()
  for (let round = 0; round < kills; round++) {
    const { child, url } = await startTail(folder, target.url)
    // Somewhere while events are written, sent, and noted as delivered.
    const last = acknowledged.size + 100 + Math.floor(Math.random() * 200)
    await flood(url, next, id => {
      acknowledged.add(id)
      if (acknowledged.size === last) child.kill('SIGKILL')
    })
    expect((await child).signal).toBe('SIGKILL')
    const items = await readAll(join(folder, 'calls.ndjson'))
    expect(items.filter(item => item.kind === 'skipped').length).toBeLessThanOrEqual(round + 1)
  }
  expect(target.arrivals.length).toBeLessThan(acknowledged.size)

  const { child, rest } = await startTail(folder, target.url)
  await target.has(acknowledged)
  child.kill('SIGTERM')
  await rest()
  const { exitCode, stderr } = await child
  expect({ exitCode, stderr: stderr.includes('first') }).toEqual({ exitCode: 0, stderr: true })
  expect(await readdir(join(folder, 'config', 'forward'))).toEqual([])

  for (const call of calls) {
    const ofCall = target.arrivals.filter(id => id.startsWith(`${call} `))
    const once = [...new Set(ofCall)]
    expect(ofCall.length - once.length).toBeLessThanOrEqual(kills)
    const numbers = once.map(id => Number(id.split(' ')[1]))
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
  }
})

function startTail(folder: string, target: string) {
  return startBuiltTail(['--record', 'calls.ndjson', '--forward', target, '--resume'], {
    cwd: folder,
    env: { CALLYARD_CONFIG_DIR: join(folder, 'config') },
  })
}

/** A server that takes its time, so that events wait for it. */
async function startSlowTarget() {
  const arrivals: string[] = []
  let check = () => {}
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { call, number } = JSON.parse(Buffer.concat(chunks).toString()).message
      arrivals.push(`${call.id} ${number}`)
      setTimeout(() => response.end('{}'), 20)
      check()
    })
  })
  const { origin } = await listenOnLoopback(server)
  return {
    url: `${origin}/hook`,
    arrivals,
    /** Resolves once all of them have arrived. */
    has(ids: ReadonlySet<string>) {
      return new Promise<void>(resolve => {
        check = () => {
          const arrived = new Set(arrivals)
          if ([...ids].every(id => arrived.has(id))) resolve()
        }
        check()
      })
    },
  }
}

/** Sends the events of each call one after the other until the receiver is gone. */
async function flood(url: string, next: Map<string, number>, taken: (id: string) => void): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const sender = async (call: string) => {
    for (;;) {
      const number = next.get(call) ?? 0
      next.set(call, number + 1)
      const message = { type: 'status-update', call: { id: call }, number, padding: 'ü'.repeat(1500) }
      if (!(await isAcknowledged(url, JSON.stringify({ message }), agent))) return
      taken(`${call} ${number}`)
    }
  }
  await Promise.all(calls.map(sender))
}
