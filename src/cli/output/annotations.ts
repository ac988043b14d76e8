import { isAbsolute, relative, resolve, sep } from 'node:path'
import { CallwrightError, reasonOf } from '../../lib/error.ts'
import { escapeForTerminal } from '../../lib/text/escape.ts'
import type { Diagnostic } from '../../source/index.ts'

interface AnnotationPlace {
  /** Of the command: findings name their files as seen from here. */
  readonly cwd: string
  /** GITHUB_WORKSPACE; undefined leaves the name of a file as it is. */
  readonly workspace: string | undefined
}

/**
 * One finding as a workflow command of GitHub Actions, without a newline:
 * `::error file=assistants/a.yaml,line=2,col=14,title=callwright out-of-range::idleTimeout is 3`.
 */
export function annotation(diagnostic: Diagnostic, place: AnnotationPlace): string {
  const { severity, position, message, hint, code } = diagnostic
  const properties = [
    ...(diagnostic.file === '' ? [] : [['file', fileInWorkspace(diagnostic.file, place)] as const]),
    ...(position === undefined
      ? []
      : [['line', String(position.line)] as const, ['col', String(position.column)] as const]),
    ['title', `callwright ${code}`] as const,
  ]
  const words = hint === undefined ? message : `${message}\nhint: ${hint}`
  const listed = properties.map(([name, value]) => `${name}=${escapeProperty(value)}`).join(',')
  return `::${severity} ${listed}::${escapeData(escapeForTerminal(words, { keep: '\n' }))}`
}

/** An error that is no finding about a file: `::error title=callwright conflict::what happened%0Ahint: what to do`. */
export function failureAnnotation(error: unknown, place: AnnotationPlace): string {
  const common = { severity: 'error', path: [], at: 'value', file: '' } as const
  if (error instanceof CallwrightError) {
    const { kind, message, hint } = error
    return annotation({ ...common, code: kind, message, hint }, place)
  }
  const words = reasonOf(error)
  return annotation({ ...common, code: 'bug', message: `a bug in callwright: ${words}` }, place)
}

/**
 * The runner takes commands from whatever is printed: from `::` at the beginning of a line, white space aside, and from
 * `##[` anywhere. Text from a file or the service must not give it any. JSON stays JSON, and says the same.
 */
export function withoutCommands(printed: string): string {
  return printed.replace(/^(\s*):(?=:)/gm, '$1\\u003a').replaceAll('##[', '#\\u0023[')
}

function fileInWorkspace(file: string, { cwd, workspace }: AnnotationPlace): string {
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
