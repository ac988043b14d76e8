import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from './run.ts'

const rounds = 31

/** Start-up as ratios to `node -e 0`: medians of interleaved rounds, so that a busy machine slows all alike. */
export function benchStartup(bin: string): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'callwright-bench-'))
  writeFileSync(join(folder, 'tool.yaml'), 'type: function\nfunction: { name: book }\n')
  const commands = {
    bare: ['-e', '0'],
    version: [bin, '--version'],
    help: [bin, '--help'],
    validate: [bin, 'validate', join(folder, 'tool.yaml'), '--kind', 'tool'],
  }
  // A list of extra certificates is read at every start, and alone triples a bare one.
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env
  const env = { ...environment, CALLWRIGHT_CONFIG_DIR: folder }
  const times = Object.fromEntries(Object.keys(commands).map(name => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, argv] of Object.entries(commands)) {
      const begin = process.hrtime.bigint()
      execFileSync(process.execPath, argv, { env, cwd: folder, stdio: 'ignore' })
      times[name]?.push(Number(process.hrtime.bigint() - begin) / 1e6)
    }
  }
  rmSync(folder, { recursive: true, force: true })
  const bare = median(times.bare ?? [])
  const row = (name: keyof typeof commands, target: string): Row => {
    const time = median(times[name] ?? [])
    return {
      what: `start: ${name}`,
      ratio: time / bare,
      target,
      detail: `${time.toFixed(1)} ms; node -e 0: ${bare.toFixed(1)} ms`,
    }
  }
  return [row('version', '≤ 1.3'), row('help', '≤ 1.4'), row('validate', '≤ 2.9')]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
