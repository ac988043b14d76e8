import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin, startBin } from '../helpers/run-bin.ts'
import { startTestRelay } from '../relay/start-test-relay.ts'
import { type ScriptedCall, startEventService } from './event-service.ts'

interface RunnersOptions {
  readonly servers: readonly string[]
  readonly people: number
  readonly settings?: readonly string[]
  scriptOf?(number: string): readonly ScriptedCall[]
}

/** Machines that share a batch: a folder each, a relay with a stream, and a service that sends events to the relay. */
export async function openSharedRunners({ servers, people, settings = [], scriptOf }: RunnersOptions) {
  const numbers = Array.from({ length: people }, (_, index) => `+1202555${1000 + index}`)
  const service = await startEventService(scriptOf ?? (() => [{ outcome: 'answered' }]))
  const relay = await startTestRelay(servers)
  const queue = servers.flatMap(server => ['--queue', server])
  const files = {
    'callyard.yaml': '',
    'assistants/desk.yaml': `name: Desk\nmaxCallDuration: 1\nassistantServer: { url: "${relay.source.address}" }\n`,
    'batches/calls.yaml': [
      ...['list: list.csv', 'from: "+12025550190"', 'assistant: ../assistants/desk.yaml'],
      ...['results: calls.results.csv', ...settings, ''],
    ].join('\n'),
    'batches/list.csv': `phone\n${numbers.join('\n')}\n`,
  }
  /** Creates the folder of a machine. */
  const open = async (changes: Readonly<Partial<Record<keyof typeof files, string>>> = {}) => {
    const folder = await temporaryFolder()
    const env = {
      PATH: process.env.PATH ?? '',
      CALLYARD_BASE_URL: service.origin,
      CALLYARD_API_KEY: 'key',
      CALLYARD_CONFIG_DIR: await temporaryFolder(),
    }
    for (const name of ['batches', 'assistants']) await mkdir(join(folder, name))
    for (const [file, content] of Object.entries({ ...files, ...changes }))
      await writeFile(join(folder, file), content)
    const runFlags = ['--yes', '--max-calls', '1000', '--no-log', '--json']
    return {
      folder,
      run: (...flags: string[]) =>
        startBin(['batch', 'run', 'calls', ...queue, ...runFlags, ...flags], { cwd: folder, env }),
      ask: (verb: string, ...more: string[]) =>
        runBin(['batch', verb, 'calls', ...queue, '--json', ...more], { cwd: folder, env }),
      read: (file: string) => readFile(join(folder, file), 'utf8'),
    }
  }
  const callsTo = (number: string) => service.calls.filter(call => call.number === number)
  return { numbers, service, relay, open, callsTo }
}
