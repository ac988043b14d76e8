import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonSchema, referencePattern, textPattern } from '../../../src/files/formats/file-schema.ts'
import { parseTemplate } from '../../../src/files/source/index.ts'
import { kindNames } from '../../../src/interface/words.ts'
import { isObject } from '../../../src/lib/json.ts'
import { runs } from '../../helpers/every-case.ts'
import { strictAjv } from '../../helpers/strict-ajv.ts'

const vocabulary = { '<provider_2>': 'acme', '<model_3>': 'acme-3', Rtc: 'Acme' }

/** Every schema inside a schema, itself included. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(schemasIn)] : []
}

/** Every property of a JSON Schema, however deep, by its path. */
function properties(schema: unknown, path = ''): [string, Record<string, unknown>][] {
  if (Array.isArray(schema)) return schema.flatMap(one => properties(one, path))
  if (!isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const inner = [schema.items, schema.anyOf, schema.additionalProperties].flatMap(part =>
    properties(part, path),
  )
  return own
    .flatMap(([key, part]): [string, Record<string, unknown>][] =>
      isObject(part) ? [[`${path}.${key}`, part], ...properties(part, `${path}.${key}`)] : [],
    )
    .concat(inner)
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

  test('describes itself and every property, without how it was made', () => {
    const schema = jsonSchema(kind)
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:callyard:schema:${kind}`,
      type: 'object',
    })
    const all = properties(schema)
    expect(all.length).toBeGreaterThan(0)
    expect(all.filter(([, { description }]) => typeof description !== 'string')).toEqual([])
    const text = JSON.stringify(schema)
    expect(text).not.toMatch(/starts_with|web-url|deprecatedValues/)
  })
})

test('the schema of an assistant has limits, defaults, vocabularies, deprecation and conditions', () => {
  expect(jsonSchema('assistant', { '<model_1>': 'acme-1' })).toMatchObject({
    required: ['name'],
    additionalProperties: false,
    properties: {
      idleTimeout: {
        ...{ type: 'integer', minimum: 5, maximum: 600, default: 30 },
        description: expect.stringMatching(/From 5 to 600\. Default: 30$/),
      },
      backgroundSoundVolume: { type: 'number', minimum: 1, maximum: 100, default: 50 },
      assistantModel: {
        anyOf: [
          { enum: ['acme-1', '<model_1>', '<model_2>', '<model_3>', '<model_4>'] },
          { $ref: '#/$defs/reference' },
        ],
        default: '<model_3>',
      },
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
