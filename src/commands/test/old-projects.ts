import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { copyOldTree, type OldTree } from '../../lib/process/git-tree.ts'
import type { TestCase } from '../../scenario/index.ts'
import { displayName, InvalidInput, projectFileName } from '../../source/index.ts'

/** The projects of tests as a version of their repositories has them. */
export interface OldProjects {
  /** The same tests, each with the place of its file in that version: its recorded answers lie beside it. */
  readonly tests: readonly TestCase[]
  /** Where the old copy of a project's folder lies; absolute. */
  folderOf(project: string): string
  /** What is wrong with a file of the copy, by its name in that version. */
  renamed(error: unknown): unknown
  /** Never rejects. */
  remove(): Promise<void>
}

type Copy = Extract<OldTree, { remove(): unknown }>

/**
 * Copies the projects of these tests as `version` has them; a test outside of a project stays as it is.
 * @throws CallwrightError `usage` where there is no such version, or no project in it
 */
export async function openOldProjects(
  tests: readonly TestCase[],
  version: string,
  { env, clock, signal, cwd }: Pick<Context, 'env' | 'clock' | 'signal' | 'cwd'>,
): Promise<OldProjects> {
  const copies = new Map<string, Copy>()
  const remove = async () => {
    await Promise.all([...copies.values()].map(copy => copy.remove()))
  }
  try {
    for (const folder of new Set(tests.flatMap(({ project }) => project ?? []))) {
      const tree = await copyOldTree({ folder, version, temporary: tmpdir(), env, clock, signal })
      const name = displayName(folder, cwd)
      if ('failure' in tree) throw notCopied(tree, version, name)
      copies.set(folder, tree)
      if (!(await isFile(join(tree.folder, projectFileName)))) throw noProject(version, name)
    }
  } catch (error) {
    await remove()
    throw error
  }
  const folderOf = (project: string) => copies.get(project)?.folder ?? project
  return {
    folderOf,
    remove,
    tests: tests.map(test => {
      const { project, path } = test
      return project === undefined
        ? test
        : { ...test, path: join(folderOf(project), relative(project, path)) }
    }),
    renamed(error) {
      if (!(error instanceof InvalidInput)) return error
      return new InvalidInput(
        error.diagnostics.map(finding => ({ ...finding, file: nameIn(version, finding.file, copies, cwd) })),
      )
    },
  }
}

/** As git names it: `main:assistants/front-desk.yaml`. */
function nameIn(version: string, file: string, copies: ReadonlyMap<string, Copy>, cwd: string): string {
  for (const { folder } of copies.values()) {
    const prefix = `${displayName(folder, cwd)}/`
    if (file.startsWith(prefix)) return `${version}:${file.slice(prefix.length)}`
  }
  return file
}

function notCopied(
  { failure, message }: Exclude<OldTree, Copy>,
  version: string,
  folder: string,
): CallwrightError {
  const refused = (what: string, hint: string) => new CallwrightError('usage', what, { hint })
  switch (failure) {
    case 'no-git':
      return refused(`git cannot be run: ${message}`, '--against takes the old files from git: install it')
    case 'no-repository':
      return refused(
        `${folder} is in no git repository`,
        '--against compares with a version in git: commit the project first',
      )
    case 'no-version':
      return refused(
        `git knows no version ${JSON.stringify(version)}`,
        'give a branch, a tag or a commit, as in --against main; in a shallow clone it may have to be fetched',
      )
    case 'no-folder':
      return noProject(version, folder)
    case 'not-copied':
      return refused(`git cannot copy ${version}: ${message}`, 'try it with git checkout')
  }
}

function noProject(version: string, folder: string): CallwrightError {
  return new CallwrightError('usage', `${version} has no project in ${folder}`, {
    hint: 'give a version that has its callwright.yaml',
  })
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isFile(),
    () => false,
  )
}
