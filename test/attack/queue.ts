import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import { Agent, request } from 'undici'
import { clusterConfigs, type NatsProcess, startNats } from '../helpers/nats-process.ts'
import type { Attack, AttackTools } from './attack.ts'

const people = Number(process.env.CALLYARD_ATTACK_PEOPLE ?? 20_000)
const runnerCount = 8
const concurrency = 100
/** With less, the cluster and the runners hardly do anything else than recover. */
const troubleEveryMs = Number(process.env.CALLYARD_ATTACK_PAUSE_MS ?? 10_000)

/** One batch of 8 runners on a cluster of three brokers, while runners are killed, stopped and cut off, and brokers restart. */
export const queue: Attack = {
  about: `${runnerCount} runners call ${people} people of one batch, with kills, stops, partitions, and restarts of one and all brokers`,
  async run(tools) {
    const began = performance.now()
    const brokers = await startBrokers(tools)
    const relay = await startRelay(brokers, tools)
    const service = await startService(relay.url, tools)
    const runners = await Promise.all(
      Array.from({ length: runnerCount }, (_, index) =>
        openRunner({ index, brokers, relay: relay.url, service: service.origin }, tools),
      ),
    )
    for (const runner of runners) runner.start()
    const counts = await trouble(runners, brokers, service, tools)
    for (const runner of runners) await runner.ended()
    const { report, unknown } = await readStatus(runners[0]?.env ?? {}, brokers, tools)
    const calls = new Map<string, number>()
    for (const number of service.accepted) calls.set(number, (calls.get(number) ?? 0) + 1)
    const forgotten = numbers().filter(number => !calls.has(number) && !unknown.has(number)).length
    const { due, waiting } = report.counts
    return [
      {
        what: `shared batch of ${people} people, ${runnerCount} runners, 3 brokers`,
        attacks: Object.values(counts).reduce((sum, count) => sum + count, 0),
        lost: forgotten + due + waiting,
        doubled: [...calls.values()].filter(count => count > 1).length,
        late: Math.max(0, service.peak() - concurrency),
        detail: [
          `${counts.kill} kills, ${counts.stop} stops, ${counts.partition} partitions, ${counts.broker} broker restarts, ${counts['all-brokers']} of all at once`,
          `at most ${service.peak()} of ${concurrency} calls at the same time`,
          `${unknown.size} may have been called, of whom ${[...unknown].filter(number => calls.has(number)).length} were`,
          `${Math.round((performance.now() - began) / 1000)} s`,
        ].join('; '),
      },
    ]
  },
}

function numbers(): string[] {
  return Array.from(
    { length: people },
    (_, index) => `+1${202 + Math.floor(index / 10_000)}555${String(index % 10_000).padStart(4, '0')}`,
  )
}

async function startBrokers(tools: AttackTools): Promise<readonly NatsProcess[]> {
  // A client that learned of other brokers would get around a partition.
  const configs = (await clusterConfigs()).map(config =>
    config.replace('cluster { ', 'cluster { no_advertise: true, '),
  )
  const brokers = await Promise.all(
    configs.map(async config => startNats({ folder: await tools.folder(), config })),
  )
  for (const broker of brokers) tools.onEnd(() => broker.kill())
  return brokers
}

