import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'

export interface PrismProxy {
  readonly baseUrl: string
  /** Prism's findings about requests and responses, and requests that it did not forward. */
  readonly violations: readonly string[]
  /** Requests that it forwarded. */
  forwarded(): number
}

const lineSchema = z.object({ level: z.number(), msg: z.string() })
/** Info level of Prism's log; warnings and errors are above it. */
const successLevel = 32

/**
 * Starts Prism's proxy in front of a server: it checks each request and response against the server's document. Closed with the test.
 */
export async function startPrism(upstream: string, document: object): Promise<PrismProxy> {
  const violations: string[] = []
  let forwarded = 0
  const logger = createLogger(
    'prism',
    { level: 'info' },
    {
      write(line: string) {
        const { level, msg } = lineSchema.parse(JSON.parse(line))
        if (level > successLevel) violations.push(msg)
        if (/^The upstream call .* has returned/.test(msg)) forwarded += 1
      },
    },
  )
  // Prism resolves the references in place.
  const operations = await getHttpOperationsFromSpec(structuredClone(document))
  const server = createServer(operations, {
    components: { logger },
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      errors: false,
      mock: { dynamic: false },
    },
  })
  onTestFinished(() => server.close())
  const baseUrl = await server.listen(0, '127.0.0.1')
  return { baseUrl, violations, forwarded: () => forwarded }
}
