import { CallwrightError } from '../../lib/error.ts'
import { type Address, kindOfAddress } from '../address.ts'
import type { FaqEntry } from '../faq/entries.ts'
import { type OpenEntry, recover } from '../faq/recover.ts'
import type { Section } from './lockfile.ts'

const maxNamed = 5

interface Unknown {
  readonly address: Address
  readonly what: string
  /** Of a knowledge base, as people see its name; undefined where there is none any more. */
  readonly file?: string | undefined
}

interface Asked {
  readonly target: string
  /** The entries of a knowledge base's file, as the target has them. */
  entriesOf(address: Address): readonly FaqEntry[]
  fileOf(address: Address): string | undefined
  /** Whether no other run can be at work: else it may be that one which has no answer yet. */
  readonly alone?: boolean | undefined
}

/**
 * An earlier apply may have ended between a POST and its answer: then nobody knows whether the service has what it was to
 * create, and a second POST could create it twice.
 * @throws CliError `conflict` that names each such resource, and how a person settles it.
 */
export function assertSettled(
  { resources }: Section,
  { target, entriesOf, fileOf, alone = true }: Asked,
): void {
  const unknown: Unknown[] = []
  for (const address of (Object.keys(resources) as Address[]).sort()) {
    const recorded = resources[address]
    if (recorded?.creating !== undefined) unknown.push({ address, what: address })
    if (recorded?.pending === undefined) continue
    const { open } = recover({ pending: recorded.pending, recorded: [] }, entriesOf(address))
    if (open.length === 0) continue
    unknown.push({
      address,
      file: fileOf(address),
      what: `${open.length} ${open.length === 1 ? 'entry' : 'entries'} of ${address}: ${open.slice(0, maxNamed).map(nameOf).join(', ')}${open.length > maxNamed ? ` and ${open.length - maxNamed} more` : ''}`,
    })
  }
  if (unknown.length === 0) return
  throw new CallwrightError(
    'conflict',
    [
      `${alone ? 'an earlier apply ended' : 'an apply is at work, or one ended'} without an answer; whether target ${target} holds these is not known:`,
      ...unknown.map(({ what }) => `  ${what}`),
      'nothing was sent',
    ].join('\n'),
    {
      hint: [
        alone ? 'look into the service' : 'if none is at work, look into the service',
        ...waysOut(unknown, target),
      ].join('. '),
      details: { unknown: unknown.map(({ address }) => address) },
    },
  )
}

function waysOut(unknown: readonly Unknown[], target: string): string[] {
  const kb = unknown.find(({ address }) => kindOfAddress(address) === 'kb')
  const other = unknown.find(({ address }) => kindOfAddress(address) !== 'kb')?.address
  return [
    ...(other === undefined
      ? []
      : [
          `What is there: callwright apply --adopt ${other}=<id>; what is not: callwright apply --forget ${other}`,
        ]),
    ...(kb === undefined ? [] : [waysOutOf(kb, target)]),
  ]
}

function waysOutOf({ address, file }: Unknown, target: string): string {
  const forget = `callwright apply --forget ${address}`
  if (file === undefined) return `Entries whose file is gone: ${forget}`
  const push = `callwright faq push ${file} --target ${target}`
  return `Entries that are there: write their ids into the file, or put them into another one, one per line in the order that ${push} lists them, and run that with --adopt-batch ids.txt; the others: ${forget} inserts them`
}

function nameOf({ entry, pending }: OpenEntry): string {
  const stored = pending.id === undefined ? '' : `, stored as ${pending.id}`
  if (entry !== undefined) return `${JSON.stringify(entry.label)}${stored}`
  const where =
    pending.line === undefined ? 'one that the file holds no more' : `one that was in line ${pending.line}`
  return `${where}${stored}`
}
