import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { AttackTools } from './attack.ts'

export interface Service {
  /** Environment of a command that uses it; `config` is a folder for its settings. */
  env(config: string): Record<string, string>
  /** Stored FAQ entries, in order. */
  readonly entries: readonly { readonly id: string; readonly question: string }[]
  /** Created tools and assistants, in order. */
  readonly made: readonly { readonly id: string; readonly name: string }[]
}

const faqBody = z.object({ faq: z.array(z.looseObject({ question: z.string() })) })
const namedBody = z.looseObject({
  name: z.optional(z.string()),
  function: z.optional(z.looseObject({ name: z.string() })),
})

/**
 * A service that stores requests and reports its records; it responds a moment after storing. With `cut`, it silently closes each
 * connection after its response.
 */
export async function startService(
  { onEnd }: AttackTools,
  { cut }: { readonly cut?: (connection: Socket) => void } = {},
): Promise<Service> {
  const entries: { id: string; question: string }[] = []
  const made: { id: string; name: string }[] = []
  const carryOut = (method: string, path: string, text: string): unknown => {
    if (path.endsWith('/faq-template') && method === 'POST') {
      const faq = faqBody
        .parse(JSON.parse(text))
        .faq.map(entry => ({ ...entry, id: `f${entries.length}-${Math.random().toString(36).slice(2)}` }))
      entries.push(...faq)
      return { faq }
    }
    const body = namedBody.parse(JSON.parse(text))
    if (method !== 'POST') return { ...body, _id: path.split('/').at(-1) }
    const _id = `r${made.length}`
    made.push({ id: _id, name: body.name ?? body.function?.name ?? '' })
    return { ...body, _id }
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // A client that was killed while it sent.
      return
    }
    const answer = carryOut(request.method ?? '', request.url ?? '', Buffer.concat(chunks).toString('utf8'))
    await delay(Math.random() * 10)
    const { socket } = request
    const json = { 'content-type': 'application/json' }
    response.writeHead(200, json).end(JSON.stringify(answer), () => setImmediate(() => cut?.(socket)))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    env: config => ({
      CALLYARD_BASE_URL: `http://127.0.0.1:${port}`,
      CALLYARD_API_KEY: 'key-of-the-attack',
      CALLYARD_CONFIG_DIR: config,
    }),
    entries,
    made,
  }
}
