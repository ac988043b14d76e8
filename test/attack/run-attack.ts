import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attack, AttackResult } from './attack.ts'

/** Runs an attack until its end or the signal, and then ends everything that it started. */
export async function runAttack(
  attack: Attack,
  bin: string,
  signal: AbortSignal,
): Promise<readonly AttackResult[]> {
  const ends: (() => unknown)[] = []
  const run = attack.run({
    bin,
    async folder() {
      signal.throwIfAborted()
      const folder = await mkdtemp(join(tmpdir(), 'callyard-attack-'))
      ends.push(() => rm(folder, { recursive: true, force: true }))
      return folder
    },
    onEnd: work => void ends.push(work),
    note: line => console.error(line),
  })
  try {
    return await Promise.race([run, once(signal, 'abort').then(() => [])])
  } finally {
    const failures: unknown[] = []
    for (let end = ends.pop(); end !== undefined; end = ends.pop())
      try {
        await end()
      } catch (error) {
        failures.push(error)
      }
    if (failures.length > 0) console.error('not everything was ended:', ...failures)
  }
}
