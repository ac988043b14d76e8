import { dirname } from 'node:path'
import { type Address, nameOf, withoutKind } from '../../files/formats/address.ts'
import { type Diagnostic, displayName, InvalidInput, type ResourceLookup } from '../../files/source/index.ts'
import { formatFieldPath } from '../../interface/check.ts'
import { hasErrors } from '../../interface/finding.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { CallyardError } from '../../lib/error.ts'
import { withoutExtension } from '../../lib/fs/extension.ts'
import type { SecretHash } from '../../lib/secret-hash.ts'
import { listed } from '../../lib/text/count.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { findState } from '../lockfile/index.ts'
import { changesSince } from '../plan/index.ts'
import { renderResource, type TargetIds } from '../rendering/index.ts'
import {
  checkFileInProject,
  type FindResource,
  findResources,
  type ResourceFile,
} from '../resources/index.ts'
import { type ProjectDeps, recordedResource, type TargetOptions } from './read-target.ts'

export interface CheckResourceOptions extends TargetOptions {
  readonly allowUnknown?: boolean | undefined
  /** Resolves references to other files of the project. Default: the ids of the lockfile. */
  readonly find?: FindResource | undefined
}

/**
 * Checks a single file that is sent, with the ids of its project. Returns its warnings.
 * @throws InvalidInput (exit 3) with all findings, or with a suggestion for a missing file.
 */
export async function checkResource(
  file: string,
  kind: KindName,
  options: CheckResourceOptions,
  deps: ProjectDeps,
) {
  const { allowUnknown, find = recordedResource(options, deps) } = options
  const vocabulary = (await deps.settings()).vocabulary.value
  const lookups = new Map<Address, Extract<ResourceLookup, { text: string }>>()
  const checked = await checkFileInProject(
    file,
    kind,
    { ...deps.files, vocabulary, allowUnknown },
    async other => {
      const one = await find(other)
      if ('text' in one) lookups.set(other.address, one)
      return one
    },
  )
  if (checked.body === undefined || hasErrors(checked.diagnostics))
    throw new InvalidInput(await withNearFile(checked.diagnostics, { file, kind }, deps))
  deps.willSend(checked)
  const idsWith = (hash: SecretHash): TargetIds => ({
    hash,
    idOf: address => lookups.get(address)?.text,
    fingerprintOf(address) {
      const { text, isSecret = false } = lookups.get(address) ?? {}
      return text !== undefined && isSecret ? hash(text) : text
    },
  })
  const maskedIds = idsWith(() => '****')
  return {
    checked,
    idsWith,
    /** The body to be shown: `****` for each value that came from the environment. */
    masked: () => renderResource(checked, maskedIds).hashed(),
  }
}

/** A file that passed its own check, with resolved references. */
export type CheckedResource = Awaited<ReturnType<typeof checkResource>>

/** Suggests the path of a project's file if a missing file was given by its name in the project. */
async function withNearFile(
  diagnostics: readonly Diagnostic[],
  { file, kind }: { readonly file: string; readonly kind: KindName },
  deps: ProjectDeps,
): Promise<readonly Diagnostic[]> {
  const [only] = diagnostics
  if (only?.code !== 'missing-file' || only.position !== undefined || only.hint?.startsWith('did you mean'))
    return diagnostics
  const near = await nearProjectFile(file, kind, deps)
  return near === undefined ? diagnostics : [{ ...only, hint: `did you mean ${near}?` }]
}

const resourceKindOf: Partial<Record<KindName, ResourceKind>> = {
  assistant: 'assistant',
  'inline-assistant': 'assistant',
  tool: 'tool',
  'tool-update': 'tool',
  'knowledge-base': 'kb',
}

/** The file of the project that has this name, or nearly: `tools/book.yaml` for `book`. Undefined when none is near. */
async function nearProjectFile(
  text: string,
  kindName: KindName,
  deps: ProjectDeps,
): Promise<string | undefined> {
  const kind = resourceKindOf[kindName]
  const { project } = await deps.settings()
  if (kind === undefined || project === undefined) return undefined
  const { files } = await findResources(dirname(project.file), deps.cwd)
  const pathsByName = new Map(
    [...files.values()].flatMap(file => (file.kind === kind ? [[nameOf(file.address), file.path]] : [])),
  )
  const bare = withoutKind(withoutExtension(text))
  const path = pathsByName.get(bare) ?? pathsByName.get(didYouMean(bare, [...pathsByName.keys()]) ?? '')
  return path === undefined ? undefined : displayName(path, deps.cwd)
}

/**
 * Asserts that the file of an assistant equals the recorded state of the target.
 * @throws CallyardError `conflict` with the fields that differ
 */
export async function assertDeployed(
  { address, folder, path }: ResourceFile,
  { checked, idsWith }: CheckedResource,
  options: TargetOptions,
  deps: ProjectDeps,
): Promise<void> {
  // Late, because a call by the id of an assistant needs no history of the lockfile.
  const { openTarget } = await import('./open-target.ts')
  const { section, target, name, store } = await openTarget(folder, options, deps, { witnesses: 'machine' })
  const lastState = findState(section, address) ?? { body: {} }
  const changes = changesSince(lastState, renderResource(checked, idsWith(store.state.hash)).fingerprint())
  if (changes.length === 0) return
  const file = displayName(path, deps.cwd)
  const fields = [...new Set(changes.map(({ path: field }) => formatFieldPath(field)))]
  throw new CallyardError(
    'conflict',
    `${file} differs from ${address} at target ${target.name} in ${name}: ${listed(fields, 5)}; nothing was sent`,
    {
      code: 'not-as-deployed',
      hint: 'apply it first, or send the file unchanged',
      details: { file, lockfile: name, address, target: target.name, fields },
    },
  )
}
