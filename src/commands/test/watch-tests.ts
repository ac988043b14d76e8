import { existsSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { withWords } from '../../cli/messages/with-words.ts'
import { failureText } from '../../cli/output/failure.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FolderWatch, watchFolders } from '../../lib/fs/watch-folders.ts'
import { count } from '../../lib/text/count.ts'
import { dim, join } from '../../lib/text/text.ts'
import type { TestCase } from '../../scenario/index.ts'
import { displayName, kindOf } from '../../source/index.ts'
import type { TestOptions } from '../test.ts'
import { toDocument } from './document.ts'
import { type ReadTests, readTests, warnOfTests } from './read-tests.ts'
import { selectTests } from './select-tests.ts'
import { renderRun, verdictOf } from './show-run.ts'
import { createTestRunner } from './test-runner.ts'
import { filesOfTest } from './touched-tests.ts'

/**
 * Runs the tests, and from then on those that a changed file touches, one run after the other, until a person presses q. A file that does
 * not pass is shown, and waited for.
 * @throws CallwrightError `cancelled` after the signal; after q what the last run came to, where that is no pass
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
      output.warn(`changes in ${displayName(folder, context.cwd)} are not seen: ${reason}`),
  })
  const session = createSession(paths, options, context, folders)
  const stop = () => changes.end()
  signal.addEventListener('abort', stop, { once: true })
  let closeKeys = () => {}
  try {
    await session.watchPaths()
    // A question comes before the keys of the watch.
    await session.run(undefined)
    closeKeys = await context.readKeys(key => {
      if (key === 'q') changes.end()
      else if (key === 'return' || key === 'enter') changes.all()
    })
    if (!signal.aborted) output.note(dim('waiting for changes; Enter runs all tests, q ends'))
    for await (const changed of changes.batches) await session.run(changed)
  } finally {
    signal.removeEventListener('abort', stop)
    closeKeys()
    folders.close()
  }
  if (signal.aborted) throw new CallwrightError('cancelled', 'cancelled')
  if (session.last !== undefined) throw session.last
}

/** What has changed, in batches: while tests run, changes gather. `undefined` asks for all tests. */
function createChanges() {
  let waiting = new Set<string>()
  let wantsAll = false
  let ended = false
  let wake = () => {}
  const isIdle = () => waiting.size === 0 && !wantsAll && !ended
  return {
    add(files: readonly string[]) {
      for (const file of files) waiting.add(file)
      wake()
    },
    all() {
      wantsAll = true
      wake()
    },
    end() {
      ended = true
      wake()
    },
    batches: (async function* () {
      for (;;) {
        while (isIdle())
          await new Promise<void>(resolve => {
            wake = resolve
          })
        if (ended) return
        const batch = wantsAll ? undefined : waiting
        waiting = new Set()
        wantsAll = false
        yield batch
      }
    })(),
  }
}

function createSession(
  paths: readonly string[],
  options: TestOptions,
  context: Context,
  folders: FolderWatch,
) {
  const { output, cwd } = context
  const runner = createTestRunner(options, context)
  let known: ReadTests | undefined
  /** Changes that led to no run, as a file did not pass. */
  let open = new Set<string>()
  let last: CallwrightError | undefined
  let runs = 0

  const dependenciesOf = (test: TestCase, read: ReadTests) =>
    filesOfTest(test, read, test.project === undefined ? undefined : runner.project(test.project))

  /** The tests of which a file changed, by what is known of them. */
  const touchedBy = (changed: ReadonlySet<string>, read: ReadTests) =>
    read.tests.filter(test => [...dependenciesOf(test, read)].some(file => changed.has(file)))

  const watchFilesOf = async ({ tests, files }: ReadTests) => {
    for (const folder of new Set(tests.flatMap(({ project }) => project ?? [])))
      await folders.add(folder, { below: true })
    const single = [...files.map(({ path }) => path), ...files.flatMap(({ uses }) => uses)]
    for (const folder of new Set(single.map(file => dirname(file))))
      await folders.add(folder, { below: false })
  }

  /** Reads what has changed: all, or the files of the tests that are touched. */
  const readAgain = async (changed: ReadonlySet<string> | undefined) => {
    if (known === undefined || changed === undefined) {
      runner.forgetProjects()
      return readTests(paths, options, context)
    }
    const before = known
    const touched = new Set(touchedBy(changed, before).map(({ path }) => path))
    const ofTests = new Set(before.files.flatMap(({ path, uses }) => [path, ...uses]))
    if ([...changed].some(file => !ofTests.has(file))) runner.forgetProjects()
    const isKnown = (file: string) => before.tests.some(test => dependenciesOf(test, before).has(file))
    const isGone = [...touched].some(path => !existsSync(path))
    if (touched.size === 0 || isGone || ![...changed].every(isKnown))
      return readTests(paths, options, context)
    const read = await readTests([...touched], options, context)
    return {
      tests: [...before.tests.filter(({ path }) => !touched.has(path)), ...read.tests],
      files: [...before.files.filter(({ path }) => !touched.has(path)), ...read.files],
      warnings: read.warnings,
    }
  }

  const runChanged = async (changed: ReadonlySet<string> | undefined) => {
    const before = known
    const touchedBefore = before === undefined || changed === undefined ? [] : touchedBy(changed, before)
    const read = await readAgain(changed)
    await watchFilesOf(read)
    const selected = selectTests(read.tests, { name: options.name, tags: options.tag }, context)
    await runner.prepare(read.tests, selected, { mayAsk: runs === 0 })
    await warnOfTests(read.warnings, context)
    known = read
    const ids = new Set(touchedBefore.map(({ path }) => path))
    const wanted =
      changed === undefined
        ? selected
        : selected.filter(
            test => ids.has(test.path) || [...dependenciesOf(test, read)].some(file => changed.has(file)),
          )
    open = new Set()
    if (wanted.length === 0) return
    runs += 1
    const names = changed === undefined ? [] : [...changed].map(file => displayName(file, cwd))
    const run = await runner.run(wanted)
    last = verdictOf(run)
    const view = await runner.viewOf(run)
    const head =
      names.length === 0 ? [] : [dim(`${'─'.repeat(Math.min(20, view.width))} ${changeText(names)}`)]
    output.event({ kind: 'run', changed: names, ...toDocument(run) }, () =>
      join([...head, renderRun(run, view)], '\n'),
    )
  }

  return {
    get last() {
      return last
    },
    /** What is watched before any test could be read. */
    async watchPaths() {
      const { project } = await context.settings()
      if (paths.length === 0) {
        await folders.add(project === undefined ? cwd : dirname(project.file), { below: true })
      }
      for (const path of paths) {
        const plain = path.replace(/[*?[\]{}()!].*$/s, '')
        const isPattern = plain !== path
        const base = resolve(cwd, isPattern && !plain.endsWith(sep) ? dirname(plain) : plain)
        await folders.add(base, { below: true })
        await folders.add(dirname(base), { below: false })
      }
    },
    /** `undefined`: all tests. Shows what does not pass, and waits for it to be changed. */
    async run(changed: ReadonlySet<string> | undefined) {
      const all = changed === undefined ? undefined : new Set([...open, ...changed])
      if (all !== undefined && known !== undefined && !isRelevant(all, known)) return
      try {
        await runChanged(all)
      } catch (thrown) {
        const error = await withWords(thrown)
        const isWaitedFor = error instanceof CallwrightError && ['invalid', 'usage'].includes(error.kind)
        if (!isWaitedFor) throw error
        last = error
        open = all ?? new Set()
        const { kind: reason, message, hint, details } = error
        output.event({ kind: 'invalid', error: { kind: reason, message, hint, ...details } }, () =>
          failureText(error, { debug: false }),
        )
      }
    },
  }

  /** A file of no test, such as a report that a program writes, leads to no run. */
  function isRelevant(changed: ReadonlySet<string>, read: ReadTests): boolean {
    if (touchedBy(changed, read).length > 0) return true
    return [...changed].some(file => kindOf(file, cwd) !== undefined)
  }
}

const maxNamed = 3

function changeText(names: readonly string[]): string {
  const more = names.length - maxNamed
  const shown = names.slice(0, maxNamed).join(', ')
  return more > 0 ? `${shown} and ${count(more, 'other file')}` : shown
}
