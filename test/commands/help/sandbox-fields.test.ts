import { expect, test } from 'vitest'
import { topicTexts } from '../../../src/commands/help/topic-texts.ts'
import { assistantSchema } from '../../../src/interface/assistant.ts'
import { jsonSchema } from '../../../src/interface/json-schema.ts'
import { isObject } from '../../../src/lib/json/is-object.ts'
import { assistantSchema as sandboxSchema } from '../../../src/sandbox/call/call-config.ts'
import { serverSchema } from '../../../src/sandbox/webhooks/assistant-server.ts'

/** Names of all fields, at any depth; of speech and of a schema that the user writes only their own name. */
function fieldsOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const choices = [schema.items, ...[schema.anyOf ?? []].flat()]
  return [
    ...own.flatMap(([name, field]) =>
      name === 'speech' || name === 'schema' ? [name] : [name, ...fieldsOf(field)],
    ),
    ...choices.flatMap(fieldsOf),
  ]
}

const text = [topicTexts.sandbox, topicTexts['sandbox-replies'], topicTexts['sandbox-fields']].join('\n')
/** Their parent says it for them. */
const plain = new Set([
  '$schema',
  'name',
  'type',
  'field',
  'content',
  'phoneNumber',
  'extension',
  'config',
  'smsPrompt',
  'sameAsAssistant',
  'function',
  'enabled',
])

test.each(['assistant', 'tool'] as const)(
  'every field of kind %s is in the help of the sandbox: what it does, or that it does nothing',
  kind => {
    const fields = [...new Set(fieldsOf(jsonSchema(kind)))].filter(name => !plain.has(name))
    expect(fields.length).toBeGreaterThan(2)
    expect(fields.filter(name => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([])
  },
)

test('the fields without effect are those of an assistant that the sandbox does not read, and a secret', () => {
  const [, after = ''] = text.split('ACCEPTED WITHOUT EFFECT IN TEXT')
  const [list = ''] = after.split('\n\n')
  const named = (field: string) => new RegExp(`(?<![\\w.])${field}(?![\\w.]*\\w)`).test(list)
  const read = new Set(Object.keys(sandboxSchema.shape))
  const ignored = Object.keys(assistantSchema().shape).filter(field => !read.has(field) && field !== 'config')
  expect(ignored.length).toBeGreaterThan(5)
  expect(ignored.filter(field => !named(field))).toEqual([])
  expect([...read].filter(named)).toEqual(['backgroundSound'])
  expect(Object.keys(serverSchema.shape)).not.toContain('secret')
  expect(named('assistantServer.secret')).toBe(true)
})
