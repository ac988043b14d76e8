import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import topicTexts from '../../../../src/cli/commands/help/topics?texts'
import { jsonSchema } from '../../../../src/files/formats/file-schema.ts'
import { assistantSchema } from '../../../../src/interface/assistant.ts'
import { isObject } from '../../../../src/lib/json.ts'
import { sandboxAssistantSchema as sandboxSchema } from '../../../../src/sandbox/call/call-config.ts'
import { serverSchema } from '../../../../src/sandbox/webhooks/delivery.ts'

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

const inHelp = (name: string) => new RegExp(`\\b${name}\\b`).test(text)

test('every field of an assistant that has an effect, and every field of a tool, is in the help of the sandbox', () => {
  const { properties } = z
    .object({ properties: z.record(z.string(), z.unknown()) })
    .parse(jsonSchema('assistant'))
  const read = Object.keys(sandboxSchema().shape).map(name => [name, properties[name]])
  const fields = [...fieldsOf({ properties: Object.fromEntries(read) }), ...fieldsOf(jsonSchema('tool'))]
  expect(fields.length).toBeGreaterThan(50)
  expect(fields.filter(name => !plain.has(name) && !inHelp(name))).toEqual([])
})

test('fields listed as without effect have none, and the sandbox reads only fields of the interface', () => {
  const [, after = ''] = text.split('FIELDS WITHOUT EFFECT')
  const [list = ''] = after.split('\n\n')
  const named = (field: string) => new RegExp(`(?<![\\w.])${field}(?![\\w.]*\\w)`).test(list)
  const read = Object.keys(sandboxSchema().shape)
  expect(read.filter(named)).toEqual(['backgroundSound'])
  expect(read.filter(field => !Object.hasOwn(assistantSchema().shape, field))).toEqual([])
  expect(Object.keys(serverSchema().shape)).not.toContain('secret')
  expect(named('assistantServer.secret')).toBe(true)
})
