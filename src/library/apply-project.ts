import { resolve } from 'node:path'
import type { Address } from '../files/formats/address.ts'
import type { Project as ProjectSettings } from '../files/formats/project.ts'
import type { Vocabulary } from '../interface/vocabulary.ts'
import { CallyardError } from '../lib/error.ts'
import {
  readSeeds,
  type Seed,
  type SeedOptions,
  seedFromProject,
  seedSandbox,
} from '../project/resources/index.ts'
import { Problem, type World } from '../sandbox/index.ts'

export type SandboxProject = Awaited<ReturnType<typeof openProjectForSandbox>>

/**
 * Reads the project in a folder (relative to `cwd`) with a callyard.yaml, for a sandbox without its resources. `${env:…}` reads only
 * `env`.
 * @throws InvalidInput with the findings of all files, CallyardError `no-project-in`
 */
export async function openProjectForSandbox(folder: string, options: SeedOptions) {
  const project = await seedFromProject(resolve(options.cwd, folder), options)
  return {
    /** Absolute. */
    folder: project.folder,
    warnings: project.warnings,
    files: project.resources.map(({ checked }) => checked),
    ...toTestProject({ ...project, serviceVariables: project.settings.serviceVariables }, readSeeds(project)),
  }
}

interface ProjectVersion {
  readonly folder: string
  readonly vocabulary: Vocabulary
  readonly serviceVariables: ProjectSettings['serviceVariables']
}

/** Returns what creates resources of a project, or of a version of it, in a world. */
export function toTestProject(
  { folder, vocabulary, serviceVariables }: ProjectVersion,
  seeds: readonly Seed[],
) {
  return {
    /** The vocabulary of callyard.yaml, else the given one, which the sandbox starts with. */
    vocabulary,
    serviceVariables,
    /**
     * Creates all resources in this world in the order of `apply`, without a lockfile. A reset of the world restores them.
     * @returns ids by address, such as `assistant/front-desk`
     * @throws CallyardError `invalid` for what the sandbox rejects, such as the id of a tool that no file of the project has
     */
    async applyTo({ resources, setResetPoint }: World): Promise<ReadonlyMap<Address, string>> {
      const ids = await seedSandbox(seeds, resources).catch(error => {
        if (!(error instanceof Problem)) throw error
        const { hint } = error.options
        throw new CallyardError('invalid', `${folder}: ${error.message}`, { hint, cause: error })
      })
      setResetPoint()
      return ids
    },
  }
}
