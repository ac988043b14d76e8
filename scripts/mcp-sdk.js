// Bundles the SDK of the Model Context Protocol into one chunk of its own, with its own copy of zod: only `callyard mcp` loads it, and
// in the chunks of other commands its parts of zod would cost each of them time.
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const entry = '\0mcp-sdk'
const source = [
  "import { config } from 'zod/v4/core'",
  // Compiling a parser for each schema takes longer than the few messages of a connection.
  'config({ jitless: true })',
  "export { deserializeMessage, McpServer, serializeMessage } from '@modelcontextprotocol/server'",
  "export { serveStdio } from '@modelcontextprotocol/server/stdio'",
].join('\n')

/**
 * ajv, a third of the SDK, would check the structured output of tools and what a client enters into forms. The tools have no such output
 * and ask for nothing.
 */
const shims = `import process from 'node:process'
class DefaultJsonSchemaValidator {
  getValidator() { throw new Error('callyard mcp validates no structured output and no forms') }
}
export { DefaultJsonSchemaValidator, process }`

/** Writes the chunk, and returns the modules in it. */
export async function writeMcpSdk(root, dist, output) {
  const build = await rolldown({
    cwd: root,
    input: { 'mcp-sdk': entry },
    platform: 'node',
    plugins: [
      {
        name: 'mcp-sdk-entry',
        resolveId(id) {
          if (id === '@modelcontextprotocol/server/_shims') return '\0mcp-shims'
          return id === entry ? entry : null
        },
        load: id => (id === entry ? source : id === '\0mcp-shims' ? shims : null),
      },
    ],
    onwarn() {},
  })
  const written = await build.write({
    ...output,
    dir: join(dist, 'chunks'),
    entryFileNames: '[name].js',
    codeSplitting: false,
  })
  await build.close()
  return written.output
    .flatMap(chunk => ('moduleIds' in chunk ? chunk.moduleIds : []))
    .filter(id => !id.startsWith('\0'))
}

/** Leaves the SDK to its own chunk. */
export const mcpSdk = () => ({
  name: 'mcp-sdk',
  resolveId: id =>
    /^@modelcontextprotocol\/server(\/stdio)?$/.test(id)
      ? { id: './mcp-sdk.js', external: 'absolute' }
      : null,
})
