import { CliError } from '../../errors.ts'
import { type Address, kindOfAddress } from '../address.ts'
import type { Entry } from '../faq/entries.ts'
import { type OpenEntry, recoverPending } from '../faq/recover.ts'
import type { Section } from './lockfile.ts'

interface Asked {
  readonly target: string
  /** The entries of a knowledge base's file, as the target has them. */
  entriesOf(address: Address): readonly Entry[]
  /** Whether no other run can be at work: else it may be that one which has no answer yet. */
  readonly alone?: boolean | undefined
}

/**
 * An earlier apply may have ended between a POST and its answer: then nobody knows whether the service has what it was to
 * create, and a second POST could create it twice.
 * @throws CliError `conflict` that names each such resource, and how a person settles it.
 */
export function assertSettled({ resources }: Section, { target, entriesOf, alone = true }: Asked): void {
  const unknown: { address: Address; what: string }[] = []
  for (const address of (Object.keys(resources) as Address[]).sort()) {
    const recorded = resources[address]
    if (recorded?.creating !== undefined) unknown.push({ address, what: address })
    if (recorded?.pending === undefined) continue
    const { open } = recoverPending(recorded.pending, entriesOf(address))
    if (open.length === 0) continue
    unknown.push({
      address,
      what: `${open.length} ${open.length === 1 ? 'entry' : 'entries'} of ${address}: ${open.map(nameOf).join(', ')}`,
    })
  }
  if (unknown.length === 0) return
  throw new CliError(
    'conflict',
    [
      `${alone ? 'an earlier apply ended' : 'an apply is at work, or one ended'} without an answer; whether target ${target} holds these is not known:`,
      ...unknown.map(({ what }) => `  ${what}`),
      'nothing was sent',
    ].join('\n'),
    {
      hint: [
        alone ? 'look into the service' : 'if none is at work, look into the service',
        ...waysOut(unknown.map(({ address }) => address)),
      ].join('. '),
      details: { unknown: unknown.map(({ address }) => address) },
    },
  )
}

/** A knowledge base is not adopted: its entries are, each by its id in the file. */
function waysOut(addresses: readonly Address[]): string[] {
  const kb = addresses.find(address => kindOfAddress(address) === 'kb')
  const other = addresses.find(address => kindOfAddress(address) !== 'kb')
  return [
    ...(other === undefined
      ? []
      : [
          `What is there: callwright apply --adopt ${other}=<id>; what is not: callwright apply --forget ${other}`,
        ]),
    ...(kb === undefined
      ? []
      : [
          `Entries that are there: write their ids into the file; the others: callwright apply --forget ${kb} inserts them`,
        ]),
  ]
}

function nameOf({ entry, pending }: OpenEntry): string {
  if (entry !== undefined) return JSON.stringify(entry.label)
  return pending.line === undefined
    ? 'one that the file holds no more'
    : `one that was in line ${pending.line}`
}
