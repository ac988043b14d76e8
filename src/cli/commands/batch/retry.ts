import { type Command, Option } from '@commander-js/extra-typings'
import { reportLog } from '../../../calls/batch/status/index.ts'
import { retriedOutcomes } from '../../../files/formats/batch.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { queueNeeds, withKnownBatchFlags } from './flags.ts'
import { assertBegun, loadBatch } from './load-batch.ts'
import { assertNotCancelled, printRequested, printShared, requestResult } from './requests.ts'

export const batchRetryCommand = defineCommand({
  description: 'Call people again by outcome, in the next run',
  examples: ['callyard batch retry reminders --outcome no-answer'],
  topics: ['batches'],
  effect: 'calls',
  flags: withFlags,
  needs: queueNeeds,
  result: requestResult,
  async run(options, context, [batchArg]) {
    const outcome = requiredOutcome(options)
    if (options.queue !== undefined)
      return printShared(batchArg, options, context, async ({ name, state, request }) => {
        const marked = reportLog(state).counts[outcome]
        await request({ request: 'retry', outcome })
        return text`Marked ${count(marked, 'person', 'people')} of ${bold(name)} for another call`
      })
    const batch = await loadBatch(batchArg, options, context)
    assertBegun(batch.opened)
    assertNotCancelled(batch.opened)
    const marked = batch.counts[outcome]
    const summary = text`Marked ${count(marked, 'person', 'people')} of ${bold(batch.opened.name)} for another call`
    await printRequested(batch, { request: 'retry', outcome }, summary, context)
  },
})

function withFlags(command: Command) {
  return withKnownBatchFlags(command).addOption(
    new Option('--outcome <outcome>', 'Outcome of the last call').choices(retriedOutcomes),
  )
}

function requiredOutcome({ outcome }: OptionsOf<typeof withFlags>): (typeof retriedOutcomes)[number] {
  if (outcome !== undefined) return outcome
  throw new CallyardError('usage', '--outcome is missing', {
    hint: `pass the outcome of the last call: ${retriedOutcomes.join(', ')}`,
  })
}
