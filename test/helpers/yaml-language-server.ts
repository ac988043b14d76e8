import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import * as z from 'zod/mini'

const messageSchema = z.looseObject({
  id: z.optional(z.union([z.number(), z.string()])),
  method: z.optional(z.string()),
  params: z.optional(z.unknown()),
})

/** The sections of its settings that the server asks the editor for. */
const wantedSchema = z.looseObject({ items: z.array(z.looseObject({ section: z.string() })) })

const publishedSchema = z.looseObject({
  uri: z.string(),
  diagnostics: z.array(z.looseObject({ message: z.string() })),
})

export interface YamlLanguageServer {
  /** Opens a file and gives the messages of what the server finds in it. */
  open(uri: string, text: string): Promise<string[]>
  close(): Promise<void>
}

/** The yaml-language-server of npm as an editor runs it: a process of its own that speaks LSP over stdin and stdout. */
export async function startYamlLanguageServer({
  folder,
  settings = {},
}: {
  /** The folder that the editor has open. */
  readonly folder?: string
  /** Settings of the editor below `yaml.`. */
  readonly settings?: Readonly<Record<string, unknown>>
} = {}): Promise<YamlLanguageServer> {
  const require = createRequire(import.meta.url)
  const root = require.resolve('yaml-language-server/package.json')
  const program = new URL('./bin/yaml-language-server', `file://${root}`).pathname
  const child = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const waiting = new Map<string, (messages: string[]) => void>()
  let initialized = () => {}
  const ready = new Promise<void>(resolve => {
    initialized = resolve
  })

  const yaml = { validate: true, schemaStore: { enable: false }, ...settings }
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const receive = (body: string) => {
    const { id, method, params } = messageSchema.parse(JSON.parse(body))
    if (method === undefined) {
      if (id === 0) initialized()
    } else if (method === 'workspace/configuration') {
      const { items } = wantedSchema.parse(params)
      send({ id, result: items.map(({ section }) => (section === 'yaml' ? yaml : null)) })
    } else if (id !== undefined) {
      send({ id, result: null })
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = publishedSchema.parse(params)
      waiting.get(uri)?.(diagnostics.map(({ message }) => message))
    }
  }
  child.stdout.on('data', splitMessages(receive))
  const rootUri = folder === undefined ? null : pathToFileURL(folder).href
  const workspaceFolders = rootUri === null ? null : [{ uri: rootUri, name: 'folder' }]
  const params = { processId: process.pid, rootUri, workspaceFolders, capabilities: {} }
  send({ id: 0, method: 'initialize', params })
  await ready
  send({ method: 'initialized', params: {} })
  send({ method: 'workspace/didChangeConfiguration', params: { settings: { yaml } } })
  return {
    open: (uri, text) =>
      new Promise(resolve => {
        waiting.set(uri, resolve)
        const textDocument = { uri, languageId: 'yaml', version: 1, text }
        send({ method: 'textDocument/didOpen', params: { textDocument } })
      }),
    async close() {
      child.kill()
      await ended
    },
  }
}

/** Calls for each body of a stream of `Content-Length` messages. */
function splitMessages(receive: (body: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = rest.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, Math.max(0, head)))?.[1])
      if (head === -1 || rest.length < head + 4 + length) return
      receive(rest.toString('utf8', head + 4, head + 4 + length))
      rest = rest.subarray(head + 4 + length)
    }
  }
}
