import {
  type BatchPlan,
  findEarlierCalls,
  type OpenBatch,
  type StatusCounts,
  sendersOf,
} from '../../../calls/batch/index.ts'
import type { CalledService } from '../../../calls/place/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { localMinute } from '../../../lib/text/date-time.ts'
import type { Context } from '../../shell/context.ts'
import { confirmCall } from '../call/confirm-call.ts'
import { agreeToAccess } from '../consent.ts'
import { formatCounts } from './load-batch.ts'
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
  await agreeToAccess(context)
  const facts = {
    Batch: name,
    Assistant: assistant?.label ?? 'the default assistant of the number',
    From: sendersOf(batch)
      .map(({ number }) => number)
      .join(', '),
    People: due === people.length ? `${due}` : `${due} of ${people.length} (${formatCounts(counts)})`,
    ...(calls.most > calls.first && { Calls: `up to ${calls.most}, with all attempts` }),
    ...(despite > 0 && { 'Opted out': `${despite} of them are on a do-not-call list` }),
    ...(until !== undefined && { Until: batch.until ?? '' }),
  }
  const dueText = count(due, 'person', 'people')
  const maxCalls = options.maxCalls === undefined ? ['--max-calls'] : []
  const missing = options.yes === true ? maxCalls : ['--yes', '--max-calls']
  const hint = `${dueText} would be called: --yes --max-calls ${due}`
  await confirmCall(
    service,
    facts,
    { yes: options.yes, question: `Call ${dueText}?`, missing, hint },
    context,
  )
}

/**
 * Asks before a batch without a journal calls people again: `git clean` and a new CI runner have none, and the results or the call log show
 * that an earlier run called them.
 * @throws CallyardError `conflict` in a script without --again, `cancelled` if declined
 */
export async function confirmAgain(
  service: CalledService,
  opened: OpenBatch,
  { people }: BatchPlan,
  { again }: BatchRunOptions,
  { prompts, env, clock }: Context,
): Promise<void> {
  if (again === true || opened.state.begun !== undefined) return
  const earlier = await findEarlierCalls(opened, people, { service: service.baseUrl, env, now: clock.now() })
  if (earlier === undefined) return
  const { name, stateFolder } = opened
  const last = earlier.last === undefined ? '' : `, last on ${localMinute(earlier.last)}`
  const who = `${earlier.people} of ${count(people.length, 'person', 'people')} ${earlier.people === 1 ? 'was' : 'were'} called before`
  const message = `batch ${name} has no journal here, but ${who} according to ${earlier.witnesses.join(' and ')}${last}`
  if (!prompts.confirms) {
    throw new CallyardError('conflict', `${message}; nobody was called`, {
      hint: `restore ${stateFolder} from the machine that ran it; or, to call these people again: --again`,
      details: { people: earlier.people },
    })
  }
  if (await prompts.confirm({ message: `${message}. Call them again?`, flag: '--again' })) return
  throw new CallyardError('cancelled', 'cancelled; nobody was called')
}
