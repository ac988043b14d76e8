import type { IncomingMessage } from 'node:http'
import * as z from 'zod/mini'

const askSchema = z.object({ call: z.int(), event: z.int() })

/** Which event of which call a page asks about; undefined for any other body. */
export async function readAsk(request: IncomingMessage): Promise<z.infer<typeof askSchema> | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes: unknown = chunk
    if (!Buffer.isBuffer(bytes)) return undefined
    size += bytes.length
    if (size <= maxBodyBytes) chunks.push(bytes)
  }
  if (size > maxBodyBytes) return undefined
  try {
    const parsed = z.safeParse(askSchema, JSON.parse(Buffer.concat(chunks).toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** Bytes. */
const maxBodyBytes = 1024
