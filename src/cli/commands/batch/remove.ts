import type { Command } from '@commander-js/extra-typings'
import { keysInLog } from '../../../calls/batch/status/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { withFileFlags, withTargetFlag } from '../../shell/flags/flag.ts'
import { queueNeeds, withBatchName, withQueueFlags } from './flags.ts'
import { assertBegun, type LoadedBatch, loadBatch } from './load-batch.ts'
import { printRequested, printShared, requestResult } from './requests.ts'

export const batchRemoveCommand = defineCommand({
  description: 'Remove people from a batch: they are not called again',
  summary: 'Remove people from a batch',
  examples: ['callyard batch remove reminders 1002', 'callyard batch remove reminders +12025550111'],
  topics: ['batches'],
  effect: 'changes',
  flags: withFlags,
  needs: queueNeeds,
  result: requestResult,
  async run(options, context, [batchArg, people]) {
    if (options.queue !== undefined)
      return printShared(batchArg, options, context, async ({ name, state, request }) => {
        await request({ request: 'remove', people: [...(await keysInLog(people, state))] })
        return text`Removed ${count(people.length, 'person', 'people')} from ${bold(name)}`
      })
    const batch = await loadBatch(batchArg, options, context, { isReport: true })
    assertBegun(batch.opened)
    const matches = people.map(person => findPerson(person, batch))
    const summary = text`Removed ${count(matches.length, 'person', 'people')} from ${bold(batch.opened.name)}`
    await printRequested(batch, { request: 'remove', people: matches.flat() }, summary, context)
  },
})

function withFlags(command: Command) {
  // The settings are those of the last run.
  const named = withFileFlags(withTargetFlag(withBatchName(command)), 'Accept')
  return withQueueFlags(named).argument('<person...>', 'Id or number of a person')
}

/** Returns id and numbers of a person. @throws CallyardError `usage` for one who is not in the list */
function findPerson(personArg: string, { opened, planned }: LoadedBatch): readonly string[] {
  const read = opened.readNumber(personArg)
  const number = 'number' in read ? read.number : personArg
  const match = planned.people.find(({ id, numbers }) => id === personArg || numbers.includes(number))
  if (match !== undefined) return [match.id, ...match.numbers]
  throw new CallyardError('usage', `${personArg} is not in batch ${opened.name}`, {
    hint: 'pass the id or the number of a person; nobody was removed',
  })
}
