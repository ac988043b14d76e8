import { CliError } from '../../errors.ts'
import { type Address, addressHint, isAddress } from '../address.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import { lockfileName, type Recorded, type Section } from './lockfile.ts'

interface Known {
  /** What the project's files hold. */
  readonly files: readonly Address[]
  /** A file as it would be sent now. */
  snapshotOf(address: Address): Snapshot | undefined
}

/**
 * Takes an existing tool or assistant as the one that a file describes (`--adopt tool/book=<id>`). What was last sent is
 * what the unanswered POST sent, or what the lockfile says of that id under a name that no file has any more. Else a tool
 * is updated in full, and an assistant is taken to be what its file says, for the interface can neither read nor update it.
 * Pure. @throws CliError `usage` when it cannot be adopted.
 */
export function adopt(section: Section, text: string, { files, snapshotOf }: Known): Section {
  const equals = text.indexOf('=')
  const [address, id] = [text.slice(0, equals), text.slice(equals + 1).trim()]
  if (equals < 1 || id === '')
    throw new CliError('usage', `--adopt takes <address>=<id>, such as tool/book=6650f0c2`)
  if (!isAddress(address)) throw unknownAddress(address, files)
  if (address.startsWith('kb/')) {
    throw new CliError('usage', `${address} cannot be adopted: its file names it by knowledgeBaseId`, {
      hint: `write the ids of its entries into the file; callwright apply --forget ${address} inserts the others again`,
    })
  }
  const recorded = section.resources[address]
  if (!files.includes(address) && recorded?.creating === undefined) throw unknownAddress(address, files)
  const holder = (Object.keys(section.resources) as Address[]).find(
    each => each !== address && section.resources[each]?.id === id,
  )
  if (holder !== undefined && files.includes(holder)) {
    throw new CliError('usage', `${id} is ${holder} already, which has a file of its own`, {
      hint: `callwright apply --forget ${holder} takes it out of ${lockfileName} first`,
    })
  }
  const { [holder ?? address]: former, ...others } = section.resources
  const sent = lastSent(address, id, { recorded, former, current: snapshotOf(address) })
  const earlier = recorded?.id === undefined || recorded.id === id ? [] : [recorded.id]
  const replaced = [...(recorded?.replaced ?? []), ...earlier]
  const adopted: Recorded = { id, ...(replaced.length === 0 ? {} : { replaced }), ...sent }
  return { ...section, resources: { ...others, [address]: adopted } }
}

interface Candidates {
  readonly recorded: Recorded | undefined
  /** What the lockfile says of the id, if it knows it. */
  readonly former: Recorded | undefined
  readonly current: Snapshot | undefined
}

/** An id that the lockfile knows is not the one that an unanswered POST made, and what it says of another id is not of this one. */
function lastSent(
  address: Address,
  id: string,
  { recorded, former, current }: Candidates,
): Snapshot & Pick<Recorded, 'updating'> {
  if (former?.id === id) {
    const { body, env, files, ids, updating } = former
    if (Object.keys(body).length > 0) return { body, env, files, ids, updating }
  } else if (recorded?.creating !== undefined) return recorded.creating
  return address.startsWith('assistant/') && current !== undefined ? current : { body: {} }
}

/**
 * Forgets a POST that did not reach the service, or else the resource itself (`--forget tool/book`): the next apply
 * creates it. Entries of a knowledge base are inserted again; where its file is gone, nothing is left of it. Pure.
 * @throws CliError `usage` when the lockfile has no such thing.
 */
export function forget(section: Section, text: string, { files }: Pick<Known, 'files'>): Section {
  const known = Object.keys(section.resources) as Address[]
  const address = known.find(each => each === text)
  const recorded = address === undefined ? undefined : section.resources[address]
  if (address === undefined || recorded === undefined) {
    throw new CliError('usage', `${lockfileName} has no ${text} at this target`, {
      hint:
        addressHint(text, known) ??
        (known.length === 0 ? 'it has nothing yet' : `it has ${known.slice(0, 10).join(', ')}`),
    })
  }
  const { [address]: _, ...others } = section.resources
  const left = files.includes(address) ? forgotten(recorded) : undefined
  return { ...section, resources: left === undefined ? others : { ...others, [address]: left } }
}

function forgotten(recorded: Recorded): Recorded | undefined {
  const { creating, pending, ...settled } = recorded
  if (pending !== undefined) return settled
  if (creating !== undefined) return settled.id === undefined ? undefined : settled
  const { entries } = settled
  if (entries === undefined) return undefined
  // The file keeps their ids, which are no longer ids of this target.
  return { body: {}, entries: Object.fromEntries(Object.keys(entries).map(key => [key, null])) }
}

function unknownAddress(address: string, files: readonly Address[]): CliError {
  return new CliError('usage', `there is no file for ${address}`, {
    hint:
      addressHint(address, files) ??
      'an address is tool/<name> or assistant/<name>, the name of its file without extension',
  })
}
