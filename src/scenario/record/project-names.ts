import { join } from 'node:path'
import { type Address, nameOf } from '../../files/formats/address.ts'
import { readSource } from '../../files/source/index.ts'
import { isObject } from '../../lib/json.ts'
import { findState, lockfileName, readLockfile } from '../../project/lockfile/index.ts'
import { findResources } from '../../project/resources/index.ts'

/** Names of a project that a recorded call may refer to. */
export interface ProjectNames {
  readonly assistants: readonly {
    /** Resource name, such as `front-desk`. */
    readonly name: string
    /** Field `name` of the file. */
    readonly title: string | undefined
    /** Ids in all targets of the lockfile, with those of assistants that it replaced. */
    readonly ids: readonly string[]
    /** Spoken texts with variables: of the file, and as last sent to each target. */
    readonly templates: readonly string[]
  }[]
  readonly tools: readonly {
    readonly name: string
    /** Name of its function in the file, and as last sent to each target. */
    readonly functionNames: readonly string[]
  }[]
}

/** Finds the assistant of a call by id, or by name if it is unique. */
export function findAssistant(
  { id, name }: { readonly id: string | undefined; readonly name: string | undefined },
  project: ProjectNames | undefined,
): ProjectNames['assistants'][number] | undefined {
  const assistants = project?.assistants ?? []
  const byId = id === undefined ? undefined : assistants.find(assistant => assistant.ids.includes(id))
  if (byId !== undefined) return byId
  const [only, ...others] =
    name === undefined
      ? []
      : assistants.filter(assistant => assistant.title === name || assistant.name === name)
  return others.length === 0 ? only : undefined
}

/** Reads names from the files and all targets of the lockfile. @throws CallyardError `conflict` if the lockfile cannot be read */
export async function readProjectNames(folder: string, cwd: string): Promise<ProjectNames> {
  const { files } = await findResources(folder, cwd)
  const { lockfile } = await readLockfile(join(folder, lockfileName), lockfileName, 'ids')
  const recordedAt = (address: Address) =>
    Object.values(lockfile.targets).flatMap(section => findState(section, address) ?? [])
  const resources = await Promise.all(
    [...files.values()]
      .filter(({ kind }) => kind !== 'kb')
      .map(async ({ kind, address, path }) => {
        const { value } = await readSource(path, { cwd })
        return { kind, address, name: nameOf(address), fields: isObject(value) ? value : {} }
      }),
  )
  return {
    assistants: resources
      .filter(({ kind }) => kind === 'assistant')
      .map(({ address, name, fields }) => ({
        name,
        title: textOf(fields.name),
        ids: recordedAt(address).flatMap(({ id, replaced = [] }) =>
          id === undefined ? replaced : [id, ...replaced],
        ),
        templates: distinct(
          [fields, ...recordedAt(address).map(({ body }) => body)].flatMap(body => [
            textOf(body.welcomeMessage),
            textOf(body.endCallMessage),
          ]),
        ),
      })),
    tools: resources
      .filter(({ kind }) => kind === 'tool')
      .map(({ name, address, fields }) => ({
        name,
        functionNames: distinct(
          [fields, ...recordedAt(address).map(({ body }) => body)].map(({ function: definition }) =>
            isObject(definition) ? textOf(definition.name) : undefined,
          ),
        ),
      })),
  }
}

function distinct(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts)].filter(text => text !== undefined)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
