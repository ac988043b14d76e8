import type { Attack, AttackResult } from './attack.ts'
import { bodies } from './bodies.ts'
import { cases } from './cases.ts'
import { clocks } from './clocks.ts'
import { cuts } from './cuts.ts'
import { dribblers } from './dribblers.ts'
import { kills } from './kills.ts'
import { queue } from './queue.ts'
import { runAttack } from './run-attack.ts'
import { sandbox } from './sandbox.ts'
import { team } from './team.ts'
import { terminal } from './terminal.ts'

/** Each takes minutes: not part of `npm test`. */
const registry: Readonly<Record<string, Attack>> = {
  bodies,
  cases,
  clocks,
  cuts,
  dribblers,
  kills,
  queue,
  sandbox,
  team,
  terminal,
}

/**
 * Runs the named attacks, all where none is named, and prints a table.
 * @returns the exit code: 1 where anything was lost or doubled, 2 for a name that is not in the registry, 130 after Ctrl-C. What was running
 * then has been ended, but an attack may still wait for it.
 */
export async function runAttacks(names: readonly string[], bin: string): Promise<number> {
  const unknown = names.filter(name => !Object.hasOwn(registry, name))
  if (unknown.length > 0) {
    console.error(`No attack is called ${unknown.join(', ')}. There are:`)
    for (const [name, { about }] of Object.entries(registry)) console.error(`  ${name}  ${about}`)
    return 2
  }
  const chosen = Object.entries(registry).filter(([name]) => names.length === 0 || names.includes(name))
  const ending = new AbortController()
  // npm passes Ctrl-C on to a process that got it from the terminal.
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => ending.abort())
  const results: AttackResult[] = []
  for (const [, attack] of chosen) {
    results.push(...(await runAttack(attack, bin, ending.signal)))
    if (ending.signal.aborted) return 130
  }
  console.log('| attack | attacks | lost | doubled | late | detail |\n|---|---|---|---|---|---|')
  for (const { what, attacks, lost, doubled, late, detail } of results) {
    console.log(`| ${what} | ${attacks} | ${lost} | ${doubled} | ${late} | ${detail} |`)
  }
  return results.some(({ lost, doubled, allowedDoubled = 0 }) => lost > 0 || doubled > allowedDoubled) ? 1 : 0
}
