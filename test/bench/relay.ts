import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { startNats } from '../helpers/nats-process.ts'
import { reservePort } from '../helpers/ports.ts'
import { bareEnvironment } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atLeast, defineBench } from './table.ts'
import { startWorker } from './worker.ts'

const requests = 20_000
const calls = 5000
const maxRelays = 3

/**
 * The rate at which relays acknowledge events, against bare node:http that appends and syncs the same bodies in groups. Relays publish to
 * nats-server at the same time. All of them, and the load, are processes that share the machine: with two cores, more relays take each
 * other's time. Processor time does not depend on that.
 */
export const relayBench = defineBench({
  name: 'relay',
  rows: {
    accept: {
      work: '`webhook relay`: rate of 20,000 events, against node:http with the same synced append',
      unit: 'times',
      floor: '1',
      goal: atLeast(0.8),
    },
    publish: {
      work: '`webhook relay`: the same until JetStream has acknowledged the last event',
      unit: 'times',
      floor: '1',
    },
    two: { work: '`webhook relay`: rate of 2 relays together, against one node:http', unit: 'times' },
    three: { work: '`webhook relay`: rate of 3 relays together, against one node:http', unit: 'times' },
    cpu: {
      work: '`webhook relay`: processor time of an event, accepted and published, against node:http',
      unit: 'times',
      floor: '1',
    },
  },
  async measure({ bin, folder, rounds }) {
    const nats = await startNats({ folder })
    const bare = await startServer(['-e', bareProgram, join(folder, 'bare.ndjson')])
    const relays = await Promise.all(
      Array.from({ length: maxRelays }, (_, index) => startRelay({ bin, folder, server: nats.url, index })),
    )
    const load = startWorker(loadProgram)
    const send = async (servers: readonly Server[]): Promise<Sample> => {
      const cpu = () => ({
        servers: servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
        broker: cpuSeconds(nats.pid),
        load: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
      })
      const [before, started] = [cpu(), performance.now()]
      const rate = await load.ask({ ports: servers.map(({ port }) => port), requests, calls })
      const sent = cpu()
      while ((await Promise.all(servers.map(({ unpublished }) => unpublished()))).some(left => left > 0))
        await delay(20)
      const after = cpu()
      return {
        rate,
        storedRate: requests / ((performance.now() - started) / 1000),
        cpu: {
          servers: after.servers - before.servers,
          broker: after.broker - before.broker,
          load: sent.load - before.load,
        },
      }
    }
    const works = {
      bare: () => send([bare]),
      one: () => send(relays.slice(0, 1)),
      two: () => send(relays.slice(0, 2)),
      three: () => send(relays),
    }
    try {
      await interleaved(1, works)
      const samples = await interleaved(rounds(7), works)
      const rates = (name: keyof typeof works) => samples[name].map(({ rate }) => rate)
      const row = (name: 'one' | 'two' | 'three') => ({
        value: medianRatio(rates(name), rates('bare')),
        detail: `${perSecond(rates(name))}; bare node:http: ${perSecond(rates('bare'))}`,
      })
      const stored = samples.one.map(({ storedRate }) => storedRate)
      const cpu = (name: keyof typeof works, part: keyof Sample['cpu']) =>
        samples[name].map(sample => sample.cpu[part])
      const micros = (name: keyof typeof works, part: keyof Sample['cpu']) =>
        `${((1e6 * median(cpu(name, part))) / requests).toFixed(0)} µs`
      return {
        accept: row('one'),
        publish: { value: medianRatio(stored, rates('bare')), detail: perSecond(stored) },
        two: row('two'),
        three: row('three'),
        cpu: {
          value: medianRatio(cpu('one', 'servers'), cpu('bare', 'servers')),
          detail:
            `relay ${micros('one', 'servers')}, broker ${micros('one', 'broker')}, load ${micros('one', 'load')}; ` +
            `bare ${micros('bare', 'servers')}; 2 relays ${micros('two', 'servers')}, 3 relays ${micros('three', 'servers')}`,
        },
      }
    } finally {
      await load.end()
      for (const { kill } of [bare, ...relays]) kill()
      await nats.kill()
    }
  },
})

interface Sample {
  /** Events per second until the last one was acknowledged with 200. */
  readonly rate: number
  /** The same until JetStream has acknowledged it. */
  readonly storedRate: number
  /** Seconds. */
  readonly cpu: { readonly servers: number; readonly broker: number; readonly load: number }
}

