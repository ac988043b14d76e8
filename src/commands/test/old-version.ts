import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { CallyardError } from '../../lib/error.ts'
import { isFile } from '../../lib/fs/read-file.ts'
import { copyOldTree, type OldTree } from '../../lib/process/git-tree.ts'
import { compareResults, type TestCase, type TestChange } from '../../scenario/index.ts'
import { displayName, InvalidInput, projectFileName } from '../../source/index.ts'
import { throwTemporaryUnusable } from '../temporary-files.ts'
import type { TestRun } from './document.ts'
import type { TestOptions } from './flags.ts'
import { createTestRunner } from './test-runner.ts'

/**
 * Opens the projects of tests at a version in git, before the tests run, so that a failure is known early. The tests are the current
 * ones, each at the path of its file in that version, next to its recorded responses; a test outside a project is unchanged. @throws
 * CallyardError `usage` if the version is unknown or has no project; InvalidInput if its files are invalid, named as in that version
 */
export async function openOldVersion(
  version: string,
  tests: readonly TestCase[],
  options: TestOptions,
  context: Context,
) {
  const { env, clock, signal, cwd } = context
  const copies = new Map<string, Copy>()
  const close = async () => {
    await Promise.all([...copies.values()].map(copy => copy.remove()))
  }
  const folderOf = (project: string) => copies.get(project)?.folder ?? project
  // What that version has not recorded stays so: its files are a copy.
  const settings = { ...options, bail: false, update: false }
  const runner = createTestRunner(settings, context, folderOf)
  try {
    for (const folder of new Set(tests.flatMap(({ project }) => project ?? []))) {
      const source = { folder, version, temporary: tmpdir(), env, clock, signal }
      const tree = await copyOldTree(source).catch(throwTemporaryUnusable)
      const name = displayName(folder, cwd)
      if ('failure' in tree) throw notCopied(tree, version, name)
      copies.set(folder, tree)
      if (!(await isFile(join(tree.folder, projectFileName))))
        throw notCopied({ failure: 'no-folder', message: '' }, version, name)
    }
    const old = tests.map(test => {
      const { project, path } = test
      if (project === undefined) return test
      return { ...test, path: join(folderOf(project), relative(project, path)) }
    })
    await runner.prepare(old, old)
    return {
      /** Never rejects. */
      close,
      async compare({ results }: TestRun): Promise<TestChange[]> {
        const { results: before } = await runner.run(old)
        return compareResults(before, results)
      },
    }
  } catch (error) {
    await close()
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(
      error.diagnostics.map(finding => ({ ...finding, file: nameIn(version, finding.file, copies, cwd) })),
    )
  }
}

type Copy = Extract<OldTree, { remove(): unknown }>

/** Name of a file in git's notation: `main:assistants/front-desk.yaml`. */
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
): CallyardError {
  const words: Readonly<Record<typeof failure, readonly [string, string]>> = {
    'no-git': [`git cannot be run: ${message}`, 'install git: --against reads the old files from it'],
    'no-repository': [
      `${folder} is not in a git repository`,
      '--against compares with a version in git: commit the project first',
    ],
    'no-version': [
      `${JSON.stringify(version)} is not a branch, tag or commit of this repository`,
      'pass one, as in --against main; in a shallow clone, you may have to fetch it first',
    ],
    'no-folder': [`${version} has no project in ${folder}`, 'pass a version that has its callyard.yaml'],
    'not-copied': [`git cannot copy ${version}: ${message}`, 'check the repository with git fsck'],
  }
  const [what, hint] = words[failure]
  return new CallyardError('usage', what, { hint })
}
