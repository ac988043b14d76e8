import { appendFile } from 'node:fs/promises'
import { type Diagnostic, formatLocation } from '../../../files/source/index.ts'
import { getErrorReason } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { inMarkdown, markdownTable } from '../../../lib/text/markup.ts'
import { paint } from '../../../lib/text/text.ts'
import { truncate } from '../../../lib/text/truncate.ts'
import type { TestCase } from '../../../scenario/index.ts'
import type { TestRun } from '../../../scenario/results/index.ts'
import type { ReportCase } from '../../shell/ci-reports/report.ts'
import type { Context } from '../../shell/context.ts'
import {
  isWrong,
  type RunView,
  renderFailure,
  rulesNote,
  runsText,
  testFindings,
} from '../../shell/render/test-failure.ts'
import { getRunFailure, notRunReasons } from './show-run.ts'

/** Returns a case for each test, for reports, with the number of runs that passed. File and name identify it: names are unique in a project. */
export function runCases({ results, notRun }: TestRun, view: RunView): ReportCase[] {
  const caseOf = ({ name, file }: TestCase) => ({ kind: 'test', name, file, findings: [] })
  return [
    ...results.map((result): ReportCase => {
      const { test, status, durationMs } = result
      const common = { ...caseOf(test), durationMs }
      if (!isWrong(result))
        return {
          ...common,
          skipped: status === 'skipped' ? (test.skip ?? 'skipped') : undefined,
          details: runsText(result),
        }
      const details = paint(renderFailure(result, { ...view, width: reportColumns }), { color: false })
      return { ...common, findings: testFindings(result), details }
    }),
    ...notRun.map(({ test, reason }) => ({ ...caseOf(test), skipped: `not run: ${notRunReasons[reason]}` })),
  ]
}

const reportColumns = 100

/** In a workflow of GitHub, failures become annotations at their lines, and the page of the run has a table of them. */
export async function tellGitHub(run: TestRun, { env, output }: Context): Promise<void> {
  const wrong = run.results.filter(isWrong)
  const failed = wrong.map(result => ({ name: result.test.name, findings: testFindings(result) }))
  output.annotate(failed.flatMap(({ findings }) => findings))
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY = '' } = env
  if (GITHUB_ACTIONS !== 'true' || GITHUB_STEP_SUMMARY === '') return
  const title = [getRunFailure(run)?.message ?? `${run.results.length} passed`, rulesNote(run.results)]
    .filter(part => part !== undefined)
    .join(' · ')
  await appendFile(GITHUB_STEP_SUMMARY, toStepSummary(title, failed)).catch(error => {
    output.warn(`cannot write the step summary: ${getErrorReason(error)}`)
  })
}

interface FailedTest {
  readonly name: string
  readonly findings: readonly Diagnostic[]
}

/** Renders the GitHub step summary in Markdown. The runner accepts a megabyte per step, so only the first of many failures are shown. */
export function toStepSummary(title: string, failed: readonly FailedTest[]): string {
  const rows = failed.flatMap(({ name, findings }) => findings.map(finding => ({ name, finding })))
  const visibleRows = rows.slice(0, maxRows)
  const left = rows.length - visibleRows.length
  const lines = [
    `### callyard test: ${inMarkdown(title)}`,
    '',
    ...(visibleRows.length === 0
      ? []
      : [
          markdownTable(
            ['Test', 'Line', 'What is wrong'],
            visibleRows.map(({ name, finding }) => {
              const cells = [name, formatLocation(finding), `${finding.message} [${finding.code}]`]
              return cells.map(cell => truncate(cell, maxCellLength))
            }),
          ),
        ]),
    ...(left > 0 ? ['', `… and ${count(left, 'failure')} more: the log of the step has all of them.`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

const maxRows = 100
const maxCellLength = 500
