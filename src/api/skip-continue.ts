import type { Socket } from 'node:net'

/** Bytes of header that one `100 Continue` may have. */
const maxHeaderBytes = 16 * 1024

/**
 * Takes every `100 Continue` away that comes before an answer: HTTP allows a server to send one that was not asked for
 * (RFC 9110, 15.2.1), and undici breaks the connection at it. Other informational answers undici skips itself.
 */
export function skipContinue<Connected extends Socket>(socket: Connected): Connected {
  const answers = createAnswerBeginnings()
  const write = socket.write.bind(socket)
  const read = socket.read.bind(socket)
  socket.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    // undici writes the head of a request as one text; only after one does an answer begin.
    if (typeof chunk === 'string' && / HTTP\/1\.1\r\n/.test(chunk)) answers.expect()
    return Reflect.apply(write, undefined, [chunk, ...rest])
  }
  socket.read = (size?: number) => {
    for (;;) {
      const chunk: unknown = read(size)
      if (!Buffer.isBuffer(chunk)) return chunk
      const passed = answers.pass(chunk)
      if (passed.length > 0) return passed
    }
  }
  return socket
}

/** The bytes of a connection without the `100 Continue`s at the beginning of its answers. */
export function createAnswerBeginnings(): { expect(): void; pass(chunk: Buffer): Buffer } {
  const nothing = Buffer.alloc(0)
  let held = nothing
  let isBeginning = false
  return {
    expect() {
      isBeginning = true
    },
    pass(chunk) {
      if (!isBeginning) return chunk
      held = Buffer.concat([held, chunk])
      for (;;) {
        const begins = held.toString('latin1', 0, 13)
        if (
          begins.length < 13 &&
          /^HTTP\/1\.[01] 100/.test(`${begins}${'HTTP/1.1 100'.slice(begins.length)}`)
        )
          return nothing
        const end = held.indexOf('\r\n\r\n')
        if (/^HTTP\/1\.[01] 100[ \r]/.test(begins) && held.length <= maxHeaderBytes) {
          if (end === -1) return nothing
          held = held.subarray(end + 4)
          continue
        }
        const passed = held
        held = nothing
        isBeginning = false
        return passed
      }
    },
  }
}
