import { isUtf8 } from 'node:buffer'
import type { Ora } from 'ora'
import { type Diagnostic, InvalidInput } from '../../../files/source/index.ts'
import { isCi } from '../../../lib/ci.ts'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError } from '../../../lib/error.ts'
import { escapeForTerminal, toJsonDocument, toJsonLine } from '../../../lib/text/escape.ts'
import { jsonDocumentParts } from '../../../lib/text/json-document.ts'
import { advice, type Colors, dim, paint, type Text, text, whole, yellow } from '../../../lib/text/text.ts'
import type { Output, OutputList, Progress, Sink } from '../context.ts'
import { derive } from '../derive.ts'
import type { GlobalOptions } from '../flags/flag.ts'
import { formatFirstDiagnostics } from '../render/diagnostics.ts'
import { commandAsStarted } from '../started-as.ts'
import {
  annotation,
  failureAnnotation,
  failureDocument,
  failureText,
  isInActions,
  isRunner,
  withoutCommands,
} from './failure.ts'
import { createAsStarted } from './own-commands.ts'

interface Look extends GlobalOptions {
  readonly env: Environment
  /** For titles of annotations, such as `test` or `call start`. */
  readonly command?: string | undefined
  /** True if a file of --out is stdout: then results go to stderr. Default: false. */
  readonly isStdoutTaken?: boolean
}

/** Part of a host that output needs. */
interface OutputHost {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly cwd: string
  readonly platform?: NodeJS.Platform | undefined
  readonly script?: string | undefined
}

export interface Styling {
  readonly colors: Colors | false
  /** Wraps painted lines to the columns of a terminal. */
  readonly wrap?: ((painted: string, columns: number) => string) | undefined
  /** Paths of the commands that a text may name, such as `call start`. */
  readonly commandPaths?: readonly string[]
}

/**
 * The only writer to stdout and stderr (design: stdout is data, stderr is talk). `styling` is what `loadStyling` gave; without
 * it nothing is coloured or wrapped.
 */
