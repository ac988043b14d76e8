import type {
  GuardAlert,
  GuardErrors,
  GuardFindings,
  GuardReport,
  RuleStatus,
} from '../../calls/guard/index.ts'
import { count } from '../../lib/text/count.ts'
import { duration, localDateTime } from '../../lib/text/date-time.ts'
import { oneLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import { commandVariable } from './command-variable.ts'
import { formatValue } from './figures.ts'
import { conditionWords } from './report.ts'
import type { Messages, MessageText } from './words.ts'

export const guardMessages: Messages<GuardErrors> = {
  'guard-command-missing': ({ file, rule, program }) => ({
    message: `${file}: rule ${JSON.stringify(rule)}: command not found: ${program}`,
    hint: 'use a command in PATH, or the path of an executable file relative to the folder of the rules, such as ./alert.sh',
  }),
}

/** The words for findings about rules. */
export const guardFindingMessages: Messages<GuardFindings> = {
  'unreadable-condition': ({ problem, found }) => {
    const { message, hint } = conditionWords(problem)
    return { message: `when: ${message}${foundText(message, found)}`, hint }
  },
  'window-too-large': ({ calls, max }) => ({
    message: `when: a window of ${calls} calls is too large (maximum: ${max})`,
  }),
  'duplicate-rule': ({ name, first }) => ({
    message: `name: duplicate rule name ${JSON.stringify(name)} (first used at ${first})`,
    hint: 'choose another name: alerts and the summary show rules by name',
  }),
  'two-actions': () => ({
    message: 'url: a rule cannot have both exec and url',
    hint: 'remove one of them, or write a second rule with the same condition',
  }),
  'headers-without-url': () => ({ message: 'headers: requires url' }),
  'command-with-variable': () => ({
    message: `exec: ${commandVariable.message}`,
    hint: commandVariable.hint,
  }),
}

/** Appends the part of a condition that a message does not quote. */
function foundText(message: string, found = ''): string {
  if (found.trim() === '' || message.startsWith(found)) return ''
  return message.startsWith('expected') ? `, got ${JSON.stringify(found)}` : `: ${found}`
}

/** Describes an alert on one line. Names are untrusted. */
export function alertText(
  { kind, rule, when, group, at, since, value, limit, unit, calls }: GuardAlert,
  { withTime = false } = {},
): string {
  const where = group === undefined ? '' : ` for ${group ?? '(unknown)'}`
  const now = value === null ? 'no data' : formatValue(value, unit)
  const time = withTime ? `${localDateTime(at)}  ` : ''
  if (kind === 'guard-recovered') {
    const lasted = duration(Date.parse(at) - Date.parse(since))
    return oneLine(`${time}${rule} recovered${where} after ${lasted} (${now})`)
  }
  const ofCalls = calls.length === 0 ? '' : `; first call: ${calls[0]?.call}`
  const what = when.startsWith('no') ? `${now} without events` : `${now}, limit ${formatValue(limit, unit)}`
  return oneLine(`${time}${rule} fired${where}: ${when} (${what}${ofCalls})`)
}

/** Returns the message for an alert that was not delivered; the reason and stderr are untrusted. */
export function alertFailureWords(failure: Extract<GuardReport, { kind: 'failed' }>): MessageText {
  const { alert, reason, stderr = '', retryMs } = failure
  const which = alert.kind === 'guard-fired' ? 'alert' : 'recovery'
  const again = retryMs === undefined ? '' : `; retrying in ${retryMs / 1000} s`
  return {
    message: oneLine(`--guard: the ${which} of rule ${alert.rule} was not delivered: ${reason}${again}`),
    hint: stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  }
}

/** Lines of a summary: rules that fired, or all of them. */
export function guardStatusLines(rules: readonly RuleStatus[]): string[] {
  return rules.map(({ name, fired, firing }) => {
    const now =
      firing.length === 0
        ? ''
        : `, still firing${firing.length > 1 ? ` for ${count(firing.length, 'group')}` : ''}`
    return oneLine(`rule ${name}: fired ${count(fired, 'time')}${now}`)
  })
}
