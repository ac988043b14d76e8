import { once, setMaxListeners } from 'node:events'
import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { isCi } from '../../lib/ci.ts'
import { atMost, systemClock } from '../../lib/clock.ts'
import { CallyardError, getErrorCode } from '../../lib/error.ts'
import type { OpenCode } from '../../lib/process/compiled-code.ts'
import type { Host, Sink } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import { createPrompts } from './output/create-prompts.ts'
import { makeNonBlocking, type NonBlockingTerminal } from './output/terminal.ts'

/** Milliseconds in which a second signal is a copy of the first: npm passes Ctrl-C on to a process that got it from the terminal. */
const sameSignalMs = 100

/** SIGHUP: the terminal was closed, or an ssh connection lost. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The real process as a host. A second Ctrl-C ends the process at once, unless a command takes it. */
export function processHost(): Host {
  const { stdout, env } = process
  const ending = new AbortController()
  // Each request and each wait listens to it, as many as there are at once.
  setMaxListeners(0, ending.signal)
  let last = Number.NEGATIVE_INFINITY
  let isDone = false
  let taker: ((name: NodeJS.Signals) => void) | undefined
  let takeSecond: (() => void) | undefined
  const interrupt = (name: NodeJS.Signals) => {
    if (taker !== undefined) return taker(name)
    if (performance.now() - last < sameSignalMs) return
    last = performance.now()
    if (!ending.signal.aborted && !isDone) return ending.abort(name)
    const onSecondSignal = takeSecond
    takeSecond = undefined
    // After the end of the command, only a terminal that does not read holds the process.
    if (onSecondSignal === undefined || isDone) process.exit(exitCodes.cancelled)
    onSecondSignal()
  }
  for (const name of endingSignals) process.on(name, interrupt)
  // Sent with the EFBIG of a write (ulimit -f), which is handled. Libraries that clean up at exit end the process at this
  // signal where nothing else listens to it.
  process.on('SIGXFSZ', () => undefined)
  const terminals: NonBlockingTerminal[] = []
  const opened = (stream: NodeJS.WriteStream) => {
    if (stream.isTTY) terminals.push(makeNonBlocking(stream))
    return stream
  }
  opened(stdout)
  writeWhole(stdout)
  let errors: NodeJS.WriteStream | undefined
  /** Opened by its first use: a page of help has none. */
  const openErrors = () => {
    // The command continues if stderr was closed.
    errors ??= opened(process.stderr).on('error', () => undefined)
    return errors
  }
  /** Most commands write nothing to stderr, and a pipe to it takes a millisecond to open. */
  const lateErrors: Sink = { isTTY: false, write: chunk => openErrors().write(chunk) }
  let cwd: string | undefined
  let openCode: OpenCode | undefined
  const out = sinkOf(stdout, ending.signal)
  let outputLost = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that went away (`callyard … | head -1`) is not an error: end quietly and write no more. The same applies to a terminal
    // that was closed, which reports EIO.
    if (error.code === 'EPIPE' || (error.code === 'EIO' && stdout.isTTY)) return ending.abort('EPIPE')
    if (outputLost) return
    // The work may be done by now, and its result, a new id, must not be lost with the disk.
    outputLost = true
    openErrors().write(`error: cannot write to stdout (${error.code}); the output was:\n${out.unwritten()}`)
    process.exitCode = exitCodes.partial
    // Ends like a reader that went away: the error is already shown.
    ending.abort('EPIPE')
  })
  return {
    argv: process.argv.slice(2),
    exitCode(code) {
      isDone = true
      if (!outputLost) process.exitCode = code
      const behind = terminals.filter(({ isBehind }) => isBehind)
      // A terminal that does not read would hold the process after Ctrl-C.
      if (ending.signal.aborted && behind.length > 0) void exitOnceShown(behind)
      // The work is abandoned, not ended: whatever it waits for still keeps the process alive.
      else if (code === exitCodes.cancelled) process.exit()
    },
    async openCode(path) {
      if (openCode === undefined) {
        const { openCompiledCode } = await import('../../lib/process/compiled-code.ts')
        openCode = openCompiledCode(join(import.meta.dirname, '../main.js'), manifest.version, env)
      }
      openCode(path || 'callyard')
    },
    skipOptimizer: async () => (await import('../../lib/process/skip-optimizer.ts')).skipOptimizer(),
    get cwd() {
      cwd ??= currentFolder(openErrors)
      return cwd
    },
    env,
    platform: process.platform,
    script: process.argv[1],
    uid: process.geteuid?.(),
    stdout: out,
    get stderr() {
      return mayBeTerminal(2) ? openErrors() : lateErrors
    },
    clock: systemClock,
    signal: ending.signal,
    takeSignals(onSignal) {
      taker = onSignal
      return () => {
        taker = undefined
      }
    },
    takeSecondSignal(onSignal) {
      takeSecond = onSignal
      return () => {
        takeSecond = undefined
      }
    },
    stdin: {
      get isTerminal() {
        return process.stdin.isTTY === true
      },
      async text() {
        const [{ buffer }, { decodeText, withoutMark }] = await Promise.all([
          import('node:stream/consumers'),
          import('../../files/text/index.ts'),
        ])
        const decoded = decodeText(await buffer(process.stdin))
        if ('text' in decoded) return withoutMark(decoded.text)
        throw new CallyardError('invalid', decoded.error.message.replace('the file', 'stdin'))
      },
      bytes: () => process.stdin,
      async lines() {
        return (await import('./output/read-input.ts')).readLines(process.stdin)
      },
      async keys(onKey) {
        const { stdin } = process
        if (stdin.isTTY !== true) return () => undefined
        return (await import('./output/read-input.ts')).readKeys(stdin, onKey, () => interrupt('SIGINT'))
      },
    },
    async openEditor(options) {
      const { stdin } = process
      // An editor inside an editor, or a log that is watched: nothing there takes a cursor that moves.
      if (stdin.isTTY !== true || stdout.isTTY !== true || isCi(env) || env.TERM === 'dumb') return undefined
      const [{ createLineEditor }, { loadColors }] = await Promise.all([
        import('./output/line-editor.ts'),
        import('./output/create-output.ts'),
      ])
      return createLineEditor(
        { stdin, stdout },
        {
          ...options,
          color: await loadColors([stdout], { ...options, env }),
          interrupt: () => interrupt('SIGINT'),
        },
      )
    },
    get hasTerminal() {
      const isTerminal =
        process.stdin.isTTY === true && stdout.isTTY === true && process.stderr.isTTY === true
      return isTerminal && hasControllingTerminal()
    },
    prompts: options =>
      createPrompts(
        {
          get stdin() {
            return process.stdin
          },
          stderr: openErrors(),
        },
        { options, env, signal: ending.signal },
      ),
  }
}

