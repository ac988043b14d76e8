import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../../cli/cli-command.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { withBatchFlags } from './flags.ts'
import type { KnownBatch } from './known-batch.ts'
import { done, printRequested } from './requests.ts'

export const callBatchRemoveCommand = defineCommand({
  description: 'Remove people from a batch: they are not called again',
  summary: 'Remove people from a batch',
  examples: [
    'callwright call batch remove reminders 1002',
    'callwright call batch remove reminders +12025550111',
  ],
  topics: ['batches'],
  flags: withFlags,
  result: async () => (await import('../results.ts')).callBatchRequestResult,
  run: (options, context, [asked, people]) =>
    printRequested(
      asked,
      options,
      batch => ({ request: 'remove', people: people.map(person => findPerson(person, batch)) }),
      done('Removed people of'),
      context,
    ),
})

function withFlags(command: Command) {
  return withBatchFlags(command).argument('<person...>', 'Id or number of a person')
}

/** @throws CallwrightError `usage` for a person who is not in the list */
function findPerson(asked: string, { opened, planned }: KnownBatch): string {
  const read = opened.readNumber(asked)
  const number = 'number' in read ? read.number : asked
  const found = planned.people.find(({ id, numbers }) => id === asked || numbers.includes(number))
  if (found !== undefined) return found.id
  throw new CallwrightError('usage', `${asked} is not in batch ${opened.name}`, {
    hint: 'pass the id or the number of a person; nobody was removed',
  })
}
