import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonSchema } from '../../src/files/formats/file-schema.ts'
import { checkFile, parseTemplate } from '../../src/files/source/index.ts'
import { kindNames } from '../../src/interface/words.ts'
import { runs } from '../helpers/every-case.ts'
import { sharedFolder } from '../helpers/folders.ts'
import { strictAjv } from '../helpers/strict-ajv.ts'
import { valuesOf } from './odd-values.ts'

const folder = sharedFolder()

/** Findings of `validate` that a schema cannot express: results of references, repeated entries, ports of URLs, names of time zones. */
const beyondSchema = new Set([
  'missing-env',
  'missing-file',
  'hidden-file',
  'unknown-reference',
  'duplicate',
  'no-such-value',
])

/** Nor does it look for a field `__proto__` at any depth: no file may have one, also where any keys are allowed. */
function isBeyondSchema({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return beyondSchema.has(code) || message.startsWith('__proto__ ')
}

const examples: Partial<Record<(typeof kindNames)[number], string | readonly string[]>> = {
  'knowledge-base': ['{"entries":". "}', '{"encoding":"x","faq":[]}'],
  'tool-update': '{"server":{"":{"__proto__":null}}}',
  batch: '{"list":[" "],"from":" ","callback":{"field":""}}',
}

test.each(kindNames)('for any content of a %s, validate ends and agrees with its schema', async kind => {
  const ajv = strictAjv({ allErrors: true })
  const fits = ajv.compile(jsonSchema(kind))
  const path = join(folder, `${kind}.json`)
  await fc.assert(
    fc.asyncProperty(valuesOf(kind), async value => {
      const text = JSON.stringify(value)
      await writeFile(path, text)
      const { diagnostics } = await checkFile(path, kind, { cwd: folder, env: {}, vocabulary: {} })
      const errors = diagnostics.filter(({ severity }) => severity === 'error')
      for (const { message, position } of errors) {
        expect(message).not.toBe('')
        expect(position).toBeDefined()
      }
      const codes = errors.map(({ code, message }) => `${code}: ${message}`).join('\n')
      // A text that the schema takes for its reference is judged by what the reference comes to.
      const refers = parseTemplate(text).some(({ kind: segment }) => segment !== 'text')
      if (errors.length === 0) expect(fits(value), `${text}\n${ajv.errorsText(fits.errors)}`).toBe(true)
      else if (!refers && !errors.every(isBeyondSchema)) {
        expect(fits(value), `${text}\n${codes}`).toBe(false)
      }
    }),
    {
      numRuns: runs(40),
      examples: [examples[kind] ?? []].flat().map(example => [JSON.parse(example)]),
    },
  )
})
