import { expect, test } from 'vitest'
import { topicTexts } from '../../../src/commands/help/topic-texts.ts'
import { isObject } from '../../../src/interface/is-object.ts'
import { jsonSchema } from '../../../src/interface/json-schema.ts'

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
