import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type ResourceState, readLockfile, type Section } from '../../../../src/project/lockfile/index.ts'
import { isPresent, writeFiles } from '../../../helpers/folders.ts'
import { assistantText, toolText } from '../../../helpers/resources.ts'
import { type RunResult, type TestCli, testCli } from '../../../helpers/test-cli.ts'
import { type ProjectService, projectService } from './project-service.ts'

export interface TestProject extends TestCli {
  readonly service: ProjectService
  /** Environment of later runs; a test may change it. */
  readonly env: Record<string, string | undefined>
  write(file: string, content: string): Promise<void>
  remove(file: string): Promise<void>
  exists(file: string): Promise<boolean>
  /** `apply --yes …` */
  apply(...more: string[]): Promise<RunResult>
  /** The parsed lockfile; an invalid one fails the test. */
  section(target?: string): Promise<Section | undefined>
  /** One resource in it. */
  recorded(
    address: `${'tool' | 'kb' | 'assistant'}/${string}`,
    target?: string,
  ): Promise<ResourceState | undefined>
}

/** A project in a folder of its own, by default with an empty callyard.yaml, and the service that it is applied to. */
export async function testProject(
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<TestProject> {
  const service = await projectService()
  const env: Record<string, string | undefined> = { CALLYARD_BASE_URL: service.baseUrl, ...variables }
  const cli = await testCli({ 'callyard.yaml': '', ...files }, { env })
  const path = (file: string) => join(cli.folder, file)
  const section = async (target = 'default') => {
    const { lockfile } = await readLockfile(path('callyard.lock.yaml'), 'callyard.lock.yaml')
    return lockfile.targets[target]
  }
  return {
    ...cli,
    service,
    env,
    write: (file, content) => writeFiles(cli.folder, { [file]: content }),
    remove: file => rm(path(file), { recursive: true }),
    exists: file => isPresent(path(file)),
    apply: (...more) => cli.run('apply', '--yes', ...more),
    section,
    recorded: async (address, target) => (await section(target))?.resources[address],
  }
}

/** The same, once it was applied. */
export async function appliedProject(
  ...project: Partial<Parameters<typeof testProject>>
): Promise<TestProject> {
  const [files = deskFiles, env] = project
  const applied = await testProject(files, env)
  expect(await applied.apply()).toMatchObject({ exitCode: 0 })
  return applied
}

export { toolText as tool } from '../../../helpers/resources.ts'

export function assistant(name: string, tools: readonly string[] = [], more = ''): string {
  return assistantText(name, { tools, more })
}

/** One tool, and one assistant that uses it. */
export const deskFiles = {
  'tools/book.yaml': toolText('book'),
  'assistants/desk.yaml': assistant('Desk', ['book']),
} as const

/** Matches the whole output for a target without changes, whoever applied it. */
export function upToDate(resources: string, target = 'default'): RegExp {
  return new RegExp(
    `^Up to date: ${resources} of target ${target}, as recorded by apply \\d+ \\(.+@.+\\)\\.\\n$`,
  )
}

/** Output as one line without wraps. */
export function unwrapped(printed: string): string {
  return printed.replace(/\s+/g, ' ')
}

/** Everything in a folder: path → its time of change and its content. */
export async function everythingIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  const entries = await Promise.all(
    ['.', ...names].map(async name => {
      const stats = await stat(join(folder, name))
      const content = stats.isDirectory() ? '(folder)' : await readFile(join(folder, name), 'base64')
      return [name, `${stats.mtimeMs} ${stats.mode} ${content}`] as const
    }),
  )
  return Object.fromEntries(entries)
}