/** A process can open any terminal of its user. Only one that was started in a terminal has it as its own. */
function hasControllingTerminal(): boolean {
  if (process.platform === 'win32') return true
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** Milliseconds that a terminal has after Ctrl-C to show the last words. */
const lastWordsTimeoutMs = 2000

async function exitOnceShown(terminals: readonly NonBlockingTerminal[]): Promise<void> {
  await atMost(lastWordsTimeoutMs, Promise.all(terminals.map(terminal => terminal.flushed())), systemClock)
  process.exit()
}

/** Ends the process if its folder was removed, which a build or a switch of branches does to an open shell. */
function currentFolder(openErrors: () => NodeJS.WriteStream): string {
  try {
    return process.cwd()
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error
    openErrors().write(
      'error: the current folder no longer exists\nhint: change to another folder, and run again\n',
    )
    process.exit(exitCodes.usage)
  }
}

/** Does not load node:tty, as `isatty` would. A console of Windows has no status. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    return true
  }
}

/** Writes a file until it has all bytes: Node ignores that a disk with little space left took only a part of a chunk. */
function writeWhole(stdout: typeof process.stdout): void {
  if (stdout.isTTY || !fstatSync(stdout.fd).isFile()) return
  stdout._write = (chunk: Uint8Array, _, done) => {
    try {
      writeFileSync(stdout.fd, chunk)
      done()
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

/** Writes to stdout with back-pressure: data for a slow reader must not accumulate in memory. */
function sinkOf(stdout: NodeJS.WriteStream, signal: AbortSignal): Sink & { unwritten(): string } {
  let unwritten = ''
  return {
    /** After an error: what was written since. */
    unwritten: () => unwritten,
    isTTY: stdout.isTTY,
    get columns() {
      return stdout.columns
    },
    get waitingBytes() {
      return stdout.writableLength
    },
    write(chunk) {
      const text = typeof chunk === 'string' ? chunk : `${chunk.byteLength} bytes`
      unwritten = stdout.errored === null ? text : unwritten + text
      stdout.write(chunk)
    },
    async drained() {
      if (!stdout.writableNeedDrain || signal.aborted) return
      await once(stdout, 'drain', { signal }).catch(() => undefined)
    },
  }
}
