import * as z from 'zod/mini'
import { parseJson } from '../../lib/json.ts'
import { isLoopback } from '../../lib/net/address.ts'
import type { RequestContext } from './api.ts'
import { parseBaseUrl } from './base-url.ts'
import { getBase } from './transport.ts'

interface TeamDeps extends RequestContext {
  /** Called before the parser of responses is compiled. */
  skipOptimizer?(): Promise<void>
  readonly timeoutMs?: number
}

const sandboxSchema = z.looseObject({ service: z.literal('callyard sandbox'), teamId: z.string() })

/** A sandbox on a busy machine takes seconds; one that is not recognized would be asked about, and scripts would fail. */
const defaultTimeoutMs = 10_000

/** True if an id looks like a team of callyard's sandbox. */
export function isSandboxTeam(teamId: string): boolean {
  return /^team-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(teamId)
}

/**
 * Team id of the sandbox at a loopback base URL; undefined unless the service identifies itself as a sandbox within the timeout,
 * because a local port may lead to any service (`ssh -L`, port forwarding, a proxy). Sends no key, and never asks a service
 * elsewhere: the interface has no endpoint that names the team.
 */
export async function sandboxTeam(
  baseUrl: string,
  { env, signal, clock, skipOptimizer, timeoutMs = defaultTimeoutMs }: TeamDeps,
): Promise<string | undefined> {
  const base = parseBaseUrl(baseUrl)
  if (!isLoopback(base)) return undefined
  await skipOptimizer?.()
  const result = await getBase(base, { env, signal, clock, timeoutMs })
  if (!('body' in result) || result.status !== 200) return undefined
  return sandboxSchema.safeParse(parseJson(result.body)).data?.teamId
}
