import { basename, dirname, relative, sep } from 'node:path'
import { toAddress } from '../../files/formats/address.ts'
import { kinds } from '../../files/formats/kinds.ts'
import type { TestFile } from '../../files/formats/scenario.ts'
import {
  type CheckedFile,
  type Diagnostic,
  type FileRules,
  findFiles,
  projectFileName,
} from '../../files/source/index.ts'
import { comparePositions } from '../../files/text/index.ts'
import { hasErrors } from '../../interface/finding.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { countBy } from '../../lib/group-by.ts'
import { count } from '../../lib/text/count.ts'
import {
  checkNamesIn,
  listDependencies,
  openProjects,
  type ProjectFiles,
  type ProjectOf,
} from '../../project/resources/index.ts'
import { markReference } from '../reference-mark.ts'
import type { TestCase } from '../test-case.ts'
import { buildTest } from './build-test.ts'
import { createFindings, createLocator, type FileLocator, type Findings } from './findings.ts'
import { checkPlaceholders, namesIn, openProjectIndex, quoted } from './project-index.ts'
import { openIncludes, type ParsedTest } from './read-turns.ts'
import { createRowFiller, readRows } from './rows.ts'

export interface LoadTestsOptions extends FileRules {
  readonly vocabulary: Vocabulary
  readonly signal?: AbortSignal | undefined
  /** Returns the project around a file. Default: a new one. */
  readonly projectOf?: ProjectOf | undefined
  /** Called with an absolute path when the check of that file starts; the returned function is called when it ends. */
  readonly onCheck?: ((path: string) => () => void) | undefined
}

/** Loads tests from files, folders (recursively) and glob patterns, one per row of `each`. Never throws for file contents. */
export async function loadTests(paths: readonly string[], options: LoadTestsOptions) {
  const { files, diagnostics } = await findFiles(paths, { cwd: options.cwd })
  // A missing path has no kind of its own; reading it reports the error.
  const isMissing = ({ kind, path }: (typeof files)[number]) =>
    kind === 'project' && basename(path) !== projectFileName
  const testPaths = files.filter(file => file.kind === 'test' || isMissing(file)).map(({ path }) => path)
  const loadedTests = await loadTestFiles(testPaths, options)
  return { ...loadedTests, diagnostics: [...diagnostics, ...loadedTests.diagnostics] }
}

interface LoadedFile {
  readonly checked: CheckedFile
  /** Absolute paths of included files and row files. */
  readonly uses: readonly string[]
}

/** Loads the tests of files given by absolute path. */
export async function loadTestFiles(paths: readonly string[], options: LoadTestsOptions) {
  const { projectOf = openProjects(options) } = options
  const shared = new Map<string, ProjectContext>()
  const tests: TestCase[] = []
  const files: LoadedFile[] = []
  const findings = createFindings()
  for (const path of paths) {
    options.signal?.throwIfAborted()
    const onEnd = options.onCheck?.(path)
    const project = await projectOf(path)
    const folder = project?.folder ?? dirname(path)
    const ofFolder = shared.get(folder) ?? createProjectContext(folder, project, options)
    shared.set(folder, ofFolder)
    const file = await loadFile(path, project, ofFolder, options)
    files.push(file)
    findings.addAll(file.diagnostics)
    if (!hasErrors(file.diagnostics)) tests.push(...file.tests)
    onEnd?.()
  }
  reportDuplicates(tests, findings)
  return {
    /** Tests of files without errors, in file and row order. */
    tests,
    files,
    /** Findings of all files, including included files, without duplicates. */
    diagnostics: removeDuplicates(findings.diagnostics),
  }
}

type ProjectContext = ReturnType<typeof createProjectContext>

/** Creates what the tests of a project share: its index and its includes. */
function createProjectContext(folder: string, project: ProjectFiles | undefined, options: LoadTestsOptions) {
  return {
    index: project && openProjectIndex(project),
    includes: openIncludes({ ...options, folder }),
  }
}

