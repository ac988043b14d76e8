import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { type CallwrightError, codeOf } from '../../lib/error.ts'
import { hashOf } from '../../lib/hash.ts'
import { createOpenBodies } from '../../lib/net/open-bodies.ts'
import type { ControlCommand } from '../call/call-runner.ts'
import { type HttpFaults, sandboxError } from '../events.ts'
import { openWorld, type World, type WorldOptions } from '../world.ts'
import { createRoutes } from './routes.ts'

export interface SandboxOptions extends Omit<WorldOptions, 'baseUrl'> {
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  readonly httpFaults?: HttpFaults | undefined
}

export interface Sandbox {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly port: number
  /** Does to a call what a POST to its control URL does. @throws Problem 404, 409 */
  control(callId: string, intervention: ControlCommand): void
  /** Resolves when no call runs and no webhook waits. */
  idle(): Promise<void>
  /** Ends all calls, sends the webhooks that wait (for at most five seconds), closes server and journal. */
  close(): Promise<void>
}

/**
 * The whole service of interface.md 4 to 6, on this machine.
 * @throws an error of SandboxErrors
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', clock, httpFaults, log = () => {} } = options
  let baseUrl = ''
  const world = await openWorld({ ...options, baseUrl: () => baseUrl })
  // By the key's hash: a look-up by the key itself takes a time that tells of it.
  const worlds: ReadonlyMap<string, World> = new Map([[hashOf(world.team.apiKey), world]])
  const openBodies = createOpenBodies({ clock })
  const routes = createRoutes({
    worldOf: apiKey => worlds.get(hashOf(apiKey)),
    teamId: world.team.teamId,
    log,
    openBodies,
    httpFaults,
  })
  const server = createAdaptorServer({
    fetch: routes.fetch,
    // How long a body may take depends on its size: openBodies cuts the slow ones.
    serverOptions: { headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 5000 },
  }) as Server
  try {
    const port = await listen(server, host, options.port)
    baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    return {
      baseUrl,
      apiKey: world.team.apiKey,
      port,
      control: world.calls.intervene,
      idle: world.idle,
      async close() {
        const closed = new Promise<void>(resolve => server.close(() => resolve()))
        await world.close()
        openBodies.close()
        server.closeAllConnections()
        await closed
      },
    }
  } catch (error) {
    await world.close()
    throw error
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, host, port)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function cannotListen(error: Error, host: string, port: number): CallwrightError {
  return codeOf(error) === 'EADDRINUSE'
    ? sandboxError('conflict', 'port-taken', { host, port }, error)
    : sandboxError('usage', 'sandbox-cannot-listen', { host, port }, error)
}