export function createOutput(
  { stdout, stderr, cwd, platform, script }: OutputHost,
  look: Look,
  { colors, wrap, commandPaths = [] }: Styling = { colors: false },
): Output {
  const json = look.json === true
  const results = look.isStdoutTaken === true ? stderr : stdout
  const asStarted = createAsStarted(commandPaths)
  /** Hints name callyard as the person started it. */
  const convert = (text: string) =>
    asStarted(text, () => commandAsStarted({ script, env: look.env, platform }, cwd))
  const harmless = (printed: string) => withoutCommands(printed, look.env)
  /** For stdout or stderr. Text in a pipe is not wrapped: programs read it by the line. */
  const painterFor = (sink: Sink) => {
    const color = takesColor(sink, look) && colors
    return (line: Text) => {
      const { isTTY, columns = 0 } = sink
      if (isTTY !== true || columns === 0 || wrap === undefined) return paint(line, { color, convert })
      return wrap(paint(line, { color, convert, wraps: true }), columns)
    }
  }
  const painted = { out: painterFor(results), err: painterFor(stderr) }
  let bar: ProgressBar | undefined
  let documentWritten = false
  /** True once an event was written. */
  let isStream = false
  /** Events that were not written since the reader of stdout stalled. */
  let dropped = 0
  /** Closes a list that is still being written. */
  let closeList: OutputList['end'] | undefined

  const write = (sink: Sink, text: string) => {
    if (bar === undefined) sink.write(text)
    else bar.aside(() => sink.write(text))
  }
  const out = (line: Text) => write(results, `${harmless(painted.out(line))}\n`)
  const err = (line: Text) => write(stderr, `${harmless(painted.err(advice(line)))}\n`)
  const writeEvent = (data: object, human: () => Text | undefined) => {
    if (json) return void stdout.write(`${harmless(toJsonLine(data))}\n`)
    const line = human()
    if (line !== undefined) out(line)
  }
  const reportDropped = () => {
    const events = dropped
    dropped = 0
    const words = text`${yellow('…')} ${String(events)} events were not printed, because the reader was too slow`
    writeEvent({ kind: 'events-dropped', events }, () => words)
  }
  const endBar = () => {
    bar?.stop()
    bar = undefined
  }
  const location = { cwd, workspace: look.env.GITHUB_WORKSPACE, command: look.command }
  const annotate = (diagnostics: readonly Diagnostic[]) => {
    if (!isInActions(look.env)) return
    for (const diagnostic of diagnostics) write(stderr, `${annotation(diagnostic, location)}\n`)
  }

  return {
    with(changes) {
      return derive<Output>(this, changes)
    },
    json,
    get width() {
      // Some terminals say 0 for what they do not know.
      const { columns = 0 } = results
      return columns > 0 ? columns : 80
    },
    result(data, human) {
      documentWritten = true
      endBar()
      if (!json) return out(human())
      for (const part of jsonDocumentParts(data)) stdout.write(harmless(part))
      stdout.write('\n')
    },
    list(name) {
      if (!json) return { item() {}, end() {} }
      documentWritten = true
      endBar()
      let separator = ''
      const print = (part: string) => void stdout.write(harmless(part))
      print(`{\n  ${JSON.stringify(name)}: [`)
      const end = (rest: Readonly<Record<string, unknown>>) => {
        closeList = undefined
        const fields = toJsonDocument(rest).slice(1)
        print(`${separator === '' ? '' : '\n  '}]${fields === '}' ? '\n' : ','}${fields}\n`)
      }
      closeList = end
      return {
        item(value) {
          print(`${separator}\n    ${toJsonDocument(value).replaceAll('\n', '\n    ')}`)
          separator = ','
        },
        end,
      }
    },
    event(data, human) {
      isStream = true
      if (dropped === 0 && (stdout.waitingBytes ?? 0) <= maxWaitingBytes) return writeEvent(data, human)
      dropped += 1
      if (dropped === 1) void stdout.drained?.().then(reportDropped)
    },
    async drained({ live = false } = {}) {
      if (!live || stdout.isTTY !== true) await stdout.drained?.()
    },
    raw(script) {
      documentWritten = true
      stdout.write(script)
    },
    data(text) {
      documentWritten = true
      stdout.write(harmless(text))
    },
    bytes(body) {
      if (stdout.isTTY === true) return false
      documentWritten = true
      // The log of a runner is not a terminal, but it interprets commands.
      // latin1 keeps bytes that are not UTF-8.
      const encoding = isUtf8(body) ? 'utf8' : 'latin1'
      stdout.write(
        isRunner(look.env) ? Buffer.from(harmless(Buffer.from(body).toString(encoding)), encoding) : body,
      )
      return true
    },
    note(message, { isRequested = false } = {}) {
      if (look.quiet !== true || isRequested) err(message)
    },
    warn(message, hint) {
      err(text`${yellow('warning:')} ${message}${hint === undefined ? '' : text`\n  ${hint}`}`)
    },
    findings(diagnostics, first = { max: Number.POSITIVE_INFINITY }) {
      if (diagnostics.length > 0) err(formatFirstDiagnostics(diagnostics, first))
    },
    debug(message) {
      if (look.debug === true) err(dim(whole(message)))
    },
    progress(label, total) {
      const { quiet, env } = look
      if (stderr.isTTY !== true || quiet === true || json || isCi(env) || env.TERM === 'dumb') return silent
      endBar()
      bar = drawProgress(stderr, label, total)
      return bar
    },
    annotate,
    failure(error, next = []) {
      endBar()
      const document = failureDocument(error, next, convert)
      err(failureText(error, { debug: look.debug === true }))
      if (error instanceof InvalidInput) annotate(error.diagnostics)
      else if (isInActions(look.env) && isFault(error))
        write(stderr, `${failureAnnotation(error, location)}\n`)
      closeList?.(document)
      // One line, because nothing tells here whether the reader expects a document or a stream.
      if (json && (isStream ? endsStream(error) : !documentWritten))
        stdout.write(`${harmless(toJsonLine({ kind: 'error', ...document }))}\n`)
      documentWritten = true
    },
  }
}

/** Bytes that may wait for a reader that has stalled. Streams that can wait for their reader do so long before. */
const maxWaitingBytes = 64 * 1024 ** 2

/** Pending changes are none: a pull request is there to show them. Nor is a run that was cancelled. */
function isFault(error: unknown): boolean {
  return !(error instanceof CallyardError && (error.kind === 'pending' || error.kind === 'cancelled'))
}

