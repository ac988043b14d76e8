import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { glob } from 'tinyglobby'
import type { Core } from './core.ts'
import { cores } from './cores.ts'
import { type Score, scoreOf } from './score.ts'

/** Per cent of the mutants of each core that the tests beside it must notice. */
const goal = 90

/**
 * Mutates the named cores, all where none is named, and prints what survived and a table. A path such as
 * `src/files/source/references.ts` or `src/files/source/references.ts:10-40` mutates only that.
 * @returns the exit code: 1 where a core is below the goal or lists a mutant as equivalent that is not, 2 for a name
 * that is not in the registry.
 */
export async function runMutation(words: readonly string[]): Promise<number> {
  const paths = words.filter(word => word.includes('/'))
  const names = words.filter(word => !word.includes('/'))
  const unknown = names.filter(name => !Object.hasOwn(cores, name))
  if (unknown.length > 0) {
    console.error(`No core is called ${unknown.join(', ')}. There are:`)
    for (const [name, { about }] of Object.entries(cores)) console.error(`  ${name}  ${about}`)
    return 2
  }
  const rows: string[] = []
  let passed = true
  for (const [name, core] of Object.entries(cores)) {
    if (names.length > 0 && !names.includes(name)) continue
    const chosen = await within(core, paths)
    if (chosen.length === 0) continue
    console.error(`${name}: ${chosen.join(', ')}`)
    const score = await mutate(core, chosen)
    // A part of a core has a part of its list.
    const stale = paths.length === 0 ? score.stale : []
    for (const { fileName, line, mutatorName, was, becomes } of score.survivors)
      console.log(`survived  ${fileName}:${line}  ${mutatorName}\n  - ${was}\n  + ${becomes}`)
    for (const { file, becomes } of stale)
      console.log(`listed as equivalent, but none such survived  ${file}\n  + ${becomes}`)
    for (const { file, becomes } of score.ambiguous)
      console.log(`listed as equivalent without \`was\`, but in several places  ${file}\n  + ${becomes}`)
    const percent = score.mutants === 0 ? 0 : (100 * score.noticed) / score.mutants
    if (percent < goal || stale.length > 0 || score.ambiguous.length > 0) passed = false
    rows.push(
      `| ${name} | ${score.mutants} | ${score.survivors.length} | ${score.equivalent} | ${percent.toFixed(1)} % | ${goal} % |`,
    )
  }
  console.log(
    '| core | mutants | survived | equivalent, left out | score | goal |\n|---|---|---|---|---|---|',
  )
  for (const row of rows) console.log(row)
  return passed && rows.length > 0 ? 0 : 1
}

/** The files of a core, or what of them the paths name. */
async function within(core: Core, paths: readonly string[]): Promise<string[]> {
  const files = await glob([...core.sources], { expandDirectories: false })
  if (paths.length === 0) return files.toSorted()
  return paths.filter(path => files.includes(path.replace(/:.*/, '')))
}

async function mutate({ tests, equivalent }: Core, chosen: readonly string[]): Promise<Score> {
  process.env.MUTATION_TESTS = tests.join(' ')
  process.env.MUTATION_SOURCES = [...new Set(chosen.map(path => path.replace(/:.*/, '')))].join(' ')
  const results = await new Stryker({ mutate: [...chosen] }).runMutationTest()
  const mutants = results.map(result => ({ ...result, fileName: relative('.', result.fileName) }))
  const names = new Set(mutants.map(({ fileName }) => fileName))
  const texts = await Promise.all([...names].map(async name => [name, await readFile(name, 'utf8')] as const))
  return scoreOf(mutants, equivalent, new Map(texts))
}
