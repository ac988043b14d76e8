import { type BatchPlan, type OpenBatch, type StatusCounts, sendersOf } from '../../../batch/index.ts'
import type { CalledService } from '../../../calls/index.ts'
import type { Context } from '../../../cli/context.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { agreeToAccess } from '../../in-project.ts'
import { confirmCall } from '../confirm-call.ts'
import { formatCounts } from './known-batch.ts'
import type { BatchRunOptions } from './run-flags.ts'

interface Confirmation {
  /** Number of people who are called next. */
  readonly due: number
  readonly counts: StatusCounts
  /** People on do-not-call lists who are called anyway. */
  readonly despite: number
}

/**
 * Asks before people are called: for what the files use, and for the calls, unless the service is a sandbox.
 * @throws CallyardError `usage` in a script without --yes and --max-calls, `cancelled` if declined
 */
export async function confirmBatch(
  service: CalledService,
  { name, batch, assistant }: OpenBatch,
  { people, until, calls }: BatchPlan,
  { due, counts, despite }: Confirmation,
  options: BatchRunOptions,
  context: Context,
): Promise<void> {
  const { prompts } = context
  await agreeToAccess(context, { yes: options.yes })
  if (await service.isSandbox()) return
  if (options.yes === true ? options.maxCalls === undefined : !prompts.confirms) {
    throw new CallyardError(
      'usage',
      `without confirmation, ${options.yes === true ? '--max-calls is' : '--yes and --max-calls are'} required`,
      {
        hint: `${count(due, 'person', 'people')} would be called: --yes --max-calls ${due}`,
      },
    )
  }
  if (options.yes === true) return
  const facts = {
    Batch: name,
    Assistant: assistant?.shown ?? 'the default assistant of the number',
    From: sendersOf(batch)
      .map(({ number }) => number)
      .join(', '),
    People: due === people.length ? `${due}` : `${due} of ${people.length} (${formatCounts(counts)})`,
    ...(calls.most > calls.first && { Calls: `up to ${calls.most}, with all attempts` }),
    ...(despite > 0 && { 'Opted out': `${despite} of them are on a do-not-call list` }),
    ...(until !== undefined && { Until: batch.until ?? '' }),
  }
  await confirmCall(service, facts, context, `Call ${count(due, 'person', 'people')}?`)
}
