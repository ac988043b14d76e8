import type { Context } from '../../cli/context.ts'
import { formatPath } from '../../interface/check.ts'
import { CallwrightError } from '../../lib/error.ts'
import { recordedOf } from '../../project/lockfile/lockfile.ts'
import { changesSince } from '../../project/plan/changes.ts'
import { secretHash, snapshotOf } from '../../project/snapshot/snapshot.ts'
import { displayName } from '../../source/index.ts'
import type { ProjectResource } from '../project/asked-resource.ts'
import type { CheckedResource } from '../project/check-resource.ts'
import { applyCommand, type ProjectOptions } from '../project/open-project.ts'
import { readTarget } from '../project/recorded-resource.ts'

/**
 * Whether the file of an assistant is what the lockfile says that the target holds.
 * @throws CallwrightError `conflict` with the fields that differ
 */
export async function assertDeployed(
  { address, folder, path }: ProjectResource,
  { checked, fingerprintOf }: CheckedResource,
  options: Pick<ProjectOptions, 'target'>,
  context: Context,
): Promise<void> {
  const { section, target, name } = await readTarget(folder, options, context)
  const hash = secretHash(section.salt)
  const recorded = recordedOf(section, address) ?? { body: {} }
  const changes = changesSince(recorded, snapshotOf(checked, { hash, idOf: fingerprintOf(hash) }))
  if (changes.length === 0) return
  const fields = [...new Set(changes.map(({ path: field }) => formatPath(field)))]
  const shown = fields.slice(0, maxFields).join(', ')
  const more = fields.length > maxFields ? ` and ${fields.length - maxFields} more` : ''
  const file = displayName(path, context.cwd)
  throw new CallwrightError(
    'conflict',
    `${file} differs from what ${name} has of ${address} at target ${target}: ${shown}${more}; nothing was sent`,
    {
      hint: `apply it first: ${applyCommand(options)}; or --assistant ${file} sends it as it is`,
      details: { fields },
    },
  )
}

const maxFields = 5
