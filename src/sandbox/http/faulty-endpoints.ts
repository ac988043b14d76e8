import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { type HttpFaults, httpFaultOf, type SeededRandom } from '../faults/faults.ts'
import type { Log } from '../log/events.ts'
import { Problem } from '../records/problem.ts'

export interface SandboxServer {
  readonly Bindings: HttpBindings
  readonly Variables: RequestIdVariables
}

interface FaultyEndpointsOptions {
  readonly faults: HttpFaults
  readonly random: SeededRandom
  readonly log: Log
}

/**
 * `--fault-http`: 429 and 500 are answered and nothing is done; a hang is never answered and nothing is done; with a reset
 * everything is done and the answer is lost with the connection. Decided for each request by how many came before it.
 * @throws Problem 429, 500
 */
export function faultyEndpoints({
  faults,
  random,
  log,
}: FaultyEndpointsOptions): MiddlewareHandler<SandboxServer> {
  let requests = 0
  return async ({ req, env: { incoming }, var: { requestId } }, next) => {
    const fault = httpFaultOf(faults, random, requests)
    requests += 1
    if (fault !== undefined) log({ kind: 'fault', fault, requestId, method: req.method, path: req.path })
    if (fault === '429') {
      throw new Problem(429, 'a fault on request: the sandbox takes no more requests; nothing was done', {
        headers: { 'retry-after': '1' },
      })
    }
    if (fault === '500') throw new Problem(500, 'a fault on request: nothing was done')
    if (fault === 'hang') {
      // Read on, or nobody would notice that the client has left. What never settles is collected with the connection.
      incoming.resume()
      return new Promise(() => {})
    }
    await next()
    if (fault === 'reset') incoming.socket.resetAndDestroy()
  }
}
