import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import type { SecretHash } from '../../lib/secret-hash.ts'
import { readEntries } from '../faq/index.ts'
import { adopt, forget, type Overridden, resend, type Section } from '../lockfile/index.ts'
import { collectIds, renderResource } from '../rendering/index.ts'
import type { Resource } from '../resources/index.ts'
import type { AppliedHistory } from './apply-history.ts'

/** Decisions of the user about resources with an unknown state. */
export interface LockfileOverrides {
  /** `tool/book=<id>` each. */
  readonly adopt?: readonly string[] | undefined
  /** `tool/book` or `tool/book=<id>` each. */
  readonly forget?: readonly string[] | undefined
  /** Send every tool and entry again. */
  readonly resend?: boolean | undefined
}

/** Facts about a target besides its section. */
export interface OverrideFacts {
  readonly hash: SecretHash
  /** True if the project declares an update of assistants. */
  readonly canUpdateAssistants: boolean
  readonly history: AppliedHistory
}

export interface OverrideResult {
  readonly section: Section
  readonly overridden: readonly Overridden[]
}

/** The section with all overrides. Pure. @throws CallyardError `usage` for one that cannot be. */
export function applyOverrides(
  section: Section,
  resources: readonly Resource[],
  { adopt: adopted = [], forget: forgotten = [], resend: isResent = false }: LockfileOverrides,
  { hash, canUpdateAssistants, history }: OverrideFacts,
): OverrideResult {
  const byAddress = new Map(resources.map(resource => [resource.address, resource]))
  const files = [...byAddress.keys()]
  const overridden: Overridden[] = []
  let current = section
  const applyResult = (result: { readonly section: Section; readonly overridden: Overridden }) => {
    overridden.push(result.overridden)
    current = result.section
  }
  const keysIn = (address: Address) => {
    const { source, body } = byAddress.get(address)?.checked ?? {}
    return source === undefined ? [] : readEntries(source, body).flatMap(({ key }) => key ?? [])
  }
  const snapshotOf = (address: Address) => {
    const { resources: before } = current
    const resource = byAddress.get(address)
    const ids = collectIds(resources, hash, other => before[other])
    return resource && renderResource(resource.checked, ids).fingerprint()
  }
  const facts = { files, keysIn, history, snapshotOf }
  for (const text of forgotten) applyResult(forget(current, text, facts))
  // Another version of the lockfile has created these: they are not created twice.
  const knownTexts = !isResent
    ? []
    : files.flatMap(address => {
        const { id } = history.findCreated(address, current) ?? {}
        const isKnown = current.resources[address]?.id !== undefined && kindOfAddress(address) !== 'tool'
        return id === undefined || isKnown ? [] : [`${address}=${id}`]
      })
  for (const text of [...knownTexts, ...adopted]) applyResult(adopt(current, text, facts))
  if (isResent)
    applyResult({ section: resend(current, { canUpdateAssistants }), overridden: { code: 'resent' } })
  return { section: current, overridden }
}
