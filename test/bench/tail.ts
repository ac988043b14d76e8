import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atLeast, atMost, defineBench } from './table.ts'
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
    guard: {
      work: '`webhook tail --guard` with four rules: share of a core that the guard takes of 1,000 events per second',
      unit: 'times',
      floor: '0',
      goal: atMost(0.05),
    },
  },
  async measure({ bin, folder, rounds }) {
    const guard = await measureGuard(bin, folder, rounds(7))
    const few = await startTail(bin, folder, 1000)
    const many = await startTail(bin, folder, 20_000)
    try {
      await interleaved(1, { few: few.rate, many: many.rate })
      const rates = await interleaved(rounds(5), { few: few.rate, many: many.rate })
      const perSecond = (values: readonly number[]) => `${median(values).toFixed(0)}/s`
      return {
        guard,
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

/** Rules over a window of time and of calls; they hold, and their alerts go nowhere. */
const rules = `rules:
  - { name: a, when: p95(reply) over 10m > 3s }
  - { name: b, when: share(failed) over last 50 calls > 20% }
  - { name: c, when: no events for 15m }
  - { name: d, when: count(ended by system) over 1h > 5 }
`

/** Compares the time that an event takes with a guard and without. A call ends with its tenth event. */
async function measureGuard(bin: string, folder: string, rounds: number) {
  await writeFile(join(folder, 'rules.yaml'), rules)
  const plain = await startTail(bin, folder, 500, { ends: true })
  const guarded = await startTail(bin, folder, 500, { ends: true, flags: ['--guard', 'rules.yaml'] })
  try {
    await interleaved(1, { plain: plain.rate, guarded: guarded.rate })
    const rates = await interleaved(rounds, { plain: plain.rate, guarded: guarded.rate })
    const [before, after] = [median(rates.plain), median(rates.guarded)]
    return {
      value: Math.max(0, 1000 * (1 / after - 1 / before)),
      detail: `${after.toFixed(0)}/s; without: ${before.toFixed(0)}/s`,
    }
  } finally {
    await plain.close()
    await guarded.close()
  }
}

async function startTail(
  bin: string,
  folder: string,
  calls: number,
  { ends = false, flags = [] }: { readonly ends?: boolean; readonly flags?: readonly string[] } = {},
) {
  const child = spawn(process.execPath, [bin, 'webhook', 'tail', '--port', '0', ...flags], {
    cwd: folder,
    env: { ...bareEnvironment(), CALLYARD_CONFIG_DIR: join(folder, 'config') },
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
    await load.ask({ port, calls, ends, events: count })
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
const nextRequest = (calls, ends) => {
  const call = ends ? Math.floor(number / (10 * calls)) * calls + (number % calls) : number % calls
  const status = ends && Math.floor(number / calls) % 10 === 9 ? 'finished' : 'ongoing'
  const id = 'CC-' + (call * 2654435761 % 4294967296).toString(16).padStart(8, '0') + '-0f0e-4bfb-8d0c-1a51c6ac7ff1'
  const text = 'On Saturday from nine to one; shall I book you in?'
  const messages = [{ messageId: 'message-' + number++, role: 'user', text, timestamp: '2026-03-01T10:00:00.000Z' }]
  const message = { type: 'conversation-update', call: { id, direction: 'outbound', status }, messages }
  const body = JSON.stringify({ message })
  return 'POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body
}
parentPort.on('message', ({ port, calls, ends, events }) => {
  let sent = 0
  let answered = 0
  const sockets = Array.from({ length: 16 }, () => {
    const socket = connect(port, '127.0.0.1')
    const send = count => {
      for (; count > 0 && sent < events; count--, sent++) socket.write(nextRequest(calls, ends))
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
