import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Diagnostic } from '../../files/source/index.ts'
import { fieldExtensions, hasExtension } from '../../lib/fs/extension.ts'
import type { OpenModels } from '../run/run-options.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import { type Cassette, isSameTest, openCassette, toCassettePath, type UnusedCassette } from './cassette.ts'
import type { CassetteChange } from './cassette-change.ts'
import type { CassetteParseError } from './cassette-text.ts'
import { createRecordedModels, type ModelAccess } from './recorded-models.ts'

export interface CassetteOptions extends ModelAccess {
  /** Every test of the selected files, including tests that are not selected. */
  readonly tests: readonly TestCase[]
  /** Values of `${env:…}` in the files by variable name. */
  readonly variables: ReadonlyMap<string, string>
}

export type Cassettes = Awaited<ReturnType<typeof openCassettes>>

/**
 * Reads the tests' cassettes. A cassette belongs to a test file and serves all its rows and attempts. Equal requests share a response
 * across attempts; a request repeated within one call has a response per occurrence.
 * @throws CallyardError `invalid` if a cassette exists but cannot be read
 */
export async function openCassettes(options: CassetteOptions) {
  const { tests, update } = options
  const cassettes = new Map<string, { readonly cassette: Cassette; readonly tests: TestCase[] }>()
  for (const test of tests) {
    if (!usesCassette(test)) continue
    const path = toCassettePath(test.path)
    const usedCassette = cassettes.get(path)
    if (usedCassette !== undefined) usedCassette.tests.push(test)
    else cassettes.set(path, { cassette: await openCassette(path, toCassettePath(test.file)), tests: [test] })
  }
  const unused = await unusedBeside(tests, path => cassettes.has(path))
  const openModels: OpenModels = async (test, attempt) => {
    const testCassette = usesCassette(test) ? cassettes.get(toCassettePath(test.path)) : undefined
    const testIndex = testCassette?.tests.findIndex(candidate => isSameTest(candidate, test)) ?? 0
    return createRecordedModels(test, attempt, { ...options, cassette: testCassette?.cassette, testIndex })
  }
  return {
    openModels,
    /** Invalid lines are errors, or warnings with `update`, which drops them. Without `update`, also warns about unused cassettes. */
    diagnostics: [
      ...[...cassettes.values()].flatMap(({ cassette }) => findings(cassette, update)),
      ...(update ? [] : unused.map(({ file }) => finding(file, 'unused-cassette', 'warning'))),
    ],
    /** Returns the pending changes of an update once all requests have finished; none without `update`. */
    async changes(results: readonly TestResult[]): Promise<readonly CassetteChange[]> {
      for (const { cassette } of cassettes.values()) await cassette.waitForPending()
      if (!update) return []
      const { planChange: changeOf, planRemoval: removalOf } = await import('./cassette-change.ts')
      return [
        ...[...cassettes.values()].flatMap(use => changeOf(use.cassette, use.tests, results) ?? []),
        ...unused.map(removalOf),
      ]
    },
  }
}

/** A test without a model still records its judge. */
function usesCassette({ model, turns, expect, caller }: TestCase): boolean {
  if (model !== 'none') return model === 'recorded'
  const expectations = [...expect, ...turns.flatMap(turn => turn.expect)]
  return caller !== undefined || expectations.some(({ kind }) => kind === 'judge' || kind === 'goal')
}

/** Finds cassettes next to these tests that belong to no test file, or to tests without model requests. */
async function unusedBeside(
  tests: readonly TestCase[],
  isUsed: (path: string) => boolean,
): Promise<UnusedCassette[]> {
  const folders = new Map(tests.map(test => [dirname(test.path), test]))
  const cassettePaths = new Set(tests.map(test => toCassettePath(test.path)))
  const fileLists = await Promise.all(
    Array.from(folders, async ([folder, { file, project = folder }]) => {
      const names = await readdir(folder).catch(() => [])
      // Recordings have cassettes of their replays.
      const ofFiles = new Set(
        names.filter(name => hasExtension(name, [...fieldExtensions, '.ndjson'])).map(toCassettePath),
      )
      return names
        .filter(name => name.endsWith(cassetteSuffix) && !isUsed(join(folder, name)))
        .filter(name => !ofFiles.has(name) || cassettePaths.has(join(folder, name)))
        .map(name => ({ path: join(folder, name), file: join(dirname(file), name), folder: project }))
    }),
  )
  return fileLists.flat()
}

const cassetteSuffix = basename(toCassettePath(''))

function findings({ file, flaws }: Cassette, update: boolean): Diagnostic[] {
  return flaws.map(({ line, code }) => ({
    // Never drop what a newer version wrote.
    ...finding(file, code, update && code !== 'other-version' ? 'warning' : 'error'),
    position: { line, column: 1 },
  }))
}

const problems = {
  'torn-line': {
    message: 'the last line is incomplete: writing it was interrupted',
    hint: 'record again to rewrite the file',
  },
  'merge-conflict': {
    message: 'unresolved merge conflict',
    hint: 'delete the conflict markers and keep the lines of both sides',
  },
  'foreign-line': { message: 'not a valid line of a cassette', hint: 'delete it, or record again' },
  'other-version': { message: 'unsupported cassette version', hint: 'upgrade callyard, or record again' },
  'unused-cassette': { message: 'no test uses this cassette', hint: 'remove it' },
} as const satisfies Record<CassetteParseError['code'] | 'unused-cassette', { message: string; hint: string }>

function finding(file: string, code: keyof typeof problems, severity: Diagnostic['severity']): Diagnostic {
  return { file, code, ...problems[code], severity, position: undefined, path: [], at: 'value' }
}
