import { fileKinds } from '../../files/formats/kinds.ts'
import { type CheckedFile, type Diagnostic, findFiles } from '../../files/source/index.ts'
import type { KindName } from '../../interface/words.ts'
import { checkNamesIn } from './find-resources.ts'
import { openProjects, type ProjectCheckOptions, type ProjectOf } from './project-files.ts'

interface CheckPathsOptions extends ProjectCheckOptions {
  /** Kind of all files. Default: derived from the folder of each file. */
  readonly kind?: KindName | undefined
  readonly signal?: AbortSignal | undefined
  /** Checks all tests among the files, which say more than their schema. `projectOf` returns the project around a file. */
  readonly checkTests: (
    files: readonly string[],
    projectOf: ProjectOf,
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
  const projectOf = openProjects(options)
  const projects = await checkProjects(foundFiles.projects, projectOf)
  const checkedByPath = new Map(
    projects.flatMap(({ resources }) =>
      resources.map(resource => [`${fileKinds[resource.kind]} ${resource.path}`, resource.checked]),
    ),
  )
  const testPaths = foundFiles.files.filter(file => file.kind === 'test').map(({ path }) => path)
  const tests =
    testPaths.length === 0 ? { files: [], diagnostics: [] } : await checkTests(testPaths, projectOf)
  for (const { checked } of tests.files) checkedByPath.set(`test ${checked.source.path}`, checked)
  const files: CheckedFile[] = []
  for (const file of foundFiles.files) {
    signal?.throwIfAborted()
    let checked = checkedByPath.get(`${file.kind} ${file.path}`)
    if (checked === undefined) {
      const project = await projectOf(file.path)
      const resource = await project?.readPath(file.path)
      const onEnd = options.onCheck?.(file.path)
      checked =
        resource !== undefined && fileKinds[resource.kind] === file.kind
          ? resource.checked
          : await checkNamesIn(project, file.path, file.kind, options)
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
async function checkProjects(files: readonly string[], projectOf: ProjectOf) {
  if (files.length === 0) return []
  const { checkResources } = await import('./load-project.ts')
  const projects = await Promise.all(files.map(projectOf))
  return Promise.all(projects.flatMap(project => (project === undefined ? [] : checkResources(project))))
}
