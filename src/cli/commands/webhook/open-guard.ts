import { dirname } from 'node:path'
import {
  type AlertFailure,
  type GuardAlert,
  type GuardReport,
  loadGuard,
  loadGuardReplay,
  readRules,
} from '../../../calls/guard/index.ts'
import { formatValue } from '../../../calls/report/index.ts'
import { checkFile, InvalidInput } from '../../../files/source/index.ts'
import { hasErrors } from '../../../interface/finding.ts'
import { duration, localDateTime, localTimeZone } from '../../../lib/text/date-time.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { excerpt } from '../../../lib/text/layout.ts'
import { dim, text } from '../../../lib/text/text.ts'
import type { MessageText } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { agreeToAccess } from '../consent.ts'
import { eventTimeout } from './flags.ts'
import type { TailFlags } from './tail-flags.ts'

/**
 * Opens the guard of `--guard`. Alerts are printed as they occur; with --json as lines on stdout.
 * @throws CallyardError `invalid` for a file with errors, and as agreeToAccess and openGuard do
 */
export async function openTailGuard({ guard: file }: TailFlags, context: Context) {
  if (file === undefined) return undefined
  const { output, clock, programEnv: env } = context
  const read = await readGuardFile(file, context)
  context.willSend(read.checked)
  await agreeToAccess(context, { service: false })
  const { openGuard } = await loadGuard()
  if (read.rules.some(({ condition }) => condition.kind === 'figure'))
    output.note('--guard: windows start empty; calls that ended earlier do not count')
  return openGuard({
    ...read,
    ...{ clock, env, timeout: eventTimeout(context) },
    onReport: report => printReport(report, output),
  })
}

/** Opens a guard for a recording, which prints its alerts, and runs and sends nothing. */
export async function openReplayGuard(file: string, context: Context) {
  const { rules, zone, facts } = await readGuardFile(file, context)
  const { createGuardReplay } = await loadGuardReplay()
  const onAlert = (alert: GuardAlert) =>
    context.output.event(alert, () => alertText(alert, { withTime: true }))
  return createGuardReplay({ rules, zone, facts, onAlert })
}

/** @throws InvalidInput for a file with errors */
async function readGuardFile(written: string, { files, settings, resolve }: Context) {
  const { vocabulary, project } = await settings()
  const file = resolve(written)
  const checked = await checkFile(file, 'guard', { ...files, vocabulary: vocabulary.value })
  const { rules, timezone, diagnostics } = readRules(checked)
  const problems = [...checked.diagnostics, ...diagnostics]
  if (hasErrors(problems)) throw new InvalidInput(problems)
  return {
    ...{ rules, checked, file, folder: dirname(file) },
    zone: timezone ?? localTimeZone(),
    facts: { words: project?.settings.outcomes },
  }
}

function printReport(report: GuardReport, output: Context['output']): void {
  if (report.kind === 'output') {
    const { rule, output: printed } = report
    const line =
      printed.kind === 'output'
        ? oneLine(printed.line)
        : `… (only the first ${printed.bytes / 1024} KB of each run are shown)`
    output.note(text`${dim(oneLine(rule))}  ${line}`)
    return
  }
  output.event(report, () => undefined)
  if (report.kind === 'guard-failed') {
    const { message, hint } = alertFailureWords(report)
    output.warn(message, hint)
    return
  }
  if (output.json) return
  if (report.kind === 'guard-fired') output.warn(alertText(report))
  else output.note(alertText(report))
}

/** Describes an alert on one line. Names are untrusted. */
function alertText(
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
  const measure = when.startsWith('no')
    ? `${now} without events`
    : `${now}, limit ${formatValue(limit, unit)}`
  return oneLine(`${time}${rule} fired${where}: ${when} (${measure}${ofCalls})`)
}

/** Returns the message for an alert that was not delivered; the reason and stderr are untrusted. */
function alertFailureWords({ rule, alert, reason, stderr = '', retryMs }: AlertFailure): MessageText {
  const which = alert === 'guard-fired' ? 'alert' : 'recovery'
  const again = retryMs === undefined ? '' : `; retrying in ${retryMs / 1000} s`
  return {
    message: oneLine(`--guard: the ${which} of rule ${rule} was not delivered: ${reason}${again}`),
    hint: stderr === '' ? undefined : excerpt(stderr).split('\n').map(oneLine).join('\n  '),
  }
}
