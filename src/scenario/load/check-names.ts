import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { namesIn } from './fill.ts'
import type { Findings } from './findings.ts'
import type { ProjectFacts } from './project-facts.ts'
import type { PlacedRow } from './read-rows.ts'
import type { WrittenTest } from './written-test.ts'

/**
 * Names in `{{…}}`: those that are columns must be in each row. A variable that no text of the project has, and a name that is
 * nearly a column, are probably mistyped.
 */
export async function checkNames(
  { file, turns, placeOf }: WrittenTest,
  rows: readonly PlacedRow[],
  facts: ProjectFacts | undefined,
  findings: Findings,
): Promise<void> {
  const columns = new Set<string>()
  for (const { values } of rows) for (const column in values) columns.add(column)
  const { each: _, ...texts } = file
  const lines = turns.map(({ user, expect }) => [user?.text, expect?.value])
  for (const name of rows.length === 0 ? [] : namesIn([texts, lines])) {
    if (columns.has(name)) {
      const without = rows.find(({ values }) => !Object.hasOwn(values, name))
      if (without !== undefined)
        findings.add(without.place, 'missing', 'column-missing', { name, row: without.number })
      continue
    }
    const near = didYouMean(name, [...columns])
    if (near === undefined || (await facts?.hasVariable(name)) === true) continue
    const there = [...columns]
    findings.add(placeOf(['each']), 'unknown-reference', 'unknown-column', { name, near, there }, 'warning')
  }
  const { assistant } = file
  const own = namesIn(assistant)
  for (const name of Object.keys(file.variables ?? {})) {
    if (own.has(name)) continue
    const found = await facts?.hasVariable(name)
    if (found === undefined || found === true) continue
    findings.add(
      placeOf(['variables', name], 'key'),
      'no-effect',
      'unknown-variable',
      { name, ...found },
      'warning',
    )
  }
}
