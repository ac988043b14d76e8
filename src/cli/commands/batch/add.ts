import { randomUUID } from 'node:crypto'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { OpenBatch, Person } from '../../../calls/batch/index.ts'
import { type Diagnostic, InvalidInput } from '../../../files/source/index.ts'
import { CallyardError, fileError } from '../../../lib/error.ts'
import { makeFolder } from '../../../lib/fs/make-folder.ts'
import { count, countsText } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { suggest } from '../../shell/advice.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { Flag } from '../../shell/flags/flag.ts'
import { collectVariable } from '../../shell/flags/option-parsers.ts'
import { printWarnings } from '../warnings.ts'
import { queueNeeds, withKnownBatchFlags } from './flags.ts'
import { assertBegun, type LoadedBatch, loadBatch } from './load-batch.ts'
import { type Queue, withQueue } from './open-queue.ts'
import { assertNotCancelled, printCounts, printRequested, requestResult, requestShared } from './requests.ts'

export const batchAddCommand = defineCommand({
  description: 'Add the people of another list, or one person, to a batch',
  summary: 'Add people to a batch',
  examples: [
    'callyard batch add reminders more.csv',
    'callyard batch add reminders --to +12025550113 --value name=Dee',
  ],
  topics: ['batches'],
  effect: 'calls',
  flags: withFlags,
  needs: { to: ['value'], ...queueNeeds },
  result: requestResult,
  run: async (options, context, [batchArg, list]) => add(batchArg, list, options, context),
})

function withFlags(command: Command) {
  return withKnownBatchFlags(command)
    .argument('[list]', 'List of people (CSV, JSON Lines or JSON)')
    .option('--to <number>', 'Number of one person to add')
    .addOption(new Flag('--value <column=value>', 'Column of this person').repeatable(collectVariable))
}

type AddOptions = OptionsOf<typeof withFlags>

/**
 * `batch add`: copies the list into the folder of the batch, so that later changes of it do not matter, and checks its rows first. Rows
 * that cannot be called are left out.
 * @throws InvalidInput if nobody can be called, CallyardError `partial` if a row cannot be called
 */
async function add(
  batchArg: string,
  list: string | undefined,
  options: AddOptions,
  context: Context,
): Promise<void> {
  if ((list === undefined) === (options.to === undefined))
    throw new CallyardError('usage', 'pass a list, or one person with --to', {
      ...suggest`for example: ${['batch', 'add', 'reminders', 'more.csv']}`,
    })
  if (options.queue === undefined) return addTo(undefined, batchArg, list, options, context)
  await withQueue(batchArg, options, context, queue => addTo(queue, batchArg, list, options, context))
}

async function addTo(
  queue: Queue | undefined,
  batchArg: string,
  list: string | undefined,
  options: AddOptions,
  context: Context,
): Promise<void> {
  const shared = queue && { openState: async () => queue.journal.state }
  const before = await loadBatch(batchArg, options, context, shared)
  assertBegun(before.opened)
  assertNotCancelled(before.opened)
  const { stateFolder } = before.opened
  let copied = await copyList(list, options, before.opened, context)
  let after: LoadedBatch
  try {
    after = await loadBatch(batchArg, options, context, { ...shared, moreLists: [copied] })
    if (peopleOfList(after).length === 0) throw new InvalidInput(findingsOf(after, list), 'nobody was added')
  } catch (error) {
    await rm(join(stateFolder, copied), { force: true })
    throw error
  }
  const added = peopleOfList(after).length
  const countSkipped = (status: string) =>
    after.planned.uncalled.filter(row => isOfList(row.list, after) && row.status === status).length
  const invalid = countSkipped('invalid')
  const skipped = countsText([
    [invalid, 'not valid'],
    [countSkipped('duplicate'), 'in the batch already'],
    [countSkipped('do-not-call'), 'not to be called'],
  ])
  if (invalid > 0) {
    printWarnings(findingsOf(after, list), context)
    copied = await leaveOutInvalid(copied, after)
  }
  const summary = text`Added ${count(added, 'person', 'people')} to ${bold(before.opened.name)}${skipped === '' ? '' : ` (${skipped})`}`
  const request = { request: 'add', list: copied } as const
  if (queue === undefined) await printRequested(after, request, summary, context, { invalid })
  else {
    const content = await readFile(join(stateFolder, copied), 'base64')
    await requestShared(queue.journal, { ...request, content, people: added }, context)
    printCounts({ ...after.opened, state: queue.journal.state }, after.planned, summary, context, { invalid })
  }
  if (invalid > 0)
    throw new CallyardError('partial', `${count(invalid, 'row')} of ${list} cannot be called`, {
      hint: 'correct them, and add the list again: people who are in the batch already are skipped',
      details: { invalid },
    })
}

/** True for the added list, which is the last one. Another `batch add` may have added a list at the same time. */
function isOfList(list: Person['list'], { planned }: LoadedBatch): boolean {
  return list.table === planned.lists.at(-1)?.table
}

function peopleOfList(batch: LoadedBatch): readonly Person[] {
  return batch.planned.people.filter(({ list }) => isOfList(list, batch))
}

/** Returns the findings of the added list, in the file that a person corrects. */
function findingsOf({ planned }: LoadedBatch, list = '--to'): readonly Diagnostic[] {
  const { file } = planned.lists.at(-1)?.table ?? {}
  return planned.findings.diagnostics.flatMap(diagnostic =>
    diagnostic.file === file ? [{ ...diagnostic, file: list }] : [],
  )
}

/** Replaces a copied list by one with the people who can be called: its other rows would be reported by each run. */
async function leaveOutInvalid(copied: string, batch: LoadedBatch): Promise<string> {
  const { stateFolder } = batch.opened
  const rows = peopleOfList(batch).map(({ list: { table }, row }) => {
    const cells = table.rows.at(row)?.cells ?? []
    const fields = table.columns.flatMap((column, index) => (column === '' ? [] : [[column, cells[index]]]))
    return JSON.stringify(Object.fromEntries(fields))
  })
  const valid = `${copied}.jsonl`
  await writeFile(join(stateFolder, valid), `${rows.join('\n')}\n`, { mode: 0o600, flush: true })
  await rm(join(stateFolder, copied), { force: true })
  return valid
}

async function copyList(
  list: string | undefined,
  { to, value = {} }: AddOptions,
  { stateFolder, batch }: OpenBatch,
  { resolve }: Context,
): Promise<string> {
  const name = list === undefined ? 'person.json' : basename(list)
  const copied = `lists/${randomUUID().slice(0, 8)}-${name}`
  const path = join(stateFolder, copied)
  try {
    await makeFolder(join(stateFolder, 'lists'), 0o700)
    if (list === undefined)
      await writeFile(path, `${JSON.stringify([toRow(batch, to, value)])}\n`, { mode: 0o600, flush: true })
    else await copyFile(resolve(list), path)
    return copied
  } catch (error) {
    throw fileError(`${list ?? path} cannot be copied`, error)
  }
}

/** A row with the columns that the batch names. */
function toRow(
  { columns = {} }: OpenBatch['batch'],
  to: string | undefined,
  values: Readonly<Record<string, string>>,
) {
  const numbers = [columns.to ?? 'to'].flat()
  const { to: _, ...uses } = columns
  const others = Object.values(uses).flatMap(column => column || [])
  const empty = Object.fromEntries([...numbers, ...others].map(column => [column, '']))
  return { ...empty, [numbers[0] ?? 'to']: to, ...values }
}
