import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { watchFolders } from '../../lib/fs/watch-folders.ts'
import { dim } from '../../lib/text/text.ts'
import { displayName } from '../../source/index.ts'
import type { TestOptions } from '../test.ts'
import { createWatchSession } from './watch-session.ts'

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
  const session = createWatchSession(paths, options, context, folders)
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
    const keys = context.inputIsTerminal ? '; Enter runs all tests, q ends' : ''
    const wait = () => {
      if (!signal.aborted) output.note(dim(`waiting for changes${keys}`))
    }
    wait()
    for await (const changed of changes.batches) {
      await session.run(changed)
      wait()
    }
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