interface Server {
  readonly port: number
  readonly pid: number | undefined
  /** Events that JetStream has not acknowledged. */
  unpublished(): Promise<number>
  kill(): void
}

function perSecond(values: readonly number[]): string {
  return `${median(values).toFixed(0)}/s`
}

/** User and system time of a process, from /proc: in hundredths, of all its threads. NaN where the system has none. */
function cpuSeconds(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

/** Starts a server that prints a line of JSON with its `url`. */
async function startServer(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const child = spawn(process.execPath, argv, {
    env: { ...bareEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line)
    if (url === undefined) continue
    child.stdout.resume()
    return {
      port: Number(new URL(url).port),
      pid: child.pid,
      unpublished: async () => 0,
      kill: () => void child.kill('SIGKILL'),
    }
  }
  throw new Error(`${argv.slice(0, 3).join(' ')} did not start`)
}

async function startRelay({
  bin,
  folder,
  server,
  index,
}: {
  readonly bin: string
  readonly folder: string
  readonly server: string
  readonly index: number
}): Promise<Server> {
  const status = await reservePort()
  const spool = join(folder, `spool-${index}`)
  const argv = ['webhook', 'relay', '--json', '--nats', server, '--spool', spool, '--max-bytes', '1gb']
  const relay = await startServer([bin, ...argv, '--port', '0', '--status-port', String(status)], {
    CALLYARD_CONFIG_DIR: join(folder, '.settings'),
  })
  return {
    ...relay,
    async unpublished() {
      const metrics = await (await fetch(`http://127.0.0.1:${status}/metrics`)).text()
      return Number(/^callyard_relay_spool_unpublished (\d+)$/m.exec(metrics)?.[1])
    },
  }
}

/** Bodies that arrive during a sync share the next one. Plain JavaScript, for a separate process. */
const bareProgram = `
const { createServer } = require('node:http')
const { fsync, openSync, writeSync } = require('node:fs')
const { promisify } = require('node:util')
const sync = promisify(fsync)
const file = openSync(process.argv[1], 'a', 0o600)
const newline = Buffer.from('\\n')
let waiting = []
let isWriting = false
const write = async () => {
  isWriting = true
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    writeSync(file, Buffer.concat(group.map(({ line }) => line)))
    await sync(file)
    for (const { synced } of group) synced()
  }
  isWriting = false
}
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', async () => {
    await new Promise(synced => {
      waiting.push({ line: Buffer.concat([...chunks, newline]), synced })
      if (!isWriting) void write()
    })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 })
    response.end('{}')
  })
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))
process.stdin.on('end', () => process.exit()).resume()
`

/** Sends events of 1 KB, of the calls in turn, over 16 sockets to the ports in turn, 8 at a time on each. Plain JavaScript, for a separate thread. */
const loadProgram = `
const { parentPort } = require('node:worker_threads')
const { connect } = require('node:net')
const marker = Buffer.from('HTTP/1.1 200')
const text = 'We are open on Saturday from nine to one; shall I book you in for ten?'
let number = 0
const nextRequest = calls => {
  const id = 'CC-' + (number++ % calls * 2654435761 % 4294967296).toString(16).padStart(8, '0') + '-0f0e-4bfb-8d0c-1a51c6ac7ff1'
  const messages = Array.from({ length: 4 }, (_, index) => ({ messageId: number + '-' + index, role: 'user', text, timestamp: '2026-03-01T10:00:00.000Z' }))
  const body = JSON.stringify({ message: { type: 'conversation-update', call: { id, teamId: 'team-1', status: 'ongoing' }, messages } })
  return 'POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body
}
parentPort.on('message', ({ ports, requests, calls }) => {
  const started = performance.now()
  let sent = 0
  let answered = 0
  const sockets = Array.from({ length: 16 }, (_, index) => {
    const socket = connect(ports[index % ports.length], '127.0.0.1')
    const send = count => {
      for (; count > 0 && sent < requests; count--, sent++) socket.write(nextRequest(calls))
    }
    socket.on('data', chunk => {
      let count = 0
      for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 12)) count++
      answered += count
      if (answered < requests) return send(count)
      for (const each of sockets) each.destroy()
      parentPort.postMessage(requests / ((performance.now() - started) / 1000))
    })
    send(8)
    return socket
  })
})
`
