import type { GlobalOptions, Output, Progress, Sink } from '../context.ts'
import { toJsonDocument, toJsonLine } from './escape.ts'
import { failureDocument, failureText } from './failure.ts'
import { dim, paint, type Text, text, yellow } from './text.ts'

interface Streams {
  readonly stdout: Sink
  readonly stderr: Sink
}

type Look = Pick<GlobalOptions, 'json' | 'quiet' | 'debug' | 'color'> & {
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The only writer to stdout and stderr (design: stdout is data, stderr is talk). */
export function createOutput({ stdout, stderr }: Streams, look: Look): Output {
  const json = look.json === true
  const painters = { out: painter(stdout, look), err: painter(stderr, look) }
  let bar: Progress | undefined
  let documentWritten = false

  const out = (line: Text) => stdout.write(`${painters.out(line)}\n`)
  const err = (line: Text) => {
    bar?.stop()
    stderr.write(`${painters.err(line)}\n`)
  }

  return {
    json,
    width: stdout.columns ?? 80,
    result(data, human) {
      documentWritten = true
      if (json) stdout.write(`${toJsonDocument(data)}\n`)
      else out(human())
    },
    event(data, human) {
      documentWritten = true
      if (json) return void stdout.write(`${toJsonLine(data)}\n`)
      const line = human()
      if (line !== undefined) out(line)
    },
    async drained() {
      await stdout.drained?.()
    },
    raw(script) {
      documentWritten = true
      stdout.write(script)
    },
    note(message) {
      if (look.quiet !== true) err(message)
    },
    warn(message, hint) {
      err(text`${yellow('warning:')} ${message}${hint === undefined ? '' : text`\n  ${hint}`}`)
    },
    debug(message) {
      if (look.debug === true) err(dim(message))
    },
    progress(label, total) {
      if (stderr.isTTY !== true || look.quiet === true || json || isSet(look.env.CI)) return silent
      bar = drawProgress(stderr, label, total)
      return bar
    },
    failure(error) {
      err(failureText(error, { debug: look.debug === true }))
      if (json && !documentWritten) stdout.write(`${toJsonDocument(failureDocument(error))}\n`)
      documentWritten = true
    },
  }
}

const silent: Progress = { update() {}, stop() {} }

function painter(sink: Sink, look: Look): (line: Text) => string {
  const color = takesColor(sink, look)
  return line => paint(line, { color })
}

/** Colour stands on terminals alone, unless it is switched off. */
export function takesColor(
  { isTTY }: Pick<Sink, 'isTTY'>,
  { color, env }: Pick<Look, 'color' | 'env'>,
): boolean {
  return isTTY === true && color !== false && !isSet(env.NO_COLOR) && !isSet(env.CI) && env.TERM !== 'dumb'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

/** ora draws; it is loaded only where there is a terminal to draw on, and a command that ends first never shows it. */
function drawProgress(stderr: Sink, label: string, total: number | undefined): Progress {
  let done = 0
  let stopped = false
  let spinner: { text: string; stop(): unknown } | undefined
  const line = () =>
    paint(total === undefined ? label : `${label} ${meter(done, total)} ${done}/${total}`, { color: false })
  void import('ora').then(({ default: ora }) => {
    if (!stopped)
      spinner = ora({ text: line(), stream: stderr as NodeJS.WriteStream, discardStdin: false }).start()
  })
  return {
    update(now) {
      done = now
      if (spinner !== undefined) spinner.text = line()
    },
    stop() {
      stopped = true
      spinner?.stop()
    },
  }
}

function meter(done: number, total: number): string {
  const filled = total === 0 ? 20 : Math.min(20, Math.floor((done / total) * 20))
  return '█'.repeat(filled) + '░'.repeat(20 - filled)
}
