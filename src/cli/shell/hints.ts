import { InvalidInput } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import type { Advice, Hints } from './advice.ts'
import { commandHints } from './command-hints.ts'
import { type AnyCommand, Flag } from './flags/flag.ts'
import type { RunFlags } from './project-hints.ts'

/**
 * Returns an error with hints that name flags of its command, and commands to run next. The rooms below know neither. Anything else is
 * returned unchanged.
 */
export function withHints(thrown: CallyardError, command: AnyCommand | undefined): CallyardError
export function withHints(thrown: unknown, command: AnyCommand | undefined): unknown
export function withHints(thrown: unknown, command: AnyCommand | undefined): unknown {
  if (!(thrown instanceof CallyardError)) return thrown
  const run = runFlags(command)
  const hints = hintsOf(command)
  if (thrown instanceof InvalidInput) {
    const next = thrown.diagnostics.flatMap(finding => adviceFor(finding, hints, run).next ?? [])
    return new InvalidInput(addHints(thrown.diagnostics, hints, run), thrown.consequence, next)
  }
  const { kind, message, code, hint, details, cause, next } = thrown
  const advice = adviceFor(thrown, hints, run)
  if (advice.hint === hint && advice.next === undefined) return thrown
  return new CallyardError(kind, message, { code, details, cause, hint, next, ...advice })
}

/** Like `withHints`, for findings and outcomes, which are data. */
export function withFindingHints<Finding extends Advised>(
  findings: readonly Finding[],
  command: AnyCommand | undefined,
): Finding[] {
  return addHints(findings, hintsOf(command), runFlags(command))
}

function addHints<Finding extends Advised>(
  findings: readonly Finding[],
  hints: Hints,
  run: RunFlags,
): Finding[] {
  return findings.map(finding => {
    const { details: _, cause: __, ...fields } = finding
    return { ...(fields as Finding), hint: adviceFor(finding, hints, run).hint }
  })
}

function hintsOf(command: AnyCommand | undefined): Hints {
  return { ...commandHints, ...flagHints(command) }
}

/** Returns the flags of a run that its hints repeat. */
export function runFlags(command: AnyCommand | undefined): RunFlags {
  const { target, profile }: RunFlags = command?.optsWithGlobals() ?? {}
  return { target, profile }
}

function flagHints(command: AnyCommand | null | undefined): Hints {
  if (command == null) return {}
  const own = command.options.map(option => (option instanceof Flag ? option.hints : {}))
  return Object.assign(flagHints(command.parent), ...own)
}

export interface Advised {
  readonly code?: string | undefined
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** An error without a hint has that of its cause. */
function adviceFor(
  { code, hint, details = {}, cause }: Advised,
  hints: Hints,
  run: RunFlags,
): Partial<Advice> {
  const key = [code, hint].find(candidate => candidate !== undefined && Object.hasOwn(hints, candidate))
  const hintEntry = hints[key ?? '']
  const advised =
    typeof hintEntry === 'function' ? hintEntry({ ...details, run } as never, hint ?? '') : hintEntry
  if (typeof advised === 'string') return advised === '' ? {} : { hint: advised }
  if (advised !== undefined) return advised
  if (hint !== undefined) return { hint }
  return cause instanceof CallyardError ? adviceFor(cause, hints, run) : {}
}
