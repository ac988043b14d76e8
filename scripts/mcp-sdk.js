// Bundles the SDK of the Model Context Protocol into one chunk of its own, with its own copy of zod: only `callyard mcp` loads it, and
// in the chunks of other commands its parts of zod would cost each of them time.
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { replaceImports } from './replace-imports.js'

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
    input: { 'mcp-sdk': 'mcp-sdk' },
    platform: 'node',
    plugins: [replaceImports('mcp-sdk', { 'mcp-sdk': source, '@modelcontextprotocol/server/_shims': shims })],
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

/** Leaves the SDK to its own chunk. The build fails if nothing imports it. */
export function mcpSdk() {
  let isFound = false
  return {
    name: 'mcp-sdk',
    resolveId(id) {
      if (!/^@modelcontextprotocol\/server(\/stdio)?$/.test(id)) return null
      isFound = true
      return { id: './mcp-sdk.js', external: 'absolute' }
    },
    buildEnd(error) {
      if (error === undefined && !isFound) throw new Error('mcp-sdk: nothing imports the SDK')
    },
  }
}
