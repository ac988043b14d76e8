import { open, readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import type { Attack, AttackTools } from './attack.ts'

const events = 100_000
const senders = 4
const maxAnswerMs = 50
/** A process that keeps none of its output. */
const maxResidentMb = 300

export const terminal: Attack = {
  about: `${events} events of 3 KB while the terminal of webhook tail does not read`,
  async run(tools) {
    const tail = await startTail(tools)
    tail.stopReading()
    const answers = await sendEvents(tail.port)
    const residentMb = await residentMbOf(tail.pid)
    tail.kill('SIGINT')
    const exitCode = await tail.exitCode
    const recorded = await countRecorded(tail.recording)
    const p99 = answers.times.toSorted((a, b) => a - b)[Math.floor(events * 0.99)] ?? 0
    const overMemory = residentMb > maxResidentMb
    return [
      {
        what: 'webhook tail on a terminal that does not read',
        attacks: events,
        lost: events - recorded.size + answers.refused + (exitCode === 0 ? 0 : 1),
        doubled: recorded.lines - recorded.size,
        late: (p99 > maxAnswerMs ? 1 : 0) + (overMemory ? 1 : 0),
        detail: `answers: ${p99.toFixed(1)} ms at p99 (at most ${maxAnswerMs}); ${Math.round(residentMb)} MB (at most ${maxResidentMb}); Ctrl-C ended it with ${exitCode}`,
      },
    ]
  },
}

async function startTail(tools: AttackTools) {
  const cwd = await tools.folder()
  const argv = [tools.bin, 'webhook', 'tail', '--port', '0', '--record', 'calls.ndjson']
  const pty = spawn(process.execPath, argv, {
    cols: 80,
    rows: 24,
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TERM: 'xterm',
      NO_UPDATE_NOTIFIER: '1',
      CALLYARD_CONFIG_DIR: cwd,
    },
  })
  let running = true
  const exitCode = new Promise<number>(resolve => {
    pty.onExit(ended => {
      running = false
      resolve(ended.exitCode)
    })
  })
  tools.onEnd(() => {
    if (running) pty.kill('SIGKILL')
  })
  let screen = ''
  const port = await new Promise<number>(resolve => {
    pty.onData(data => {
      screen += data
      const found = /127\.0\.0\.1:(\d+)/.exec(screen)?.[1]
      if (found !== undefined) resolve(Number(found))
    })
  })
  return {
    port,
    pid: pty.pid,
    recording: join(cwd, 'calls.ndjson'),
    stopReading: () => pty.pause(),
    kill: (signal: NodeJS.Signals) => process.kill(pty.pid, signal),
    exitCode,
  }
}

/** Milliseconds from each request to the end of its response, and the number of responses other than 200. */
async function sendEvents(port: number): Promise<{ times: number[]; refused: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: senders })
  const times: number[] = []
  let refused = 0
  let next = 0
  const send = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const began = performance.now()
      const post = request({ port, host: '127.0.0.1', method: 'POST', agent }, response => {
        if (response.statusCode !== 200) refused += 1
        response.resume().on('end', () => {
          times.push(performance.now() - began)
          resolve()
        })
      })
      const messages = [{ messageId: `m-${index}`, role: 'user', text: 'one two '.repeat(375) }]
      const message = { type: 'conversation-update', call: { id: `CC-${index % 1000}` }, messages }
      post.on('error', reject)
      post.end(JSON.stringify({ message }))
    })
  const sendInTurn = async () => {
    while (next < events) {
      next += 1
      await send(next)
    }
  }
  await Promise.all(Array.from({ length: senders }, sendInTurn))
  agent.destroy()
  return { times, refused }
}

async function countRecorded(path: string): Promise<{ lines: number; size: number }> {
  const file = await open(path)
  const ids = new Set<string>()
  let lines = 0
  for await (const line of file.readLines()) {
    lines += 1
    const id = /\bm-\d+/.exec(line)?.[0]
    if (id !== undefined) ids.add(id)
  }
  return { lines, size: ids.size }
}

async function residentMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}
