import type { WriteStream } from 'node:tty'

/** A terminal that the process never waits for. `flushed` resolves once it has read all that was written. */
export type NonBlockingTerminal = ReturnType<typeof makeNonBlocking>

/** More than a terminal that reads ever has before it. */
const maxWaitingCharacters = 1024 ** 2

/**
 * Makes writes to a terminal non-blocking. Node writes to terminals synchronously, so a terminal that does not read (Ctrl-S, tmux's copy
 * mode, a hung ssh) would stop the receiver, the recording and signals. While a megabyte waits for the terminal, later writes are dropped
 * and counted; when it reads again, a line reports how many lines were dropped. The handle's `setBlocking` is not documented. If it is
 * missing, as in Bun, writes stay blocking.
 */
export function makeNonBlocking(stream: WriteStream) {
  if (!setNonBlocking(stream)) return { isBehind: false, flushed: async () => undefined }
  const write = stream.write.bind(stream)
  let skippedLines = 0

  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const encoding = rest.find(argument => typeof argument === 'string')
    const onWritten = rest.find(argument => typeof argument === 'function')
    if (stream.writableLength > maxWaitingCharacters) {
      skippedLines += Buffer.from(chunk).filter(byte => byte === 0x0a).length
      if (onWritten !== undefined) queueMicrotask(() => onWritten())
      return false
    }
    const chunkEncoding = encoding !== undefined && Buffer.isEncoding(encoding) ? encoding : 'utf8'
    return write(chunk, chunkEncoding, error => onWritten?.(error))
  }
  stream.on('drain', () => {
    if (skippedLines === 0) return
    const lines = skippedLines === 1 ? 'line is' : 'lines are'
    write(`\r\n… ${skippedLines} ${lines} not shown: the terminal did not read. Nothing else was lost.\r\n`)
    skippedLines = 0
  })
  return {
    get isBehind() {
      return stream.writableLength > 0
    },
    flushed: () => new Promise<void>(resolve => write('', () => resolve())),
  }
}

function setNonBlocking(stream: WriteStream): boolean {
  if (!('_handle' in stream)) return false
  const handle = stream._handle
  if (typeof handle !== 'object' || handle === null || !('setBlocking' in handle)) return false
  if (typeof handle.setBlocking !== 'function') return false
  handle.setBlocking(false)
  return true
}
