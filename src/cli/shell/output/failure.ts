import { isAbsolute, relative, resolve, sep } from 'node:path'
import { type Diagnostic, InvalidInput } from '../../../files/source/index.ts'
import { valueError } from '../../../interface/finding.ts'
import { isCi } from '../../../lib/ci.ts'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError, errorData, getErrorReason } from '../../../lib/error.ts'
import { escapeForTerminal } from '../../../lib/text/escape.ts'
import { bold, red, type Text, text, whole } from '../../../lib/text/text.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { formatFirstDiagnostics } from '../render/diagnostics.ts'

/** Formats an error with its hint. A stack is shown only for bugs, and only with --debug. */
export function failureText(error: unknown, { debug }: { debug: boolean }): Text {
  if (error instanceof InvalidInput) {
    return [formatFirstDiagnostics(error.diagnostics), '\n', red('error: '), error.message]
  }
  if (error instanceof CallyardError) {
    const { kind, message, hint, details } = error
    // A person who leaves, or says no, made no mistake.
    const messageText =
      kind === 'cancelled'
        ? message.charAt(0).toUpperCase() + message.slice(1)
        : text`${red('error:')} ${message}`
    const parts = { hint, usage: details.usage, example: details.example }
    return [
      messageText,
      ...Object.entries(parts).flatMap(([name, part]) =>
        typeof part === 'string' ? [text`\n${bold(`${name}:`)} ${name === 'hint' ? part : whole(part)}`] : [],
      ),
    ]
  }
  const bug = error instanceof Error ? error : new Error(String(error))
  const trace = debug ? `\n${bug.stack ?? ''}` : ''
  return text`${red('error:')} a bug in callyard: ${bug.message}${trace}${debug ? '' : '\nRun again with --debug and report what it prints.'}`
}

/** The one document of a command that failed under --json. `convert` makes its commands those of the person. */
export function failureDocument(
  error: unknown,
  next: readonly string[] = [],
  convert = (text: string) => text,
): Record<string, unknown> {
  if (error instanceof CallyardError) {
    const { kind, code, message, hint, details, cause } = error
    const suggested = next.length === 0 ? {} : { next: next.map(convert) }
    const { usage, example } = details
    const lines = Object.entries({ usage, example }).flatMap(([name, line]) =>
      typeof line === 'string' ? [[name, convert(line)] as const] : [],
    )
    const advice = { hint: hint && convert(hint), ...suggested }
    return {
      error: {
        kind,
        exitCode: exitCodeOf(error),
        code,
        message,
        ...advice,
        ...details,
        ...(code !== undefined && cause instanceof CallyardError && { cause: errorData(cause) }),
        ...Object.fromEntries(lines),
      },
    }
  }
  return { error: { kind: 'bug', exitCode: 1, message: getErrorReason(error) } }
}

interface AnnotationLocation {
  /** Working directory of the command: findings name files relative to it. */
  readonly cwd: string
  /** GITHUB_WORKSPACE; undefined leaves the name of a file as it is. */
  readonly workspace: string | undefined
  /** Command name, such as `test`; undefined if none was recognized. */
  readonly command?: string | undefined
}

/**
 * One finding as a workflow command of GitHub Actions, without a newline:
 * `::error file=assistants/a.yaml,line=2,col=14,title=callyard validate%3A out-of-range::idleTimeout is 3`.
 */
export function annotation(diagnostic: Diagnostic, location: AnnotationLocation): string {
  const { severity, position, message, hint, code } = diagnostic
  const properties = {
    file: diagnostic.file === '' ? undefined : fileInWorkspace(diagnostic.file, location),
    line: position?.line,
    col: position?.column,
    title: `${location.command === undefined ? 'callyard' : `callyard ${location.command}`}: ${code}`,
  }
  const words = hint === undefined ? message : `${message}\nhint: ${hint}`
  const listed = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  )
  const escapedWords = escapeData(escapeForTerminal(words, { allowedCharacters: '\n' }))
  return `::${severity} ${withoutHashes(listed.join(','))}::${withoutHashes(escapedWords)}`
}

/** An error that is not about a file: `::error title=callyard apply%3A conflict::what happened%0Ahint: what to do`. */
export function failureAnnotation(error: unknown, location: AnnotationLocation): string {
  const finding =
    error instanceof CallyardError
      ? valueError([], error.kind, error.message, error.hint)
      : valueError([], 'bug', `a bug in callyard: ${getErrorReason(error)}`)
  return annotation({ ...finding, file: '' }, location)
}

/**
 * Escapes runner commands in printed text, which may come from a file or the service: `##vso[…]` (Azure Pipelines) and
 * `##teamcity[…]` anywhere, `##[…]` on runners, and on GitHub `::` at the start of a line, after optional white space. JSON stays
 * valid and keeps its value. The first two are escaped even where no runner is detected: nothing else uses them, and a container may
 * lack the variables of its runner.
 */
export function withoutCommands(printed: string, env: Environment): string {
  const plain = printed.includes('##') ? withoutHashes(printed, isRunner(env)) : printed
  return isInActions(env) ? plain.replace(/^(\s*):(?=:)/gm, '$1\\u003a') : plain
}

function withoutHashes(printed: string, onRunner = true): string {
  const prefix = onRunner ? /##(?=(?:vso|teamcity)?\[)/gi : /##(?=(?:vso|teamcity)\[)/gi
  return printed.replace(prefix, '#\\u0023')
}

/** True in a job of any CI server. Azure Pipelines and TeamCity do not set `CI`. */
export function isRunner(env: Environment): boolean {
  return isInActions(env) || isCi(env) || env.TF_BUILD !== undefined || env.TEAMCITY_VERSION !== undefined
}

/** True in a job of GitHub Actions or of a compatible runner. */
export function isInActions(env: Environment): boolean {
  return env.GITHUB_ACTIONS === 'true'
}

function fileInWorkspace(file: string, { cwd, workspace }: AnnotationLocation): string {
  if (workspace === undefined || workspace === '') return file
  const inside = relative(workspace, resolve(cwd, file))
  const outside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return outside ? file : inside.replaceAll(sep, '/')
}

function escapeProperty(value: string): string {
  return escapeData(escapeForTerminal(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function escapeData(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
