import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bareEnvironment } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atLeast, defineBench } from './table.ts'
import { startWorker } from './worker.ts'

const events = 20_000

/**
 * The whole `webhook tail`: events of calls that are live at the same time, until the last of them is printed. Each event brings one
 * message, so the bodies are as long however many calls there are. Every call has been shown before the first sample.
 */
export const tailBench = defineBench({
  name: 'tail',
  rows: {
    calls: {
      work: '`webhook tail`: rate with 20,000 calls at once, against 1,000',
      unit: 'times',
      floor: '1',
      goal: atLeast(0.85),
    },
  },
  async measure({ bin, folder, rounds }) {
    const few = await startTail(bin, folder, 1000)
    const many = await startTail(bin, folder, 20_000)
    try {
      await interleaved(1, { few: few.rate, many: many.rate })
      const rates = await interleaved(rounds(5), { few: few.rate, many: many.rate })
      const perSecond = (values: readonly number[]) => `${median(values).toFixed(0)}/s`
      return {
        calls: {
          value: medianRatio(rates.many, rates.few),
          detail: `${perSecond(rates.many)}; 1,000 calls: ${perSecond(rates.few)}`,
        },
      }
    } finally {
      await few.close()
      await many.close()
    }
  },
})

async function startTail(bin: string, folder: string, calls: number) {
  const child = spawn(process.execPath, [bin, 'webhook', 'tail', '--port', '0'], {
    cwd: folder,
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let port: number | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    port = Number(/http:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1])
    if (port > 0) break
  }
  child.stderr.resume()
  let printed = 0
  let wanted = 0
  let onPrinted = () => {}
  child.stdout.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) printed++
    if (printed >= wanted) onPrinted()
  })
  const load = startWorker(loadProgram)
  const send = async (count: number) => {
    wanted = printed + count
    const all = new Promise<void>(resolve => {
      onPrinted = resolve
    })
    const started = performance.now()
    await load.ask({ port, calls, events: count })
    await all
    return count / ((performance.now() - started) / 1000)
  }
  await send(calls)
  return {
    /** Events a second. */
    rate: () => send(events),
    async close() {
      await load.end()
      child.kill('SIGKILL')
      await ended
    },
  }
}

/**
 * Sends events of the calls in turn over 16 sockets, 8 at a time on each. Each takes one line of 80 columns, tag included. Plain
 * JavaScript, because it runs in a thread of its own.
 */
const loadProgram = `
const { parentPort } = require('node:worker_threads')
const { connect } = require('node:net')
const marker = Buffer.from('HTTP/1.1 200')
let number = 0
const nextRequest = calls => {
  const call = number % calls
  const id = 'CC-' + (call * 2654435761 % 4294967296).toString(16).padStart(8, '0') + '-0f0e-4bfb-8d0c-1a51c6ac7ff1'
  const text = 'On Saturday from nine to one; shall I book you in?'
  const messages = [{ messageId: 'message-' + number++, role: 'user', text, timestamp: '2026-03-01T10:00:00.000Z' }]
  const message = { type: 'conversation-update', call: { id, direction: 'outbound', status: 'ongoing' }, messages }
  const body = JSON.stringify({ message })
  return 'POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body
}
parentPort.on('message', ({ port, calls, events }) => {
  let sent = 0
  let answered = 0
  const sockets = Array.from({ length: 16 }, () => {
    const socket = connect(port, '127.0.0.1')
    const send = count => {
      for (; count > 0 && sent < events; count--, sent++) socket.write(nextRequest(calls))
    }
    socket.on('data', chunk => {
      let count = 0
      for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 12)) count++
      answered += count
      if (answered < events) return send(count)
      for (const each of sockets) each.destroy()
      parentPort.postMessage(0)
    })
    send(8)
    return socket
  })
})
`
