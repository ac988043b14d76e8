import { dirname } from 'node:path'
import { fileKinds } from '../../files/formats/kinds.ts'
import { type CheckedFile, type Diagnostic, findFiles } from '../../files/source/index.ts'
import type { KindName } from '../../interface/words.ts'
import { checkNamesIn, projectsAround } from './find-resources.ts'
import type { ProjectCheckOptions } from './load-project.ts'

interface CheckPathsOptions extends ProjectCheckOptions {
  /** Kind of all files. Default: derived from the folder of each file. */
  readonly kind?: KindName | undefined
  readonly signal?: AbortSignal | undefined
  /** Checks all tests among the files, which say more than their schema; `findChecked` finds the files of whole projects by their paths. */
  readonly checkTests: (
    files: readonly string[],
    findChecked: (path: string) => CheckedFile | undefined,
  ) => Promise<{
    readonly files: readonly { readonly checked: CheckedFile }[]
    readonly diagnostics: readonly Diagnostic[]
  }>
  /** Checks the conditions of a guard, which say more than its schema. */
  readonly checkGuard: (checked: CheckedFile) => Promise<readonly Diagnostic[]>
  /** Called with the files before they are checked, absolute. */
  readonly onFound?: ((files: readonly string[]) => Promise<void> | undefined) | undefined
}

/**
 * Checks files offline, given by paths, folders and patterns. A whole project is also checked like `plan` does. Never throws for the
 * content of files.
 * @returns the files in the order of the arguments, each once; `skipped` are those in folders without a kind
 */
export async function checkPaths(
  paths: readonly string[],
  { kind, signal, onFound, checkTests, checkGuard, ...options }: CheckPathsOptions,
) {
  const foundFiles = await findFiles(paths, { cwd: options.cwd, kind })
  await onFound?.(foundFiles.files.map(({ path }) => path))
  const projects = await checkProjects(foundFiles.projects, options)
  const checkedByPath = new Map(
    projects.flatMap(({ resources }) =>
      resources.map(resource => [`${fileKinds[resource.kind]} ${resource.path}`, resource.checked]),
    ),
  )
  const projectAround = projectsAround(options)
  const testPaths = foundFiles.files.filter(file => file.kind === 'test').map(({ path }) => path)
  const ofProjects = new Map([...checkedByPath.values()].map(checked => [checked.source.path, checked]))
  const tests =
    testPaths.length === 0
      ? { files: [], diagnostics: [] }
      : await checkTests(testPaths, path => ofProjects.get(path))
  for (const { checked } of tests.files) checkedByPath.set(`test ${checked.source.path}`, checked)
  const files: CheckedFile[] = []
  for (const file of foundFiles.files) {
    signal?.throwIfAborted()
    let checked = checkedByPath.get(`${file.kind} ${file.path}`)
    if (checked === undefined) {
      const onEnd = options.onCheck?.(file.path)
      checked = await checkNamesIn(await projectAround(file.path), file.path, file.kind, options)
      onEnd?.()
    }
    files.push(checked)
  }
  const guards = await Promise.all(files.filter(file => file.kind === 'guard').map(checkGuard))
  const ofProjectFiles = projects.flatMap(({ findings }) => findings)
  const isSaid = ({ file, code }: Diagnostic) =>
    ofProjectFiles.some(diagnostic => diagnostic.file === file && diagnostic.code === code)
  return {
    files,
    skipped: foundFiles.skipped,
    findings: [
      ...foundFiles.diagnostics.filter(diagnostic => !isSaid(diagnostic)),
      ...files.flatMap(({ kind: of, diagnostics }) => (of === 'test' ? [] : diagnostics)),
      ...tests.diagnostics,
      ...guards.flat(),
      ...ofProjectFiles,
    ],
  }
}

/** Loaded only to check a whole project. */
async function checkProjects(files: readonly string[], options: ProjectCheckOptions) {
  if (files.length === 0) return []
  const { checkProjectFiles } = await import('./load-project.ts')
  return Promise.all(files.map(file => checkProjectFiles(dirname(file), options)))
}
