import { createServer } from 'node:http'
import { cannotListen } from '../../events/receive/index.ts'
import { atMost, type Clock } from '../../lib/clock.ts'
import { listen } from '../../lib/net/listen.ts'
import { nothingHere, refuse } from './page-http.ts'
import type { PrivatePage } from './private-page.ts'

interface ListenerOptions {
  /** 0 picks a free one. */
  readonly port: number
  readonly clock: Clock
}

/** A page on a listener of its own. */
export interface OpenedPage {
  /** Contains the secret path of the page. */
  readonly url: string
  /** Tells open pages about the end and closes the listener. */
  close(): Promise<void>
}

/**
 * Serves a page on loopback. Neither the listener nor its connections keep the process alive.
 * @throws CallyardError `conflict` if the port is in use, `usage` if the address cannot be listened on
 */
export async function listenWithPage(
  page: PrivatePage & { close(): Promise<void> },
  { port, clock }: ListenerOptions,
): Promise<OpenedPage> {
  const server = createServer((request, response) => {
    if (page.serve(request, response)) return
    response.on('error', () => undefined)
    refuse(response, nothingHere)
  })
  const address = { host, port }
  const listening = await listen(server, { ...address, unref: true }, error => cannotListen(error, address))
  let closing: Promise<void> | undefined
  const close = async () => {
    await atMost(drainTimeMs, page.close(), clock)
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://${host}:${listening}${page.path}`,
    close() {
      closing ??= close()
      return closing
    },
  }
}

const host = '127.0.0.1'
/** Time for pages to read the last state. */
const drainTimeMs = 1000
