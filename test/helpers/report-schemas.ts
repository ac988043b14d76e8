import { readFile } from 'node:fs/promises'
import sarifSchema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import Ajv from 'ajv-draft-04'
import addFormats from 'ajv-formats'
import type { Log } from 'sarif'
import { expect } from 'vitest'
import { validateXML } from 'xmllint-wasm'

const xsd = await readFile(new URL('junit-10.xsd', import.meta.url), 'utf8')
const ajv = new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false })
addFormats.default(ajv)
const validSarif = ajv.compile<Log>(sarifSchema)

/** Fails the test with what libxml2 finds wrong in a report: XML that is not well-formed, or not as Jenkins reads it. */
export async function expectJunit(...reports: readonly string[]): Promise<void> {
  const xml = reports.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }))
  const { errors } = await validateXML({ xml, schema: xsd })
  expect(errors.map(({ rawMessage }) => rawMessage)).toEqual([])
}

/** A report that passes the JSON Schema of SARIF 2.1.0; any other fails the test. */
export function parseSarif(report: string): Log {
  const log: unknown = JSON.parse(report)
  if (validSarif(log)) return log
  throw new Error(ajv.errorsText(validSarif.errors))
}
