import { existsSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { displayName, inferKind } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { type FolderWatch, watchFolders } from '../../../lib/fs/watch-folders.ts'
import { createDeferred } from '../../../lib/queue.ts'
import { count } from '../../../lib/text/count.ts'
import { dim, join } from '../../../lib/text/text.ts'
import { testDocument } from '../../../scenario/results/index.ts'
import type { Context } from '../../shell/context.ts'
import { failureDocument, failureText } from '../../shell/output/failure.ts'
import { failureWords } from '../../shell/render/failure-words.ts'
import { printWarnings } from '../warnings.ts'
import type { TestOptions } from './flags.ts'
import { type ReadTests, readTests, selectTests } from './read-tests.ts'
import { getRunFailure, renderRun } from './show-run.ts'
import { createTestRunner } from './test-runner.ts'
import { type TestsByFile, testsByFile } from './touched-tests.ts'

/**
 * Runs the tests, and from then on those that a changed file touches, one run after the other, until a person presses q. Invalid files
 * are reported until they are fixed.
 * @throws CallyardError `cancelled` after the signal; after q the error of the last run, if it did not pass
 */
export async function watchTests(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
): Promise<void> {
  const { output, signal, clock } = context
  const changes = createChanges()
  const folders = watchFolders({
    clock,
    onChange: changes.add,
    onUnwatched: (folder, reason) =>
      output.warn(`cannot watch ${displayName(folder, context.cwd)}: ${reason}`),
  })
  const session = createWatchSession(paths, options, context, folders)
  const stop = () => changes.end()
  signal.addEventListener('abort', stop, { once: true })
  let closeKeys = () => {}
  try {
    await session.watchPaths()
    // A question comes before the keys of the watch.
    await session.run(undefined)
    if (context.options.input !== false) {
      closeKeys = await context.host.stdin.keys(key => {
        if (key === 'q') changes.end()
        else if (key === 'return' || key === 'enter') changes.all()
      })
    }
    const keys = context.host.stdin.isTerminal ? '; Enter runs all tests, q ends' : ''
    const wait = () => {
      if (!signal.aborted) output.note(dim(`waiting for changes${keys}`))
    }
    wait()
    for await (const changed of changes.batches) if (await session.run(changed)) wait()
  } finally {
    signal.removeEventListener('abort', stop)
    closeKeys()
    folders.close()
  }
  if (signal.aborted) throw new CallyardError('cancelled', 'cancelled')
  const last = session.last()
  if (last !== undefined) throw last
}

/** Collects changes into batches while tests run. `undefined` requests all tests. */
function createChanges() {
  let waiting: Set<string> | undefined = new Set()
  let ended = false
  let changed = createDeferred()
  return {
    add(files: readonly string[]) {
      for (const file of files) waiting?.add(file)
      changed.resolve()
    },
    all() {
      waiting = undefined
      changed.resolve()
    },
    end() {
      ended = true
      changed.resolve()
    },
    batches: (async function* () {
      for (;;) {
        await changed.promise
        if (ended) return
        const batch = waiting
        waiting = new Set()
        changed = createDeferred()
        yield batch
      }
    })(),
  }
}

/** Files; `undefined` means all. */
type Changed = ReadonlySet<string> | undefined

/** The runs of `--watch`, one after the other. */
function createWatchSession(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
  folders: FolderWatch,
) {
  const { output, cwd } = context
  const runner = createTestRunner(paths, options, context)
  let loadedTests: { readonly read: ReadTests; readonly byFile: TestsByFile } | undefined
  /** Changes that led to no run, as a file did not pass. */
  let open: Changed = new Set()
  let last: CallyardError | undefined
  /** Failure that was printed last, until a run. */
  let printed: string | undefined
  let mayAsk = true

  /** Reads all tests again, or those that the changes touch. */
  const read = async (changed: Changed, touched: ReadonlySet<string>): Promise<ReadTests> => {
    const before = loadedTests
    const ofTests = new Set(before?.read.files.flatMap(({ path, uses }) => [path, ...uses]))
    if (changed === undefined || [...changed].some(file => !ofTests.has(file))) runner.forgetProjects()
    const isPart =
      touched.size > 0 &&
      [...(changed ?? [])].every(file => before?.byFile.has(file)) &&
      [...touched].every(path => existsSync(path))
    if (before === undefined || !isPart) return readTests(paths, options, context, runner.projectOf)
    const { tests, files } = before.read
    const part = await readTests([...touched], options, context, runner.projectOf)
    return {
      tests: [...tests.filter(({ path }) => !touched.has(path)), ...part.tests],
      files: [...files.filter(({ path }) => !touched.has(path)), ...part.files],
      warnings: part.warnings,
    }
  }

  const watchFilesOf = async ({ tests, files }: ReadTests) => {
    for (const folder of new Set(tests.flatMap(({ project }) => project ?? [])))
      await folders.add(folder, { below: true })
    for (const folder of new Set(files.flatMap(({ path, uses }) => [path, ...uses].map(dirname))))
      await folders.add(folder, { below: false })
  }

  /** False if nothing was printed. */
  const runChanged = async (changed: Changed): Promise<boolean> => {
    const before = touchedBy(changed, loadedTests?.byFile)
    const now = await read(changed, before)
    await watchFilesOf(now)
    const selected = selectTests(now.tests, options, context)
    await runner.prepare(now.tests, selected, mayAsk)
    printWarnings(now.warnings, context)
    mayAsk = false
    loadedTests = { read: now, byFile: testsByFile(now, runner.project) }
    const touched = new Set([...before, ...touchedBy(changed, loadedTests.byFile)])
    const part = changed && selected.filter(({ path }) => touched.has(path))
    // A file that did not pass is gone, and touches no test: what is left passes or does not.
    const testsToRun = part === undefined || (part.length === 0 && open?.size !== 0) ? selected : part
    open = new Set()
    printed = undefined
    if (testsToRun.length === 0) return false
    const run = await runner.run(testsToRun)
    last = getRunFailure(run)
    const view = await runner.viewOf(run)
    const names = [...(changed ?? [])].map(file => displayName(file, cwd))
    const head = names.length === 0 ? [] : [dim(`${rule} ${listed(names)}`)]
    output.event({ kind: 'run', changed: names, ...testDocument(run, failureWords) }, () =>
      join([...head, renderRun(run, view)]),
    )
    return true
  }

  return {
    /** Error of the last run, if it did not pass. */
    last: () => last,
    /** Watches where tests may lie, before any could be read. */
    async watchPaths(): Promise<void> {
      const { project } = await context.settings()
      const own = project === undefined ? cwd : dirname(project.file)
      for (const folder of paths.length === 0 ? [own] : paths.map(path => resolve(cwd, fixedPart(path)))) {
        await folders.add(folder, { below: true })
        await folders.add(dirname(folder), { below: false })
      }
    },
    /** Runs the tests that these files touch. Shows what does not pass, and waits for it to be changed. False if nothing was printed. */
    async run(changed: Changed): Promise<boolean> {
      const byFile = loadedTests?.byFile
      const isUnrelated = (file: string) => !byFile?.has(file) && inferKind(file, cwd) === undefined
      const files = changed && byFile && [...(open ?? []), ...changed]
      // A file of no test, such as a report that a program writes, leads to no run.
      if (files?.every(isUnrelated)) return false
      const waiting = changed && open && new Set([...open, ...changed])
      try {
        return await runChanged(waiting)
      } catch (thrown) {
        const error = context.withHints(thrown)
        const isWaitedFor = error instanceof CallyardError && ['invalid', 'usage'].includes(error.kind)
        if (!isWaitedFor) throw error
        last = error
        open = waiting
        const document = failureDocument(error)
        const before = printed
        printed = JSON.stringify(document)
        // It may be what a test lacks, such as its rows, so it is read; the same failure is not printed twice.
        if (printed === before && changed !== undefined && [...changed].every(isUnrelated)) return false
        output.event({ kind: 'invalid', ...document }, () => failureText(error, { debug: false }))
        return true
      }
    },
  }
}

/** The files of the tests that are touched. */
function touchedBy(changed: Changed, byFile: TestsByFile | undefined): Set<string> {
  return new Set([...(changed ?? [])].flatMap(file => [...(byFile?.get(file) ?? [])]))
}

/** Returns the folder that contains all files of a pattern. */
function fixedPart(path: string): string {
  const plain = path.replace(/[*?[\]{}()!].*$/s, '')
  return plain === path || plain.endsWith(sep) ? plain : dirname(plain)
}

const rule = '─'.repeat(20)
const maxNamed = 3

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  const nameList = names.slice(0, maxNamed).join(', ')
  return more > 0 ? `${nameList} and ${count(more, 'other file')}` : nameList
}
