import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Diagnostic } from '../../source/index.ts'
import type { OpenModels } from '../run/run-options.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import { type Cassette, cassetteNameOf, isSameTest, openCassette, type UnusedCassette } from './cassette.ts'
import type { CassetteChange } from './cassette-change.ts'
import { createRecordedModels, type ModelAccess } from './recorded-models.ts'

export interface CassetteOptions extends ModelAccess {
  /** All tests of the files that are run, also those that are not selected. */
  readonly tests: readonly TestCase[]
  /** What `${env:…}` of the files became, by the names of the variables. */
  readonly variables: ReadonlyMap<string, string>
}

export type Cassettes = Awaited<ReturnType<typeof openCassettes>>

/**
 * Reads the cassettes of the tests: one beside each file of tests, for all its rows and attempts. A request that is asked again in another
 * attempt gets the same answer; one that a call asks twice has an answer for each time.
 * @throws CallwrightError `invalid` for a cassette that is there and cannot be read
 */
export async function openCassettes(options: CassetteOptions) {
  const { tests, update } = options
  const cassettes = new Map<string, { readonly cassette: Cassette; readonly tests: TestCase[] }>()
  for (const test of tests) {
    if (!usesCassette(test)) continue
    const path = cassetteNameOf(test.path)
    const known = cassettes.get(path)
    if (known !== undefined) known.tests.push(test)
    else cassettes.set(path, { cassette: await openCassette(path, cassetteNameOf(test.file)), tests: [test] })
  }
  const unused = await unusedBeside(tests, path => cassettes.has(path))
  const openModels: OpenModels = async (test, attempt) => {
    const used = usesCassette(test) ? cassettes.get(cassetteNameOf(test.path)) : undefined
    const place = used?.tests.findIndex(known => isSameTest(known, test)) ?? 0
    return createRecordedModels(test, attempt, { ...options, cassette: used?.cassette, place })
  }
  return {
    openModels,
    /** Lines that cannot be read: errors; with `update` warnings, for the file is then written without them. Without it, files that no test uses. */
    diagnostics: [
      ...[...cassettes.values()].flatMap(({ cassette }) => findings(cassette, update)),
      ...(update ? [] : unused.map(({ file }) => finding(file, 'unused-cassette', 'warning'))),
    ],
    /** What an update would write, after its run; nothing without `update`. Resolves when nothing is asked any more. */
    async changes(results: readonly TestResult[]): Promise<readonly CassetteChange[]> {
      for (const { cassette } of cassettes.values()) await cassette.settled()
      if (!update) return []
      const { changeOf, removalOf } = await import('./cassette-change.ts')
      return [
        ...[...cassettes.values()].flatMap(each => changeOf(each.cassette, each.tests, results) ?? []),
        ...unused.map(removalOf),
      ]
    },
  }
}

/** The judge of a test without a model is recorded too. */
function usesCassette({ model, turns, expect, caller }: TestCase): boolean {
  if (model !== 'none') return model === 'recorded'
  const expectations = [...expect, ...turns.flatMap(turn => turn.expect)]
  return caller !== undefined || expectations.some(({ kind }) => kind === 'judge' || kind === 'goal')
}

/** In the folders of these tests: the cassettes of no test file, or of one whose tests ask no model. */
async function unusedBeside(
  tests: readonly TestCase[],
  isUsed: (path: string) => boolean,
): Promise<UnusedCassette[]> {
  const folders = new Map(tests.map(test => [dirname(test.path), test]))
  const loaded = new Set(tests.map(test => cassetteNameOf(test.path)))
  const found = await Promise.all(
    Array.from(folders, async ([folder, { file, project = folder }]) => {
      const names = await readdir(folder).catch(() => [])
      const ofFiles = new Set(names.filter(name => /\.ya?ml$|\.json$/i.test(name)).map(cassetteNameOf))
      return names
        .filter(name => name.endsWith(cassetteSuffix) && !isUsed(join(folder, name)))
        .filter(name => !ofFiles.has(name) || loaded.has(join(folder, name)))
        .map(name => ({ path: join(folder, name), file: join(dirname(file), name), folder: project }))
    }),
  )
  return found.flat()
}

const cassetteSuffix = basename(cassetteNameOf(''))

function findings({ file, flaws }: Cassette, update: boolean): Diagnostic[] {
  return flaws.map(({ line, code }) => ({
    // What a newer version wrote is not for this one to throw away.
    ...finding(file, code, update && code !== 'other-version' ? 'warning' : 'error'),
    position: { line, column: 1 },
  }))
}

function finding(file: string, code: string, severity: Diagnostic['severity']): Diagnostic {
  return { file, code, message: code, details: {}, severity, position: undefined, path: [], at: 'value' }
}
