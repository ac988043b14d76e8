import { commandVariable } from '../../files/formats/command-variable.ts'
import { type GuardFile, guardSchema, maxGuardedCalls } from '../../files/formats/guard.ts'
import { type CheckedFile, type Diagnostic, formatLocation } from '../../files/source/index.ts'
import type { Position } from '../../files/text/index.ts'
import { comparePositions } from '../../files/text/index.ts'
import { type FieldPath, valueError } from '../../interface/finding.ts'
import { parseCondition } from '../report/conditions/index.ts'
import type { GuardAction, GuardRule } from './guard-rule.ts'

type RuleFields = GuardFile['rules'][number]

/** Reads the rules of a file that matches its schema; one that does not has no rules and no further findings. */
export function readRules(checked: CheckedFile): {
  readonly rules: readonly GuardRule[]
  readonly timezone: string | undefined
  readonly diagnostics: readonly Diagnostic[]
} {
  const parsed = guardSchema().safeParse(checked.value)
  if (!parsed.success) return { rules: [], timezone: undefined, diagnostics: [] }
  const { rules, timezone } = parsed.data
  const diagnostics: Diagnostic[] = []
  const { source } = checked
  const report = (
    path: FieldPath,
    code: string,
    message: string,
    hint?: string,
    position: Position | undefined = source.positionOf(path, 'value'),
  ) => void diagnostics.push({ ...valueError(path, code, message, hint), file: source.file, position })
  const isFromEnvironment = (path: FieldPath) =>
    checked.fromEnvironment.some(fieldPath => fieldPath.join('.') === path.join('.'))

  const read = rules.flatMap((fields, index): GuardRule[] => {
    const { name, when, minCalls = 1, exec, url, headers } = fields
    const path = (field: keyof RuleFields) => ['rules', index, field]
    const first = rules.findIndex(other => other.name === name)
    if (first < index) {
      const position = source.positionOf(['rules', first, 'name'], 'value')
      const location = formatLocation({ file: source.file, position })
      report(
        path('name'),
        'duplicate-rule',
        `name: duplicate rule name ${JSON.stringify(name)} (first used at ${location})`,
        'choose another name: alerts and the summary show rules by name',
      )
    }
    if (exec !== undefined && url !== undefined)
      report(
        path('url'),
        'two-actions',
        'url: a rule cannot have both exec and url',
        'remove one of them, or write a second rule with the same condition',
      )
    if (headers !== undefined && url === undefined)
      report(path('headers'), 'headers-without-url', 'headers: requires url')
    if (isFromEnvironment(path('exec')))
      report(path('exec'), 'command-with-variable', `exec: ${commandVariable.message}`, commandVariable.hint)
    const condition = parseCondition(when, { live: true })
    if ('problem' in condition) {
      const { problem } = condition
      const excerpt = isFromEnvironment(path('when')) ? undefined : when.slice(problem.start, problem.end)
      const { message, hint } = problem
      const position = positionInText(checked, path('when'), when, problem.start)
      report(
        path('when'),
        'unreadable-condition',
        `when: ${message}${foundText(message, excerpt)}`,
        hint,
        position,
      )
      return []
    }
    const window = condition.condition.kind === 'figure' ? condition.condition.window : undefined
    if (window?.kind === 'calls' && window.calls > maxGuardedCalls)
      report(
        path('when'),
        'window-too-large',
        `when: a window of ${window.calls} calls is too large (maximum: ${maxGuardedCalls})`,
      )
    return [{ name, condition: condition.condition, minCalls, action: actionOf(fields) }]
  })
  return { rules: read, timezone, diagnostics: diagnostics.sort(comparePositions) }
}

function actionOf({ exec, url, headers = {} }: RuleFields): GuardAction | undefined {
  if (exec !== undefined) return { kind: 'exec', command: exec }
  return url === undefined ? undefined : { kind: 'post', url, headers }
}

/** Returns the position of a character of a text, or of the text where the file writes it with escapes or on several lines. */
function positionInText(
  { source }: CheckedFile,
  path: FieldPath,
  text: string,
  index: number,
): Position | undefined {
  const position = source.positionOf(path, 'value')
  const offset = source.offsetOf(path, 'value')
  if (position === undefined || offset === undefined) return position
  const start = /^["']/.test(source.text.slice(offset)) ? 1 : 0
  const isVerbatim = source.text.startsWith(text, offset + start)
  return isVerbatim ? { ...position, column: position.column + start + index } : position
}

/** Appends the part of a condition that a message does not quote. */
function foundText(message: string, excerpt = ''): string {
  if (excerpt.trim() === '' || message.startsWith(excerpt)) return ''
  return message.startsWith('expected') ? `, got ${JSON.stringify(excerpt)}` : `: ${excerpt}`
}
