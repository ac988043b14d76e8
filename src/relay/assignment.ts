/** A member's view of who reads which partition. */
export interface PartitionAssignment {
  /** Partitions to claim, which nobody reads. */
  readonly claim: readonly string[]
  /** Partitions to release, so that a member with fewer can claim them. */
  readonly release: readonly string[]
  /** True if the members share the partitions evenly, so that nothing changes until they do. */
  readonly isSettled: boolean
}

/**
 * Divides the partitions evenly among the members and moves as few as possible. Members with the same view compute parts of the same
 * assignment: the free partitions go to the members with too few, and those with too many release the rest.
 */
export function assignPartitions(
  owners: ReadonlyMap<string, string | undefined>,
  members: ReadonlySet<string>,
  self: string,
): PartitionAssignment {
  const partitionsOf = new Map([...members].sort().map(member => [member, [] as string[]]))
  const free: string[] = []
  for (const [partition, owner] of [...owners].sort(([one], [other]) => (one < other ? -1 : 1)))
    (owner === undefined ? free : (partitionsOf.get(owner) ?? free)).push(partition)

  const base = Math.floor(owners.size / members.size)
  // The larger shares stay where they are.
  const byShare = [...partitionsOf].sort(([, one], [, other]) => other.length - one.length)
  const larger = new Set(byShare.slice(0, owners.size % members.size).map(([member]) => member))
  const shareOf = (member: string) => base + (larger.has(member) ? 1 : 0)

  let claim: readonly string[] = []
  let isSettled = true
  for (const [member, own] of partitionsOf) {
    const missing = Math.max(0, shareOf(member) - own.length)
    const memberPartitions = free.splice(0, missing)
    if (member === self) claim = memberPartitions
    if (own.length !== shareOf(member)) isSettled = false
  }
  return { claim, release: (partitionsOf.get(self) ?? []).slice(shareOf(self)), isSettled }
}
