import type { Log, Result } from 'sarif'
import manifest from '../../../../package.json' with { type: 'json' }
import type { Diagnostic } from '../../../files/source/index.ts'
import { toJsonDocument } from '../../../lib/text/escape.ts'
import { repositoryPage } from '../../../lib/text/repository-page.ts'
import { type Report, visible, withHint } from './report.ts'
import { ruleSentence } from './rule-sentences.ts'

/**
 * The findings of a report as SARIF 2.1.0, in the form that GitHub code scanning takes: the codes of findings are the
 * rules, each result has a place. What ended the command is a notification of the tool.
 */
export function toSarif({ command, target, cases, error, startedAt, durationMs }: Report): string {
  const findings = cases.flatMap(reportCase => reportCase.findings)
  const codes = [...new Set(findings.map(({ code }) => code))].sort()
  const indexOf = new Map(codes.map((code, index) => [code, index]))
  const category = [command, ...(target === undefined ? [] : [encodeURIComponent(visible(target))])]
  const log: Log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: manifest.name,
            version: manifest.version,
            semanticVersion: manifest.version,
            informationUri: manifest.homepage,
            rules: codes.map(code => ({
              id: code,
              shortDescription: { text: titleOf(code) },
              fullDescription: { text: ruleSentence(code) ?? `${titleOf(code)}.` },
              helpUri: pageOf(command),
              help: {
                text: `Each finding says what is allowed. See also: callyard help ${command === 'test' ? 'testing' : 'files'}`,
              },
            })),
          },
        },
        // Distinguishes this upload from those of other commands and targets.
        automationDetails: { id: `${manifest.name}/${category.join('/')}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: error === undefined,
            startTimeUtc: new Date(startedAt).toISOString(),
            endTimeUtc: new Date(startedAt + Math.max(0, durationMs)).toISOString(),
            toolExecutionNotifications: error && [
              {
                level: 'error',
                descriptor: { id: error.kind },
                message: { text: messageWithHint(error.message, error.hint) },
              },
            ],
          },
        ],
        results: findings.map(finding => resultOf(finding, indexOf.get(finding.code) ?? -1)),
      },
    ],
  }
  return `${toJsonDocument(log)}\n`
}

function resultOf({ code, severity, message, hint, file, position }: Diagnostic, ruleIndex: number): Result {
  const { line, column } = position ?? { line: 1, column: 1 }
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: messageWithHint(message, hint) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: visible(file).split('/').map(encodeURIComponent).join('/') },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }
}

/** URL of the guide to findings, for this version. */
function pageOf(command: Report['command']): string {
  const page = command === 'test' ? 'testing-conversations' : 'projects'
  return `${repositoryPage(manifest.repository.url)}/blob/v${manifest.version}/docs/${page}.md`
}

/** `unknown-key` → `Unknown key`. */
function titleOf(code: string): string {
  const words = code.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** In a SARIF message `[words](place)` is a link: texts of others must not make any. */
function messageWithHint(message: string, hint: string | undefined): string {
  return visible(withHint(message, hint), '\n').replaceAll('](', '] (')
}
