import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports that the system gives neither to connections nor to servers on port 0, which would take one before its server starts. */
const ports = { from: 10_000, to: 32_000 }

/** Returns a loopback port that is free now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    await new Promise(resolve => server.close(resolve))
    if (isFree) return port
  }
}