async function startRelay(brokers: readonly NatsProcess[], tools: AttackTools) {
  const child = spawn(
    process.execPath,
    [
      ...[tools.bin, 'webhook', 'relay', '--nats', brokers.map(({ url }) => url).join(','), '--json'],
      ...['--spool', await tools.folder(), '--port', '0', '--status-port', '0', '--max-bytes', '1gb'],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  tools.onEnd(() => child.kill('SIGKILL'))
  for await (const [line] of on(createInterface({ input: child.stdout }), 'line'))
    if (line.includes('"kind":"ready"')) {
      // A relay whose output nobody reads waits.
      child.stdout.resume()
      return { url: String(JSON.parse(line).url) }
    }
  throw new Error('the relay did not start')
}

/** A service whose calls last a while, and send their events to the relay. */
async function startService(relay: string, tools: AttackTools) {
  const accepted: string[] = []
  const agent = new Agent({ connections: 32 })
  let live = 0
  let peak = 0
  const deliver = async (message: object) => {
    const body = JSON.stringify({ message })
    for (;;) {
      try {
        const response = await request(relay, { method: 'POST', body, dispatcher: agent })
        await response.body.dump()
        if (response.statusCode === 200) return
      } catch {
        // The relay is busy.
      }
      await delay(100)
    }
  }
  const run = async (id: string, userNumber: string, assistantNumber: string) => {
    const call = { id, callType: 'web', direction: 'outbound', userNumber, assistantNumber }
    await deliver({ type: 'status-update', call: { ...call, status: 'ongoing' }, analysis: {} })
    await delay(300 + Math.random() * 1200)
    live -= 1
    const ended = { ...call, status: 'finished', callEndTriggerBy: 'user' }
    await deliver({ type: 'status-update', call: ended, analysis: {} })
  }
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(404).end()
    const chunks: Buffer[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk)
    } catch {
      return
    }
    const { userNumber, assistantNumber } = JSON.parse(Buffer.concat(chunks).toString())
    accepted.push(userNumber)
    live += 1
    peak = Math.max(peak, live)
    const id = `CC-${accepted.length}`
    void run(id, userNumber, assistantNumber)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sid: id }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  tools.onEnd(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, accepted, peak: () => peak }
}

type Runner = Awaited<ReturnType<typeof openRunner>>

interface RunnerParts {
  readonly index: number
  readonly brokers: readonly NatsProcess[]
  readonly relay: string
  readonly service: string
}

/** A machine with the files of the batch, which reaches each broker through a proxy that can be cut. */
async function openRunner({ index, brokers, relay, service }: RunnerParts, tools: AttackTools) {
  const folder = await tools.folder()
  const files = {
    'callyard.yaml': '',
    'assistants/desk.yaml': `name: Desk\nmaxCallDuration: 1\nassistantServer: { url: "${relay}" }\n`,
    'batches/calls.yaml': `list: list.csv\nfrom: "+12025550190"\nassistant: ../assistants/desk.yaml\nconcurrency: ${concurrency}\n`,
    'batches/list.csv': `phone\n${numbers().join('\n')}\n`,
  }
  for (const name of ['batches', 'assistants']) await mkdir(join(folder, name))
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content)
  const proxies = await Promise.all(brokers.map(({ port }) => startProxy(port, tools)))
  const env = {
    ...{ PATH: process.env.PATH, CALLYARD_BASE_URL: service, CALLYARD_API_KEY: 'key' },
    CALLYARD_CONFIG_DIR: await tools.folder(),
  }
  const order = [...proxies.slice(index % 3), ...proxies.slice(0, index % 3)]
  const argv = [
    ...['batch', 'run', 'calls', '--yes', '--max-calls', String(10 * people), '--no-log', '--json'],
    ...['--queue', order.map(({ url }) => url).join(',')],
  ]
  let child: ReturnType<typeof spawnRunner> | undefined
  let isEnding = false
  tools.onEnd(() => {
    isEnding = true
    child?.kill('SIGKILL')
  })
  const spawnRunner = () => {
    const started = execa(process.execPath, [tools.bin, ...argv], {
      ...{
        cwd: folder,
        env,
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        buffer: { stderr: true, stdout: false },
      },
    })
    // A paused stream would stop the runner.
    started.stdout.resume()
    void started.then(({ exitCode, stderr }) => {
      if (exitCode !== undefined && exitCode !== 0)
        tools.note(`runner ${index} ended ${exitCode}: ${stderr.slice(-800)}`)
    })
    return started
  }
  return {
    env,
    get isRunning() {
      return child !== undefined && child.exitCode === null && child.signalCode === null
    },
    start() {
      child = spawnRunner()
    },
    kill: (signal: NodeJS.Signals) => child?.kill(signal),
    cut(isCut: boolean) {
      for (const proxy of proxies) proxy.cut(isCut)
    },
    /** Waits for the process, and starts it again while it ends with anything but the end of the batch. */
    async ended() {
      for (;;) {
        child?.kill('SIGCONT')
        const ended = await child
        if (isEnding || ended?.exitCode === 0 || ended?.exitCode === 9) return
        child = spawnRunner()
      }
    },
  }
}

