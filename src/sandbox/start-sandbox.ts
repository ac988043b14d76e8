import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Clock } from '../context.ts'
import { CliError } from '../errors.ts'
import type { Vocabulary } from '../interface/vocabulary.ts'
import { createCalls } from './call/calls.ts'
import type { Log } from './events.ts'
import { createRoutes } from './http/routes.ts'
import { createPhoneLines, type PhoneNumber } from './records/phone-numbers.ts'
import { openRecords } from './records/records.ts'
import { createResources } from './records/resources.ts'
import { createOfflineResponder } from './reply/responder.ts'
import { createKnowledge } from './tools/knowledge.ts'
import { createDelivery } from './webhooks/delivery.ts'

export interface SandboxOptions {
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** How many times faster than real time calls run; 0 does not wait at all. */
  readonly pace: number
  /** The journal file; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Instead of the journal's key, or a new one. */
  readonly apiKey?: string | undefined
  /** Undefined: any number or id is taken. */
  readonly numbers?: readonly PhoneNumber[] | undefined
  readonly vocabulary?: Vocabulary | undefined
  readonly clock: Clock
  readonly log?: Log
  /** Where the ids of records come from; random UUIDs unless given. */
  readonly newId?: () => string
}

export interface Sandbox {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly port: number
  /** Resolves when no call runs and no webhook waits. */
  idle(): Promise<void>
  /** Ends all calls, sends the webhooks that wait (for at most five seconds), closes server and journal. */
  close(): Promise<void>
}

/** Milliseconds in which the last webhooks must be sent when the sandbox stops. */
const drainTime = 5000

/**
 * The whole service of interface.md sections 4 to 6, on this machine.
 * @throws CliError `conflict` when the port or the journal is taken, `invalid` when the journal is damaged,
 * `usage` when it cannot be read or written.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', pace, clock, vocabulary = {}, log = () => {}, newId = randomUUID } = options
  const records = await openRecords({ data: options.data, apiKey: options.apiKey, clock, log })
  const { store, team } = records
  const { apiKey } = team
  const shared = { records, store, clock, pace, vocabulary, log, newId }
  const delivery = createDelivery(shared)
  let baseUrl = ''
  const calls = createCalls({
    ...shared,
    delivery,
    lines: createPhoneLines(options.numbers, store),
    respond: createOfflineResponder(createKnowledge(store)),
    baseUrl: () => baseUrl,
  })
  const routes = createRoutes({ ...shared, apiKey, calls, resources: createResources(shared) })
  const server = createAdaptorServer({ fetch: routes.fetch }) as Server
  try {
    const port = await listen(server, host, options.port)
    baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    return {
      baseUrl,
      apiKey,
      port,
      async idle() {
        await calls.idle()
        await delivery.idle()
      },
      async close() {
        const closed = new Promise<void>(resolve => server.close(() => resolve()))
        await calls.endAll()
        await delivery.close(drainTime)
        server.closeAllConnections()
        await closed
        await records.close()
      },
    }
  } catch (error) {
    await records.close()
    throw error
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, host, port)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function cannotListen(error: Error, host: string, port: number): CliError {
  const taken = 'code' in error && error.code === 'EADDRINUSE'
  return new CliError(
    taken ? 'conflict' : 'usage',
    taken
      ? `port ${port} on ${host} is already in use`
      : `the sandbox cannot listen on ${host}:${port}: ${error.message}`,
    {
      hint: taken ? 'use --port 0 for a free one, or stop what uses it' : 'give another --host or --port',
      cause: error,
    },
  )
}
