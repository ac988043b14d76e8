import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Context, LineSource } from '../../shell/context.ts'

/** A message of the protocol per line: on stdin and stdout, by way of the writer that every command uses. */
export function createTransport({ output, signal }: Context, input: LineSource) {
  const transport: Transport = {
    // The server sets the handlers before it starts, and `read` begins afterwards.
    async start() {},
    async send(message) {
      output.raw(serializeMessage(message))
      await output.drained()
    },
    async close() {
      input.close()
      transport.onclose?.()
    },
  }
  return {
    transport,
    /** Hands each message to the server, until the client closes the connection or a signal ends the command. */
    async read(): Promise<void> {
      const close = () => input.close()
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      for await (const line of input.lines) {
        if (line.trim() === '') continue
        const message = readMessage(line)
        if (message === undefined) await transport.send(parseError)
        else transport.onmessage?.(message)
      }
      signal.removeEventListener('abort', close)
      await transport.close()
    },
  }
}

function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line)
  } catch {
    return undefined
  }
}

/** Response to a line that is not a message. It has no id: the schema of MCP makes it optional, and rejects the null of JSON-RPC 2.0. */
const parseError = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: not a JSON-RPC message' },
} as const satisfies JSONRPCMessage
