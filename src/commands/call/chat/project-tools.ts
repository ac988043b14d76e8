import type { Context } from '../../../cli/context.ts'
import { type FindResource, kindOfAddress, recordedResource } from '../../../project/index.ts'
import type { RecordEntry } from '../../../sandbox/index.ts'
import { displayName } from '../../../source/index.ts'
import { loadResource } from '../../project/in-project.ts'

/** The tools that an assistant's file refers to by name, for a sandbox that has none of them yet. */
export interface ProjectTools {
  readonly find: FindResource
  /** As records of the sandbox, in which a tool's address is its id, and their files as people see the names. */
  readonly entries: readonly {
    readonly entry: Extract<RecordEntry, { kind: 'tool' }>
    readonly from: string
  }[]
}

/** Reads each tool when it is first referred to. Their service never sees them, so the lockfile is not asked. */
export function createProjectTools(context: Context, allowUnknown: boolean | undefined): ProjectTools {
  const entries: ProjectTools['entries'][number][] = []
  const recorded = recordedResource({}, context)
  const find: FindResource = async (file, project) => {
    const { address, path } = file
    if (kindOfAddress(address) === 'kb') return recorded(file, project)
    if (kindOfAddress(address) === 'tool' && !entries.some(({ entry }) => entry.record._id === address)) {
      const tool = await loadResource(context, path, 'tool', { allowUnknown, find: idOnly })
      entries.push({
        entry: { kind: 'tool', record: { ...tool, _id: address } },
        from: displayName(path, context.cwd),
      })
    }
    return { text: address }
  }
  return { find, entries }
}

/** A tool that another one refers to is no part of the call. */
const idOnly: FindResource = async ({ address }) => ({ text: address })
