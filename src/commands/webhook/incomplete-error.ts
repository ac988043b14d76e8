import { CallwrightError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import type { ForwardTotals } from '../../webhook/index.ts'
import type { PartTotals } from './tail-parts.ts'

/** The error that ends a tail which did not do all that it was asked to; undefined when it did. */
export function shortfallOf({ recording, forwarding, exec }: PartTotals): CallwrightError | undefined {
  const undelivered = forwarding === undefined ? 0 : sum(forwarding, 'undelivered')
  const lost = forwarding === undefined ? 0 : sum(forwarding, 'lost')
  const parts = [
    ...(recording !== undefined && recording.missing > 0
      ? [`${count(recording.missing, 'event is', 'events are')} missing in the recording`]
      : []),
    ...(forwarding === undefined ? [] : ofForwarding(forwarding)),
    ...(exec !== undefined && exec.failed + exec.ended > 0
      ? [`--exec failed for ${count(exec.failed + exec.ended, 'message')}`]
      : []),
    ...(exec !== undefined && exec.notRun > 0
      ? [`--exec was not run for ${count(exec.notRun, 'message')}`]
      : []),
  ]
  if (parts.length === 0) return undefined
  return new CallwrightError('partial', parts.join('; '), {
    hint:
      undelivered > lost
        ? `${lost === 0 ? 'they are' : `the other ${undelivered - lost} are`} kept: the same --forward with --resume delivers them`
        : undefined,
    details: {
      ...(recording === undefined ? {} : { recording }),
      ...(forwarding === undefined ? {} : { forwarding }),
      ...(exec === undefined ? {} : { exec }),
    },
  })
}

function ofForwarding(totals: ForwardTotals): string[] {
  const { dropped, unwritten } = totals
  const failed = sum(totals, 'failed')
  const undelivered = sum(totals, 'undelivered')
  const lost = sum(totals, 'lost')
  return [
    ...(failed > 0 ? [`${count(failed, 'forwarded event')} failed`] : []),
    ...(undelivered > 0 ? [`${count(undelivered, 'event is', 'events are')} undelivered`] : []),
    ...(lost > 0 ? [`${lost} of them kept nowhere, as the disk failed`] : []),
    ...(dropped > 0 ? [`${count(dropped, 'event was', 'events were')} not forwarded`] : []),
    ...(unwritten > 0 ? [`--resume would repeat ${count(unwritten, 'delivery', 'deliveries')}`] : []),
  ]
}

function sum({ targets }: ForwardTotals, of: 'failed' | 'undelivered' | 'lost'): number {
  return targets.reduce((total, target) => total + target[of], 0)
}
