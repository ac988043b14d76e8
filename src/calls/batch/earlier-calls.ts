import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { displayName } from '../../files/source/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { findLoggedNumbers } from '../log/index.ts'
import { batchJournalPath } from './batch-journal.ts'
import type { Person } from './contacts.ts'
import type { OpenBatch } from './open-batch.ts'
import { openList } from './read-list.ts'

/** Calls to the people of a batch, according to other files than its journal. */
interface EarlierCalls {
  /** Number of people who were called. */
  readonly people: number
  /** Files that say so. */
  readonly witnesses: readonly string[]
  /** Time of the last call in the call log, milliseconds since the epoch. */
  readonly last: number | undefined
}

interface Options {
  readonly service: string
  readonly env: Environment
  readonly now: number
}

/** A call that no batch placed is another matter unless it is recent. */
const recentMs = 24 * 3_600_000

/**
 * Finds calls to the people of a batch that has no journal: calls of this batch in its results file and in the call log of this machine,
 * and other calls of the last day to their numbers. Undefined if there are none.
 */
export async function findEarlierCalls(
  opened: OpenBatch,
  people: readonly Person[],
  { service, env, now }: Options,
): Promise<EarlierCalls | undefined> {
  const personNumbers = new Set(people.flatMap(({ numbers }) => numbers))
  const logged = await findLoggedNumbers(env, call => {
    const isMeant = call.batch === opened.name || (call.batch === undefined && call.at > now - recentMs)
    return isMeant && call.service === service && personNumbers.has(call.to)
  })
  const { file, called: calledKeys } = await readResults(opened)
  const inResults = ({ id, numbers }: Person) => [id, ...numbers].some(key => calledKeys.has(key))
  const inLog = ({ numbers }: Person) => numbers.some(number => logged.numbers.has(number))
  const witnesses = [
    ...(people.some(inResults) ? [file] : []),
    ...(people.some(inLog) ? ['the call log'] : []),
  ]
  if (witnesses.length === 0) return undefined
  const count = people.filter(person => inResults(person) || inLog(person)).length
  return { people: count, witnesses, last: logged.last }
}

/** Reads the ids and numbers of people who were called from a results file. */
async function readResults({ batch, baseFolder, stateFolder }: OpenBatch) {
  const path = batch.results === undefined ? undefined : resolve(baseFolder, batch.results)
  const calledKeys = new Set<string>()
  const file = path === undefined ? '' : displayName(path, baseFolder)
  if (path === undefined || !existsSync(path) || (await hasOtherJournal(stateFolder)))
    return { file, called: calledKeys }
  const { table } = await (await openList(path, { cwd: baseFolder })).parse()
  const indexOf = (column: string) => table?.columns.indexOf(column) ?? -1
  const [attempts, ...keys] = [indexOf('attempts'), indexOf('id'), indexOf('number')]
  for (let index = 0; index < (table?.rows.length ?? 0); index += 1) {
    const cells = table?.rows.at(index)?.cells ?? []
    if (!(Number(cells[attempts]) > 0)) continue
    // Without the apostrophe that keeps spreadsheets from evaluating it.
    for (const key of keys) if (cells[key]) calledKeys.add(cells[key].replace(/^'(?=[=+\-@\t\r])/, ''))
  }
  return { file, called: calledKeys }
}

/** True if another batch has a journal here: then the results file belongs to that one, and `--name` was meant. */
async function hasOtherJournal(stateFolder: string): Promise<boolean> {
  const folder = dirname(stateFolder)
  const names = await readdir(folder).catch(() => [])
  return names.some(
    name => name !== basename(stateFolder) && existsSync(batchJournalPath(join(folder, name))),
  )
}