async function startProxy(target: number, tools: AttackTools) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createTcpServer(socket => {
    if (isCut) return void socket.destroy()
    const other = connect(target, '127.0.0.1')
    for (const each of [socket, other]) {
      sockets.add(each)
      each.on('error', () => undefined)
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        other.destroy()
      })
    }
    socket.pipe(other).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  tools.onEnd(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `nats://127.0.0.1:${port}`,
    cut(now: boolean) {
      isCut = now
      if (isCut) for (const socket of sockets) socket.destroy()
    },
  }
}

/** Makes trouble until most people were called. */
async function trouble(
  runners: readonly Runner[],
  brokers: readonly NatsProcess[],
  service: { readonly accepted: readonly string[] },
  tools: AttackTools,
) {
  const counts = { kill: 0, stop: 0, partition: 0, broker: 0, 'all-brokers': 0 }
  const busy = new Set<object>()
  const during = async (subject: object, work: () => Promise<unknown>) => {
    if (busy.has(subject)) return
    busy.add(subject)
    await work()
    busy.delete(subject)
  }
  const works: Promise<unknown>[] = []
  // A broker that was restarted is left alone for a while.
  const kinds = ['kill', 'all-brokers', 'stop', 'partition', 'kill', 'broker', 'stop', 'partition'] as const
  for (let turn = 0; service.accepted.length < people * 0.9; turn += 1) {
    await delay(troubleEveryMs)
    if (turn % 5 === 0) tools.note(`${service.accepted.length} calls, ${JSON.stringify(counts)}`)
    if (runners.every(({ isRunning }) => !isRunning)) break
    const kind = kinds[turn % kinds.length] ?? 'kill'
    if (kind === 'broker' || kind === 'all-brokers') {
      if (busy.has(brokers)) continue
      const chosen =
        kind === 'broker' ? brokers.filter((_, index) => index === turn % brokers.length) : brokers
      counts[kind] += 1
      works.push(
        during(brokers, async () => {
          await Promise.all(chosen.map(broker => broker.kill()))
          await delay(2000)
          await Promise.all(chosen.map(broker => broker.restart()))
          await delay(5000)
        }),
      )
      continue
    }
    const runner = runners[Math.floor(Math.random() * runners.length)]
    if (runner === undefined || busy.has(runner) || !runner.isRunning) continue
    counts[kind] += 1
    works.push(
      during(runner, async () => {
        if (kind === 'kill') {
          runner.kill('SIGKILL')
          await delay(2000)
          runner.start()
        } else if (kind === 'stop') {
          runner.kill('SIGSTOP')
          await delay(turn % 2 === 0 ? 60_000 : 5000)
          runner.kill('SIGCONT')
        } else {
          runner.cut(true)
          await delay(15_000)
          runner.cut(false)
        }
      }),
    )
  }
  await Promise.all(works)
  return counts
}

async function readStatus(
  env: Readonly<Record<string, string | undefined>>,
  brokers: readonly NatsProcess[],
  tools: AttackTools,
) {
  const { stdout } = await execa(
    process.execPath,
    [tools.bin, 'batch', 'status', 'calls', '--json', '--queue', brokers.map(({ url }) => url).join(',')],
    { cwd: await tools.folder(), env, extendEnv: false, reject: false },
  )
  const report = JSON.parse(stdout) as {
    readonly counts: { readonly due: number; readonly waiting: number }
    readonly unknown: readonly { readonly number: string }[]
  }
  return { report, unknown: new Set(report.unknown.map(({ number }) => number)) }
}
