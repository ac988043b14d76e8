import type { Address } from '../address.ts'
import { projectError, type Unanswered, type UnknownEntry } from '../errors.ts'
import type { FaqEntry } from '../faq/entries.ts'
import { type OpenEntry, recover } from '../faq/recover.ts'
import type { Section } from './lockfile.ts'

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
  const open: Unanswered[] = []
  for (const address of (Object.keys(resources) as Address[]).sort()) {
    const recorded = resources[address]
    if (recorded?.creating !== undefined) open.push({ address })
    if (recorded?.pending === undefined) continue
    const entries = recover({ pending: recorded.pending, recorded: [] }, entriesOf(address)).open.map(named)
    if (entries.length > 0) open.push({ address, file: fileOf(address), entries })
  }
  if (open.length === 0) return
  const unknown = open.map(({ address }) => address)
  throw projectError('conflict', 'apply-unanswered', { target, alone, open, unknown })
}

function named({ entry, pending: { line, id } }: OpenEntry): UnknownEntry {
  return { line, question: entry?.label, id }
}
