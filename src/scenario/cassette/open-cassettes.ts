import type { Clock } from '../../lib/clock.ts'
import type { ChatModel, ModelRequest } from '../../sandbox/index.ts'
import type { Diagnostic } from '../../source/index.ts'
import type { ModelRole, OpenModels } from '../attempt-models.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import { type Cassette, cassetteNameOf, isSameTest, openCassette } from './cassette.ts'
import type { CassetteChange } from './cassette-change.ts'
import { createEnvPlaceholders } from './placeholders.ts'
import { createRecordedModels } from './recorded-models.ts'

export interface CassetteOptions {
  /** All tests of the files that are run, also those that are not selected. */
  readonly tests: readonly TestCase[]
  /** Asks for what is not recorded. */
  readonly update: boolean
  /** The server of a live test, or of an update; undefined: none is given. `wish` is the assistant's, once a call began. */
  connect(role: ModelRole, wish: ModelRequest | undefined): ChatModel | undefined
  /** What `${env:…}` of the files of a test's project became, by the names of the variables. */
  variablesOf(test: TestCase): Promise<ReadonlyMap<string, string>>
  readonly clock: Clock
  /** Ends what is asked. */
  readonly signal: AbortSignal
}

export interface Cassettes {
  /** Lines that cannot be read: errors; with `update` warnings, for the file is then written without them. */
  readonly diagnostics: readonly Diagnostic[]
  readonly openModels: OpenModels
  /** What an update would write, after its run. Resolves when nothing is asked any more. */
  changes(results: readonly TestResult[]): Promise<readonly CassetteChange[]>
}

/**
 * Reads the cassettes of the tests: one beside each file of tests, for all its rows and attempts. A request that is asked again in another
 * attempt gets the same answer; one that a call asks twice has an answer for each time.
 * @throws CallwrightError `invalid` for a cassette that is there and cannot be read
 */
export async function openCassettes(options: CassetteOptions): Promise<Cassettes> {
  const { tests, update, variablesOf } = options
  const cassettes = new Map<string, { readonly cassette: Cassette; readonly tests: TestCase[] }>()
  for (const test of tests) {
    if (!usesCassette(test)) continue
    const path = cassetteNameOf(test.path)
    const known = cassettes.get(path)
    if (known !== undefined) known.tests.push(test)
    else cassettes.set(path, { cassette: await openCassette(path, cassetteNameOf(test.file)), tests: [test] })
  }
  return {
    diagnostics: [...cassettes.values()].flatMap(({ cassette }) => findings(cassette, update)),
    async openModels(test, attempt) {
      const used = usesCassette(test) ? cassettes.get(cassetteNameOf(test.path)) : undefined
      const placeholders = createEnvPlaceholders(await variablesOf(test))
      const place = used?.tests.findIndex(known => isSameTest(known, test)) ?? 0
      return createRecordedModels({
        ...options,
        ...{ test, attempt, cassette: used?.cassette, place, placeholders },
      })
    },
    async changes(results) {
      const { changeOf } = await import('./cassette-change.ts')
      const changes: CassetteChange[] = []
      for (const { cassette, tests } of cassettes.values()) {
        await cassette.settled()
        const change = changeOf(cassette, tests, results)
        if (update && change !== undefined) changes.push(change)
      }
      return changes
    },
  }
}

/** The judge of a test without a model is recorded too. */
function usesCassette({ model, turns, expect, caller }: TestCase): boolean {
  if (model !== 'none') return model === 'recorded'
  const expectations = [...expect, ...turns.flatMap(turn => turn.expect)]
  return caller !== undefined || expectations.some(({ kind }) => kind === 'judge' || kind === 'goal')
}

function findings({ file, flaws }: Cassette, update: boolean): Diagnostic[] {
  return flaws.map(({ line, code }) => ({
    ...{ file, code, message: code, details: {} },
    // What a newer version wrote is not for this one to throw away.
    severity: update && code !== 'other-version' ? 'warning' : 'error',
    position: { line, column: 1 },
    path: [],
    at: 'value',
  }))
}
