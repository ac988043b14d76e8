import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { runNode } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
}

/** Time from the start of `callyard mcp` to its first response, as a ratio to `node -e 0`. */
export const mcpBench = defineBench({
  name: 'mcp',
  rows: { start: { work: '`mcp` until it responds to `initialize`', unit: 'times', goal: atMost(4) } },
  async measure({ bin, folder, rounds }) {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, CALLYARD_CONFIG_DIR: join(folder, 'config') }
    const start = async () => {
      const began = performance.now()
      const child = spawn(process.execPath, [bin, 'mcp'], { cwd: folder, env })
      child.stdin.write(`${JSON.stringify(initialize)}\n`)
      await once(child.stdout, 'data')
      const elapsed = performance.now() - began
      child.stdin.end()
      await once(child, 'exit')
      return elapsed
    }
    const bare = async () =>
      (await runNode(['-e', '0'], { cwd: folder, env, isProbed: false })).seconds * 1000
    const times = await interleaved(rounds(15), { bare, start })
    const detail = `${median(times.start).toFixed(1)} ms; node -e 0: ${median(times.bare).toFixed(1)} ms`
    return { start: { value: medianRatio(times.start, times.bare), detail } }
  },
})
