import { request as requestInClear } from 'node:http'

interface CutOffOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/**
 * Posts the first half of a body and breaks the connection: the receiver sees a request that never ends. Rejects when not
 * even that half could be sent.
 */
export async function cutOff(url: string, { headers, body, signal }: CutOffOptions): Promise<void> {
  const bytes = Buffer.from(body)
  const request = new URL(url).protocol === 'https:' ? (await import('node:https')).request : requestInClear
  await new Promise<void>((resolve, reject) => {
    const sending = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': bytes.length },
      // A connection of its own: no other message is to break with it.
      agent: false,
      signal,
    })
    // Breaking it is an error to the request, too; by then the promise is settled.
    sending.on('error', error => reject(signal.aborted ? signal.reason : error))
    sending.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), error => {
      if (error) return
      resolve()
      sending.destroy()
    })
  })
}
