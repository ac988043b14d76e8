import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { CallerTurn } from '../../files/formats/caller-script.ts'
import { derivedSeed } from '../../lib/deterministic.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { lazy } from '../../lib/lazy.ts'
import { urlHost } from '../../lib/net/address.ts'
import { createBodyReader } from '../../lib/net/body-reader.ts'
import { listen } from '../../lib/net/listen.ts'
import { seedAt } from '../world.ts'
import type { OpenWorldOptions, WorldOptions } from '../world-options.ts'
import { createWorlds, isBearerToken } from '../worlds.ts'

export interface SandboxOptions extends Omit<WorldOptions, 'baseUrl'> {
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** Public base URL without a trailing slash. Default: from host and port. */
  readonly publicUrl?: string | undefined
  /** Token for `/__sandbox/`. Default: a new one; false disables it. */
  readonly controlToken?: string | false | undefined
  /** Handles requests for a page on the same server; returns false for other requests. */
  readonly page?: { serve(request: IncomingMessage, response: ServerResponse): boolean } | undefined
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/**
 * The whole service of interface.md 4 to 6, on this machine.
 * @throws `unusable-control-token`, `port-taken`, `sandbox-cannot-listen`, and errors of `openWorld`
 */
export async function startSandbox(options: SandboxOptions) {
  const { host = '127.0.0.1', publicUrl, clock, page, unref, log = () => {} } = options
  let baseUrl = ''
  const { controlToken = `cy_control_${randomBytes(24).toString('base64url')}` } = options
  if (controlToken !== false && !isBearerToken(controlToken))
    throw new CallyardError('usage', 'the control token cannot be sent as a bearer token', {
      code: 'unusable-control-token',
      hint: 'use only letters, digits and - . _ ~ + /, or unset CALLYARD_SANDBOX_TOKEN to create one',
    })
  const worlds = createWorlds({ ...options, baseUrl: () => baseUrl })
  const first = await worlds.open(options)
  let unnamed = 0
  /** Equal ids in two worlds would mix up their webhooks at one receiver. A name stays the same when tests open worlds in another order. */
  const seedOf = ({ teamId, apiKey, pace = options.pace }: OpenWorldOptions) => {
    if (teamId === undefined && apiKey === undefined) unnamed += 1
    const seed = options.seed ?? seedAt(pace)
    return seed === undefined ? undefined : derivedSeed(seed, teamId ?? apiKey ?? unnamed)
  }
  const openWorld = (own: OpenWorldOptions = {}) => {
    const seed = own.seed ?? seedOf(own)
    return worlds.open({
      data: undefined,
      entries: undefined,
      teamId: undefined,
      apiKey: undefined,
      ...own,
      seed,
    })
  }
  const bodies = createBodyReader({ clock })
  let listener: RequestListener | undefined
  /** Loaded by the first request, because in-process calls need no router. */
  const loadListener = lazy(async () => {
    const [{ getRequestListener }, { createRoutes }] = await Promise.all([
      import('@hono/node-server'),
      import('./routes.ts'),
    ])
    const routes = createRoutes({
      worldOf: worlds.byKey,
      first,
      log,
      clock,
      host: publicUrl === undefined ? host : new URL(publicUrl).hostname,
      bodies,
      control:
        controlToken === false
          ? undefined
          : {
              token: controlToken,
              worlds: { all: worlds.all, open: openWorld },
            },
    })
    listener = getRequestListener(routes.fetch)
    return listener
  })
  const server = createServer(
    // How long a body may take depends on its size: the reader of bodies cuts the slow ones.
    { headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 5000 },
    (request, response) => {
      if (page?.serve(request, response) === true) return
      if (listener !== undefined) void listener(request, response)
      else void loadListener().then(loaded => loaded(request, response))
    },
  )
  try {
    const port = await listen(server, { host, port: options.port, unref }, error =>
      cannotListen(host, options.port, error),
    )
    baseUrl = publicUrl ?? `http://${urlHost(host)}:${port}`
    return {
      /** Without a slash at the end. */
      baseUrl,
      apiKey: first.team.apiKey,
      port,
      first,
      worlds: worlds.all,
      /** Token for `/__sandbox/`; undefined if disabled. */
      controlToken: controlToken === false ? undefined : controlToken,
      /**
       * Opens another empty world in memory with its own API key; its `close` removes it. Without a seed, the seed depends on the
       * sandbox's and on the world's team id, key or index. At most 1,000 worlds are open besides the first.
       * @throws `key-taken`, `team-taken`, `too-many-worlds`, `bad-pace`
       */
      world: openWorld,
      /** Does what the live caller of a call in the first world does. @throws Problem 404, 409 */
      act: (callId: string, turn: CallerTurn) => first.calls.act(callId, turn),
      /** Resolves when no call of any world runs and no webhook waits. */
      async idle() {
        await Promise.all(worlds.all().map(world => world.idle()))
      },
      /** Ends all calls, sends the webhooks that wait (for at most five seconds), closes server, worlds and journal. */
      async close() {
        const closed = new Promise<void>(resolve => server.close(() => resolve()))
        await worlds.close()
        bodies.close()
        server.closeAllConnections()
        await closed
      },
    }
  } catch (error) {
    await worlds.close()
    throw error
  }
}

function cannotListen(host: string, port: number, cause: unknown): CallyardError {
  const details = { host, port }
  return getErrorCode(cause) === 'EADDRINUSE'
    ? new CallyardError('conflict', `port ${port} on ${host} is already in use`, {
        code: 'port-taken',
        hint: 'stop the other process, or choose another port (0 for a free one)',
        details,
        cause,
      })
    : new CallyardError('usage', `the sandbox cannot listen on ${host}:${port}: ${getErrorReason(cause)}`, {
        code: 'sandbox-cannot-listen',
        hint: 'choose another host or port',
        details,
        cause,
      })
}
