import { type Address, kindOfAddress, toAddress } from '../../files/formats/address.ts'
import type { CheckedFile, ResourceReference } from '../../files/source/index.ts'
import { hashContent } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import type { SecretHash } from '../../lib/secret-hash.ts'
import { getKnowledgeBaseId } from '../faq/index.ts'
import type { Snapshot } from '../lockfile/index.ts'

/** The id of another resource; undefined while it has none. */
export type IdOf = (address: Address) => string | undefined

/** Ids of the referenced resources at a target. */
export interface TargetIds {
  /** Id to be sent. */
  readonly idOf: IdOf
  /** The same for the lockfile, without secrets. */
  readonly fingerprintOf: IdOf
  readonly hash: SecretHash
}

/** A file that passed its check, as it is sent to a target, shown and recorded. Each form is built when it is first needed. */
export type Rendering = ReturnType<typeof renderResource>

export function renderResource(checked: CheckedFile, { idOf, fingerprintOf, hash }: TargetIds) {
  const { references, render } = checked
  return {
    /** Body of the request. */
    sent: lazy(() => sentBody(checked, idOf)),
    /** The same without secrets: hashes in their place. */
    hashed: lazy(() => {
      if (references.variables.size === 0) return sentBody(checked, fingerprintOf)
      return render({ env: (_, value) => hash(value), resource: textOf(fingerprintOf) })
    }),
    /** Body that may be shown and kept: included files in place, everything else as the file writes it. */
    shown: lazy(() =>
      render({
        env: name => `\${env:${name}}`,
        resource: ({ kind, name }) => `\${${kind}:${name}}`,
        text: literal => literal.replaceAll('${', () => '$${'),
      }),
    ),
    /** Equal fingerprints mean equal requests. References without an id yet are left out of `ids`. */
    fingerprint: lazy(() => createFingerprint(checked, { fingerprintOf, hash })),
  }
}

/** Body of the request, with the ids of other resources. */
export function sentBody({ body, references, render }: CheckedFile, idOf: IdOf): Body {
  return (references.resources.length === 0 ? body : render({ resource: textOf(idOf) })) as Body
}

type Body = Readonly<Record<string, unknown>>

function textOf(idOf: IdOf) {
  return ({ kind, name }: ResourceReference) => idOf(toAddress(kind, name)) ?? ''
}

function createFingerprint(
  { unresolvedBody, references }: CheckedFile,
  { fingerprintOf, hash }: Omit<TargetIds, 'idOf'>,
): Snapshot {
  const body = unresolvedBody()
  // An empty variable is not a secret, and without it both forms show the sent value: `${env:A}` and `${env:A:-default}`.
  const set = [...references.variables].filter(([, value]) => value !== '')
  const env = set.map(([name, value]) => [name, hash(value)] as const)
  const files = [...references.included].map(
    ([path, text]) => [path, { hash: hashContent(text), text }] as const,
  )
  const ids = references.resources.flatMap(({ kind, name }) => {
    const id = fingerprintOf(toAddress(kind, name))
    return id === undefined ? [] : [[toAddress(kind, name), id] as const]
  })
  return {
    body: isObject(body) ? body : {},
    ...(env.length === 0 ? {} : { env: Object.fromEntries(env.sort()) }),
    ...(files.length === 0 ? {} : { files: Object.fromEntries(files.sort()) }),
    ...(ids.length === 0 ? {} : { ids: Object.fromEntries(ids.sort()) }),
  }
}

/**
 * Resolves references with the current lockfile, and for knowledge bases with their own files. `idOf` is for sent bodies,
 * `fingerprintOf` for the lockfile, without secrets.
 */
export function collectIds(
  resources: readonly { readonly address: Address; readonly checked: CheckedFile }[],
  hash: SecretHash,
  stateOf: (address: Address) => { readonly id?: string | undefined } | undefined,
): TargetIds {
  const byAddress = new Map(resources.map(({ address, checked }) => [address, checked]))
  const by =
    (toText: (id: string, isSecret: boolean) => string): IdOf =>
    address => {
      if (kindOfAddress(address) !== 'kb') return stateOf(address)?.id
      const checked = byAddress.get(address)
      if (checked === undefined) return undefined
      const isSecret = checked.fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
      return toText(getKnowledgeBaseId(checked.body), isSecret)
    }
  return { idOf: by(id => id), fingerprintOf: by((id, isSecret) => (isSecret ? hash(id) : id)), hash }
}
