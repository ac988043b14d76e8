import { count } from '../../lib/text/count.ts'
import { inMarkdown } from '../../lib/text/markdown.ts'
import { type Diagnostic, placeOf } from '../../source/index.ts'

interface SummarizedTests {
  /** `2 of 5 tests failed`. */
  readonly title: string
  /** Each test that did not pass, with its findings. */
  readonly failed: readonly { readonly name: string; readonly findings: readonly Diagnostic[] }[]
}

/** What GitHub shows of a step beside its log, in Markdown. The runner takes a megabyte of a step: of many failures the first are shown. */
export function toStepSummary({ title, failed }: SummarizedTests): string {
  const rows = failed.flatMap(({ name, findings }) => findings.map(finding => ({ name, finding })))
  const shown = rows.slice(0, maxRows)
  const left = rows.length - shown.length
  const lines = [
    `### callwright test: ${inMarkdown(title)}`,
    '',
    ...(shown.length === 0 ? [] : ['| Test | Line | What is wrong |', '| --- | --- | --- |']),
    ...shown.map(({ name, finding }) => {
      const { message, code } = finding
      return `| ${cell(name)} | ${cell(placeOf(finding))} | ${cell(`${message} [${code}]`)} |`
    }),
    ...(left > 0 ? ['', `… and ${count(left, 'failure')} more: the log of the step has all of them.`] : []),
  ]
  return `${lines.join('\n')}\n\n`
}

const maxRows = 100
const maxCellLength = 500

function cell(text: string): string {
  return inMarkdown(text.length > maxCellLength ? `${text.slice(0, maxCellLength).toWellFormed()}…` : text)
}