/** A stream tells in its own events that it was cancelled, or what of it has failed. */
function endsStream(error: unknown): boolean {
  return isFault(error) && !(error instanceof CallyardError && error.kind === 'partial')
}

const silent: Progress = { isShown: false, update() {}, stop() {} }

/** Loads colors and line wrapping if one of the sinks takes them. */
export async function loadStyling(
  sinks: readonly Sink[],
  look: Look,
  commandPaths: readonly string[] = [],
): Promise<Styling> {
  const isTerminal = sinks.some(({ isTTY }) => isTTY === true)
  const [colors, wrapping] = await Promise.all([
    loadColors(sinks, look),
    isTerminal ? import('./wrap.ts') : undefined,
  ])
  return { colors, wrap: wrapping?.createWrap(commandPaths), commandPaths }
}

/** The colors, loaded only where one of the sinks takes them. */
export async function loadColors(sinks: readonly Sink[], look: Look): Promise<Colors | false> {
  return sinks.some(sink => takesColor(sink, look)) && (await import('./colors.ts')).colors
}

/**
 * --no-color, NO_COLOR, FORCE_COLOR and CLICOLOR_FORCE, CLICOLOR=0, then whether the stream is a terminal: the first one set wins.
 */
function takesColor({ isTTY }: Sink, { color, env }: Look): boolean {
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM } = env
  if (color === false || NO_COLOR) return false
  if (FORCE_COLOR) return !['0', 'false'].includes(FORCE_COLOR)
  if (CLICOLOR_FORCE && CLICOLOR_FORCE !== '0') return true
  return CLICOLOR !== '0' && isTTY === true && !isCi(env) && TERM !== 'dumb'
}

interface ProgressBar extends Progress {
  /** Takes the bar away while something is written, and puts it back below. */
  aside(write: () => void): void
}

/** ora draws; it is loaded only where there is a terminal to draw on, and a command that ends first never shows it. */
function drawProgress(stderr: Sink, label: string, total: number | undefined): ProgressBar {
  let doneCount = 0
  let underWay = ''
  let below: readonly string[] = []
  let stopped = false
  let spinner: Ora | undefined
  let line = () => ''
  void Promise.all([import('ora'), import('../../../lib/text/layout.ts')]).then(
    ([{ default: ora }, { inColumns, widthOf }]) => {
      if (stopped) return
      line = () => {
        const columns = stderr.columns ?? 80
        const count = total === undefined ? '' : ` ${meter(doneCount, total)} ${doneCount}/${total}`
        const head = `${escapeForTerminal(label)}${count}`
        const room = columns - widthOf(head) - roomAround
        const first = underWay === '' || room < 2 ? head : `${head}  ${inColumns(underWay, room).trimEnd()}`
        return [first, ...below.map(row => `  ${inColumns(row, columns - roomAround).trimEnd()}`)].join('\n')
      }
      const stream = stderr as NodeJS.WriteStream
      // First: a Ctrl-Z that comes once the bar is there must find it.
      process.once('SIGTSTP', suspend)
      spinner = ora({ text: line(), stream, discardStdin: false, isEnabled: true }).start()
    },
  )
  /** Ctrl-Z: the shell gets the cursor back, and the bar does not clear what it prints. */
  const suspend = () => {
    spinner?.stop()
    process.kill(process.pid, 'SIGTSTP')
    // From here on, the process continues.
    spinner?.start()
    process.once('SIGTSTP', suspend)
  }
  return {
    isShown: true,
    update(now, newLabel = '', lines = []) {
      doneCount = now
      underWay = newLabel
      below = lines
      if (spinner !== undefined) spinner.text = line()
    },
    aside(write) {
      spinner?.clear()
      write()
      spinner?.render()
    },
    stop() {
      if (!stopped) spinner?.stop()
      process.off('SIGTSTP', suspend)
      stopped = true
      spinner = undefined
    },
  }
}

/** Columns for the spinner with a space, two spaces before the current step, and the last column. */
const roomAround = 5

function meter(doneCount: number, total: number): string {
  const filled = total === 0 ? 20 : Math.min(20, Math.floor((doneCount / total) * 20))
  return '█'.repeat(filled) + '░'.repeat(20 - filled)
}
