import { isObject } from '../../lib/json/is-object.ts'

/** What a webhook receiver answered. */
export interface ReceiverAnswer {
  readonly status: number
  /** As far as it was read. */
  readonly text: string
}

const maxReadBytes = 64 * 1024
const maxShownCharacters = 200

/** Reads the beginning of an answer; the rest is given up with its connection. */
export async function readAnswer(status: number, body: AsyncIterable<Uint8Array>): Promise<ReceiverAnswer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > maxReadBytes) break
  }
  return { status, text: Buffer.concat(chunks).subarray(0, maxReadBytes).toString() }
}

/** Which rule of interface.md 4.8 an answer breaks: the receiver answers 200 with an object that holds `message` (string). */
export function brokenRule({ status, text }: ReceiverAnswer): string | undefined {
  if (status !== 200) return `answered ${status} instead of 200`
  return hasMessage(text) ? undefined : 'answered no JSON object with a message text'
}

/** The beginning of the answer's text, for a log. */
export function shownAnswer({ text }: ReceiverAnswer): string {
  const characters = Array.from(text.slice(0, 2 * maxShownCharacters))
  const cut = characters.length > maxShownCharacters
  return cut ? `${characters.slice(0, maxShownCharacters).join('')}…` : text
}

function hasMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && typeof value.message === 'string'
  } catch {
    return false
  }
}
