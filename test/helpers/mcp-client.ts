import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import { bin } from './run-bin.ts'
import type { TestCli } from './test-cli.ts'

export interface ToolText {
  readonly text: string
  readonly isError: boolean
}

export interface McpClient {
  readonly client: Client
  /** Calls a tool, and returns the text of its result. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<ToolText>
  close(): Promise<void>
}

interface ConnectOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Version of the protocol from 2026 on. Default: the 2025 protocol, with `initialize`. */
  readonly version?: string
}

const clientInfo = { name: 'callyard-test', version: '1' }

/** Connects the official client to the built `callyard mcp` over its stdin and stdout. */
export async function connectMcp(
  argv: readonly string[],
  { cwd, env = {}, version }: ConnectOptions,
): Promise<McpClient & { readonly pid: number | undefined }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...argv],
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stderr: 'pipe',
  })
  const client = await connect(transport, version)
  return { ...client, pid: transport.pid ?? undefined }
}

/** Connects the official client to `mcp` inside this process. */
export async function openMcp(cli: TestCli, ...argv: string[]): Promise<McpClient> {
  const waiting: string[] = []
  let wake = () => {}
  let isClosed = false
  async function* input() {
    while (!isClosed) {
      yield* waiting.splice(0)
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  let rest = ''
  const transport: Transport = {
    async start() {},
    async send(message) {
      waiting.push(`${JSON.stringify(message)}\n`)
      wake()
    },
    async close() {
      isClosed = true
      wake()
      await ended
      transport.onclose?.()
    },
  }
  const printed = (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('{')) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage)
  }
  const ended = cli.runWith({ input: input(), printed }, 'mcp', ...argv)
  return connect(transport)
}

async function connect(transport: Transport, version?: string): Promise<McpClient> {
  const client = new Client(
    clientInfo,
    version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } },
  )
  await client.connect(transport)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= client.close()
    return closed
  }
  onTestFinished(close)
  return {
    client,
    close,
    async call(name, input = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: { ...input } })
      const [part] = content
      if (part?.type !== 'text') throw new Error('the result has no text')
      return { text: part.text, isError: isError === true }
    },
  }
}