async function loadFile(
  path: string,
  project: ProjectFiles | undefined,
  { index, includes }: ProjectContext,
  options: LoadTestsOptions,
) {
  const { vocabulary } = options
  const checked = await checkNamesIn(project, path, 'test', { ...options, referenceText: markReference })
  const uses = new Set<string>()
  if (checked.value === undefined || hasErrors(checked.diagnostics))
    return { checked, uses: [], tests: [], diagnostics: checked.diagnostics }
  // It has passed the schema.
  const file = checked.value as TestFile
  const findings = createFindings()
  findings.addAll(checked.diagnostics)
  const located = createLocator(checked.source)
  checkRules(file, located, findings)
  const folder = project?.folder ?? dirname(path)
  const list = Array.isArray(file.turns) ? file.turns : []
  const turns = await includes.expand(list, located, findings, uses)
  const test: ParsedTest = { ...located, id: toTestId(path, folder), file, turns, vocabulary }
  const names = namesIn(test)
  const usedColumns = [...new Set([...names.used.keys(), ...names.own.keys()])]
  const rows =
    file.each === undefined
      ? [undefined]
      : await readRows(file.each, located, findings, uses, {
          ...{ ...options, folder, usedColumns, encoding: file.encoding },
        })
  const tests: TestCase[] = []
  const referenced = listDependencies(checked)
  const namesNear = (assistants: readonly unknown[]) =>
    index?.near([
      ...referenced,
      ...assistants.flatMap(name => (typeof name === 'string' ? [toAddress('assistant', name)] : [])),
    ])
  const assistants = new Set<unknown>()
  for (const row of rows) {
    const fill = createRowFiller(row)
    const assistant = typeof file.assistant === 'string' ? fill.text(file.assistant) : undefined
    assistants.add(assistant)
    tests.push(await buildTest(test, { fill, facts: namesNear([assistant]), findings }, row))
  }
  const isEmpty = (test: TestCase) => [test, ...test.turns].every(({ expect }) => expect.length === 0)
  if (!hasErrors(findings.diagnostics) && tests.some(isEmpty))
    findings.add(located.locationOf([]), 'no-expectation', {
      message: 'the test has no expectations, so it cannot fail',
      hint: 'add expect: to a turn or to the test, for example expect: { says: Hello }',
    })
  const ownRows = rows.flatMap(row => row ?? [])
  await checkPlaceholders(test, names, ownRows, { facts: namesNear([...assistants]), findings })
  return {
    checked,
    uses: [...uses],
    tests: withUniqueNames(tests),
    diagnostics: sortByPosition(findings.diagnostics, checked.source.file),
  }
}

/** Sorts findings in the test file by position; those of other files follow. */
function sortByPosition(diagnostics: readonly Diagnostic[], file: string): Diagnostic[] {
  const own = diagnostics.filter(diagnostic => diagnostic.file === file)
  return [...own.sort(comparePositions), ...diagnostics.filter(diagnostic => diagnostic.file !== file)]
}

function checkRules(file: TestFile, { locationOf }: FileLocator, findings: Findings): void {
  const { caller, turns, repeat, expect, each: rowSource, encoding } = file
  const hasCaller = caller !== undefined
  if (turns !== undefined && Array.isArray(turns) === hasCaller)
    findings.add(
      locationOf(['turns'], 'key'),
      'rule',
      hasCaller
        ? {
            message: 'turns must be a number in a test with caller',
            hint: 'set turns to the maximum number of lines of the simulated caller',
          }
        : {
            message: 'turns is a number, but the test has no simulated caller',
            hint: 'add caller: { persona: …, goal: … }, or write the turns as a list',
          },
    )
  if (!hasCaller && expect?.goal !== undefined)
    findings.add(locationOf(['expect', 'goal'], 'key'), 'needs', {
      message: 'expect.goal requires a simulated caller',
      hint: 'add caller: { persona: …, goal: … }',
    })
  if (encoding !== undefined && typeof rowSource !== 'string')
    findings.add(locationOf(['encoding'], 'key'), 'needs', {
      message: 'encoding is that of the CSV file in each, which is missing',
      hint: 'remove encoding, or name a file in each',
    })
  const { times = 1, pass = 0 } = repeat ?? {}
  if (pass > times)
    findings.add(locationOf(['repeat', 'pass']), 'out-of-range', {
      message: `repeat.pass is ${pass}, but the test runs ${count(times, 'time')}, so it cannot pass`,
      hint: `use at most ${times}`,
    })
}

/** Returns `sales/hours` for tests/sales/hours.test.yaml; outside tests/, the path within the project. */
function toTestId(path: string, folder: string): string {
  const inside = relative(folder, path).split(sep)
  const { folder: tests, suffix } = kinds.test
  const name = basename(path).replace(/\.[^.]+$/, '')
  const below = inside[0] === tests ? inside.slice(1, -1) : inside.slice(0, -1)
  return [...below, name.toLowerCase().endsWith(suffix) ? name.slice(0, -suffix.length) : name].join('/')
}

function withUniqueNames(tests: readonly TestCase[]): TestCase[] {
  const counts = countBy(tests, ({ name }) => name)
  return tests.map((test, index) =>
    counts.get(test.name) === 1 ? test : { ...test, name: `${test.name} [${index + 1}]` },
  )
}

function reportDuplicates(tests: readonly TestCase[], findings: Findings): void {
  const names = new Map<string, TestCase>()
  const ids = new Map<string, TestCase>()
  for (const test of tests) {
    const { id, name, location, project = dirname(test.path) } = test
    const sameId = ids.get(`${project}\n${id}`)
    const sameName = names.get(`${project}\n${name}`)
    if (sameId !== undefined)
      findings.add(location, 'duplicate', {
        message: `this test has the same id as ${sameId.file}, ${id}: its path without the extension`,
        hint: 'rename one of the files',
      })
    else if (sameName !== undefined)
      findings.add(location, 'duplicate', {
        message: `${sameName.file} also has a test named ${quoted(name)}`,
        hint: 'change one of the names; tests are selected and reported by name',
      })
    ids.set(`${project}\n${id}`, test)
    names.set(`${project}\n${name}`, test)
  }
}

function removeDuplicates(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const uniqueByJson = new Map(diagnostics.map(diagnostic => [JSON.stringify(diagnostic), diagnostic]))
  return [...uniqueByJson.values()]
}
