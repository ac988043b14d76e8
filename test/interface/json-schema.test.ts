import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSchema, referencePattern, textPattern } from '../../src/interface/json-schema.ts'
import { kindNames } from '../../src/interface/words.ts'
import { isObject } from '../../src/lib/json.ts'
import { parseTemplate } from '../../src/source/index.ts'
import { runs } from '../helpers/every-case.ts'
import { strictAjv } from '../helpers/strict-ajv.ts'

const vocabulary = { '<provider_2>': 'acme', '<model_3>': 'acme-3', Rtc: 'Acme' }

/** Every schema inside a schema, itself included. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(schemasIn)] : []
}

describe.each(kindNames)('the schema of kind %s', kind => {
  test.each([
    ['placeholders', {}],
    ['a vocabulary', vocabulary],
  ])('with %s: ajv compiles it in strict mode, and each default matches its own field', (_words, words) => {
    const schema = jsonSchema(kind, words)
    const ajv = strictAjv()
    ajv.compile(schema)
    for (const field of schemasIn(schema.properties)) {
      if (field.default === undefined || isObject(field.default)) continue
      const { $id: _, ...rest } = schema
      const alone = ajv.compile({ $defs: rest.$defs, ...field })
      expect(alone(field.default), JSON.stringify(field)).toBe(true)
      expect(field.description).toContain(`Default: ${JSON.stringify(field.default)}`)
    }
  })

  test('describes itself without how it was made', () => {
    const schema = jsonSchema(kind)
    expect(schema.$id).toBe(`urn:callyard:schema:${kind}`)
    const text = JSON.stringify(schema)
    expect(text).not.toMatch(/starts_with|web-url|deprecatedValues/)
  })
})

test('ranges, deprecation and conditions of an assistant', () => {
  expect(jsonSchema('assistant')).toMatchObject({
    properties: {
      idleTimeout: { description: expect.stringMatching(/From 5 to 600\. Default: 30$/) },
      ttsAudioCacheScope: {
        anyOf: [{ enum: ['assistant', 'team'] }, { const: 'global', deprecated: true }, expect.anything()],
      },
    },
    allOf: expect.arrayContaining([
      expect.objectContaining({ if: expect.objectContaining({ required: ['endCallMessage'] }) }),
    ]),
  })
})

test('a pattern matches texts with readable references and reports those with any', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '$',
      '$$',
      '{',
      '}',
      '${',
      '$${',
      'env:A',
      'env:',
      ':-',
      'file:',
      'tool:',
      'kb:x',
      'x',
      ' ',
      '\n',
    ),
    fc.constantFrom(
      '${env:A}',
      '${env:A:-b$}',
      '${file:a b}',
      '${tool:x y}',
      '${tool: x}',
      '${kb:}',
      '$${env:A}',
    ),
  )
  const texts = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(texts, text => {
      const kindsOf = parseTemplate(text).map(({ kind }) => kind)
      const whole = !kindsOf.includes('bad')
      expect(new RegExp(textPattern, 'u').test(text)).toBe(whole)
      const refers = whole && kindsOf.some(kind => kind !== 'text')
      expect(new RegExp(referencePattern, 'u').test(text)).toBe(refers)
    }),
    { numRuns: runs(400) },
  )
})

test('a long text is matched in a time that grows no faster than it', () => {
  const text = `${'${env:A:-'.repeat(50_000)}${'$'.repeat(100_000)}`
  expect(new RegExp(textPattern, 'u').test(text)).toBe(false)
  expect(new RegExp(textPattern, 'u').test(text.replaceAll('{', '('))).toBe(true)
})
