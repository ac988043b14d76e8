import { join } from 'node:path'
import { type Address, nameOf } from '../../interface/address.ts'
import { isObject } from '../../lib/json.ts'
import { lockfileName, readLockfile } from '../../lockfile/index.ts'
import { findResources } from '../../resources/index.ts'
import { readSource } from '../../source/index.ts'

/** What the project has that a recorded call may name. */
export interface ProjectNames {
  readonly assistants: readonly {
    /** As a test names it: `front-desk`. */
    readonly name: string
    /** Its field `name`. */
    readonly title: string | undefined
    /** At the services to which it was applied. */
    readonly ids: readonly string[]
    /** What it says, with its variables. */
    readonly templates: readonly string[]
  }[]
  readonly tools: readonly { readonly name: string; readonly functionName: string | undefined }[]
}

/** The assistant of a call: the one with its id, or the only one of its name. */
export function findAssistant(
  { id, name }: { readonly id: string | undefined; readonly name: string | undefined },
  project: ProjectNames | undefined,
): ProjectNames['assistants'][number] | undefined {
  const known = project?.assistants ?? []
  const byId = id === undefined ? undefined : known.find(each => each.ids.includes(id))
  if (byId !== undefined) return byId
  const [only, ...others] =
    name === undefined ? [] : known.filter(each => each.title === name || each.name === name)
  return others.length === 0 ? only : undefined
}

/**
 * What a project calls its assistants and tools, by its files as they are written and by all targets of its lockfile. A file with flaws
 * has its name alone.
 * @throws CallwrightError `conflict` for a lockfile that cannot be read
 */
export async function readProjectNames(folder: string, cwd: string): Promise<ProjectNames> {
  const { files } = await findResources(folder, cwd)
  const { lockfile } = await readLockfile(join(folder, lockfileName), lockfileName)
  const idsOf = (address: Address) =>
    Object.values(lockfile.targets).flatMap(({ resources }) => {
      const id = Object.hasOwn(resources, address) ? resources[address]?.id : undefined
      return id === undefined ? [] : [id]
    })
  const read = await Promise.all(
    [...files.values()]
      .filter(({ kind }) => kind !== 'kb')
      .map(async ({ kind, address, path }) => {
        const { value } = await readSource(path, { cwd })
        return { kind, address, name: nameOf(address), fields: isObject(value) ? value : {} }
      }),
  )
  return {
    assistants: read
      .filter(({ kind }) => kind === 'assistant')
      .map(({ address, name, fields }) => ({
        name,
        title: textOf(fields.name),
        ids: idsOf(address),
        templates: [fields.welcomeMessage, fields.endCallMessage].flatMap(text => textOf(text) ?? []),
      })),
    tools: read
      .filter(({ kind }) => kind === 'tool')
      .map(({ name, fields: { function: definition } }) => ({
        name,
        functionName: isObject(definition) ? textOf(definition.name) : undefined,
      })),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
