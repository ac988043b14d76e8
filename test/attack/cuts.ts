import { mkdir, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Attack, AttackResult, AttackTools } from './attack.ts'
import { type Service, startService } from './service.ts'

const count = 200
const ways: Readonly<Record<string, (connection: Socket) => void>> = {
  ended: connection => connection.end(),
  reset: connection => connection.resetAndDestroy(),
}

/** A command with many POSTs: what is in its folder, and what the service has when each arrived once. */
interface Sender {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly argv: readonly string[]
  /** Runs of the command. */
  readonly runs: number
  readonly arrived: (service: Service) => readonly string[]
}

const numbers = Array.from({ length: count }, (_, number) => number)
const senders: readonly Sender[] = [
  {
    name: 'apply',
    files: {
      'callyard.yaml': '{}\n',
      ...Object.fromEntries(numbers.map(number => [`assistants/a${number}.yaml`, `name: a${number}\n`])),
    },
    argv: ['apply', '--yes', '--json'],
    runs: 1,
    arrived: ({ made }) => made.map(({ name }) => name),
  },
  {
    name: 'faq push',
    files: {
      'kb.yaml': `knowledgeBaseId: kb\nfaq:\n${numbers.map(number => `  - { question: "q${number}", answer: a }\n`).join('')}`,
    },
    argv: ['faq', 'push', 'kb.yaml', '--json', '--batch-size', '1'],
    runs: 1,
    arrived: ({ entries }) => entries.map(({ question }) => question),
  },
  {
    name: 'call start',
    files: {},
    argv: ['call', 'start', '--yes', '--from', '+12025550100', '--to', '+12025550123', '--json'],
    runs: 20,
    arrived: ({ made }) => made.map(({ id }) => id),
  },
]

/** Servers and gateways that close a kept-alive connection without `Connection: close`. */
export const cuts: Attack = {
  about: `${count} requests of each command at a service that closes the connection after each response`,
  async run(tools) {
    const results: AttackResult[] = []
    for (const sender of senders)
      for (const [way, cut] of Object.entries(ways)) {
        tools.note(`${sender.name}: connections ${way}`)
        results.push(await send(sender, way, cut, tools))
      }
    return results
  },
}

async function send(
  { name, files, argv, runs, arrived }: Sender,
  way: string,
  cut: (connection: Socket) => void,
  tools: AttackTools,
): Promise<AttackResult> {
  const cwd = await tools.folder()
  const service = await startService(tools, { cut })
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(cwd, file, '..'), { recursive: true })
    await writeFile(join(cwd, file), text)
  }
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...service.env(await tools.folder()) }
  let failed = 0
  for (let run = 0; run < runs; run += 1) {
    const { exitCode } = await execa(process.execPath, [tools.bin, ...argv], {
      cwd,
      env,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })
    if (exitCode !== 0) failed += 1
  }
  const found = arrived(service)
  const wanted = name === 'call start' ? runs : count
  return {
    what: `${name}, connections ${way}`,
    attacks: found.length,
    lost: wanted - new Set(found).size + failed,
    doubled: found.length - new Set(found).size,
    late: 0,
    detail: 'lost: missing at the service, and runs that ended with an unknown outcome',
  }
}
