import { InvalidInput } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import type { Advice, Hints } from './advice.ts'
import { commandHints } from './command-hints.ts'
import { type AnyCommand, Flag } from './flags/flag.ts'

/**
 * Returns an error with hints that name flags of its command, and commands to run next. The rooms below know neither. Anything else is
 * returned unchanged.
 */
export function withHints(thrown: CallyardError, command: AnyCommand | undefined): CallyardError
export function withHints(thrown: unknown, command: AnyCommand | undefined): unknown
export function withHints(thrown: unknown, command: AnyCommand | undefined): unknown {
  if (!(thrown instanceof CallyardError)) return thrown
  const hints = hintsOf(command)
  if (thrown instanceof InvalidInput) {
    const next = thrown.diagnostics.flatMap(finding => adviceFor(finding, hints).next ?? [])
    return new InvalidInput(addHints(thrown.diagnostics, hints), thrown.consequence, next)
  }
  const { kind, message, code, hint, details, cause, next } = thrown
  const advice = adviceFor(thrown, hints)
  if (advice.hint === hint && advice.next === undefined) return thrown
  return new CallyardError(kind, message, { code, details, cause, hint, next, ...advice })
}

/** Like `withHints`, for findings and outcomes, which are data. */
export function withFindingHints<Finding extends Advised>(
  findings: readonly Finding[],
  command: AnyCommand | undefined,
): Finding[] {
  return addHints(findings, hintsOf(command))
}

function addHints<Finding extends Advised>(findings: readonly Finding[], hints: Hints): Finding[] {
  return findings.map(finding => {
    const { details: _, cause: __, ...fields } = finding
    return { ...(fields as Finding), hint: adviceFor(finding, hints).hint }
  })
}

function hintsOf(command: AnyCommand | undefined): Hints {
  return { ...commandHints, ...flagHints(command) }
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
function adviceFor({ code, hint, details = {}, cause }: Advised, hints: Hints): Partial<Advice> {
  const key = [code, hint].find(candidate => candidate !== undefined && Object.hasOwn(hints, candidate))
  const hintEntry = hints[key ?? '']
  const advised = typeof hintEntry === 'function' ? hintEntry(details as never, hint ?? '') : hintEntry
  if (typeof advised === 'string') return { hint: advised }
  if (advised !== undefined) return advised
  if (hint !== undefined) return { hint }
  return cause instanceof CallyardError ? adviceFor(cause, hints) : {}
}
