import { CallwrightError, reasonOf } from '../../lib/error.ts'
import { bold, red, type Text, text } from '../../lib/text/text.ts'
import { InvalidInput } from '../../source/index.ts'
import { formatDiagnostics } from '../render/diagnostics.ts'

/** What happened, where, and what to do next. A stack is shown only for a bug, and only with --debug. */
export function failureText(error: unknown, { debug }: { debug: boolean }): Text {
  if (error instanceof InvalidInput) {
    return [formatDiagnostics(error.diagnostics), '\n', red('error: '), error.message]
  }
  if (error instanceof CallwrightError) {
    // A person who leaves, or says no, made no mistake.
    const said =
      error.kind === 'cancelled' ? capitalised(error.message) : text`${red('error:')} ${error.message}`
    const { usage, example } = error.details
    const parts = { hint: error.hint, usage, example }
    return [
      said,
      ...Object.entries(parts).flatMap(([name, part]) =>
        typeof part === 'string' ? [text`\n${bold(`${name}:`)} ${part}`] : [],
      ),
    ]
  }
  const bug = error instanceof Error ? error : new Error(String(error))
  const trace = debug ? `\n${bug.stack ?? ''}` : ''
  return text`${red('error:')} a bug in callwright: ${bug.message}${trace}${debug ? '' : '\nRun again with --debug and report what it prints.'}`
}

function capitalised(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** The one document of a command that failed under --json. */
export function failureDocument(error: unknown): Record<string, unknown> {
  if (error instanceof CallwrightError) {
    const { kind, exitCode, code, message, hint, details } = error
    const named = code === undefined ? {} : { code }
    return {
      error: { kind, exitCode, ...named, message, ...(hint === undefined ? {} : { hint }), ...details },
    }
  }
  return {
    error: { kind: 'bug', exitCode: 1, message: reasonOf(error) },
  }
}
