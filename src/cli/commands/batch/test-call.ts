import { type BatchPlan, type OpenBatch, sendersOf } from '../../../calls/batch/index.ts'
import { type CalledService, describeNumberProblem, phoneNumberReader } from '../../../calls/place/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'
import { confirmCall } from '../call/confirm-call.ts'
import { agreeToAccess } from '../consent.ts'
import { dialPerson } from './dial.ts'

interface TestCall {
  readonly opened: OpenBatch
  readonly planned: BatchPlan
  readonly service: CalledService
  readonly log: boolean
  readonly yes: boolean | undefined
}

/**
 * Calls a number with the values of the first person of a batch. The batch does not count this call.
 * @throws CallyardError `usage` for an invalid number, a number on a do-not-call list, and a list without people
 */
export async function placeTestCall(
  numberArg: string,
  { opened, planned, service, log, yes }: TestCall,
  context: Context,
): Promise<void> {
  const read = (await phoneNumberReader())(numberArg)
  if ('problem' in read) {
    const { message, hint } = describeNumberProblem({ written: numberArg, ...read })
    throw new CallyardError('usage', `--test-call: ${message}`, { hint })
  }
  const { number: to } = read
  const list = opened.doNotCall.get(to)
  if (list !== undefined) throw new CallyardError('usage', `${to} is in ${list}; nobody was called`)
  const [person] = planned.people
  const [sender] = sendersOf(opened.batch)
  if (person === undefined || sender === undefined)
    throw new CallyardError('usage', 'the list has nobody whose values a test call could have')
  await agreeToAccess(context)
  await confirmCall(service, { To: to, As: person.id }, { yes, question: 'Place one test call?' }, context)
  const job = { person, from: sender.number, to, number: 0 }
  const { id = null } = await dialPerson(job, { opened, service, feed: undefined, log }, context)
  const call = id === null ? 'call' : text`call ${bold(id)}`
  context.output.event(
    { kind: 'test-call', person: person.id, from: sender.number, to, call: id },
    () => text`Placed test ${call} to ${to} with the values of ${person.id}`,
  )
}
