import manifest from '../../../package.json' with { type: 'json' }
import { CallyardError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import { advice, dim, green, join, red, type Text, text, whole, yellow } from '../../lib/text/text.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Diagnosis } from './doctor/checks.ts'

export const doctorCommand = defineCommand({
  description: 'Check the installation, the settings, the service and the project',
  summary: 'Check the installation, settings, service and project',
  examples: ['callyard doctor', 'callyard doctor --json | jq \'.checks[] | select(.status == "problem")\''],
  topics: ['environment', 'exit-codes'],
  effect: 'none',
  flags: command => command.option('--report', 'Print a text for a bug report, without secrets'),
  async result(builders) {
    const { z, optional } = builders
    const { checkSchema } = await import('./doctor/checks.ts')
    return {
      document: z.object({
        version: z.string(),
        checks: z.array(checkSchema(builders)),
        report: optional(z.string(), 'With --report: text for a bug report'),
      }),
    }
  },
  /** Changes nothing: no check writes a file or sends a key. */
  async run({ report: wantsReport = false }, context) {
    const { runChecks } = await import('./doctor/run-checks.ts')
    const checks = await runChecks(context)
    const { bugReport } = await import('./doctor/bug-report.ts')
    const report = wantsReport ? await bugReport(checks, context) : undefined
    context.output.result({ version: manifest.version, checks, report }, () =>
      report === undefined ? join(checks.map(checkLine)) : whole(report),
    )
    const problems = checks.filter(({ status }) => status === 'problem')
    if (problems.length > 0)
      throw new CallyardError('partial', `${count(problems.length, 'problem')} found`, {
        hint: wantsReport
          ? undefined
          : 'for a text that you can paste into a bug report: callyard doctor --report',
      })
  },
})

const marks: Readonly<Record<Diagnosis['status'], Text>> = {
  ok: green('✓'),
  warning: yellow('!'),
  problem: red('✗'),
  skipped: dim('-'),
}

function checkLine({ check, status, message, remedy }: Diagnosis & { readonly check: string }): Text {
  const next = remedy === undefined ? '' : advice(dim(`\n    ${remedy}`))
  return text`${marks[status]} ${check.padEnd(14)} ${message}${next}`
}
