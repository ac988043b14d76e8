import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { endpoints } from '../../src/interface/endpoints.ts'
import { openApi } from '../../src/interface/openapi.ts'
import { webhooks as published } from '../../src/interface/webhooks.ts'
import { isObject } from '../../src/lib/json.ts'
import { readOpenApi } from '../helpers/openapi.ts'

const vocabulary = { '<provider_2>': 'acme', '<model_3>': 'acme-3', '<vendor>': 'Phone', Rtc: 'Acme' }

test.each([
  ['placeholders', {}],
  ['a vocabulary', vocabulary],
])('with %s: an OpenAPI 3.1 document whose schemas ajv compiles in strict mode', async (_, words) => {
  const document = openApi({ vocabulary: words })
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  const { schemas, validator } = readOpenApi(document)
  for (const name of Object.keys(schemas)) validator({ $ref: `#/components/schemas/${name}` })
})

test('describes the seven endpoints and the webhooks with bodies and responses that match their schemas', () => {
  const { operations, webhooks, validator } = readOpenApi(openApi())
  expect(operations.map(({ id, method, path }) => [id, method, path])).toEqual(
    Object.entries(endpoints).map(([name, { method, path }]) => [name, method, path]),
  )
  expect(webhooks.map(({ id }) => id)).toEqual(Object.keys(published))
  for (const { id, body, answer } of [...operations, ...webhooks]) {
    for (const media of [body, answer]) {
      expect(media?.example, id).toBeDefined()
      const validate = validator(media?.schema ?? {})
      validate(media?.example)
      expect(validate.errors, id).toBeNull()
    }
  }
})

test('rejects a response or webhook without its id or with an unknown word', () => {
  const { schemas, validator } = readOpenApi(openApi())
  expect(Object.keys(schemas)).toContain('CallRecord')
  const example = { sid: 'CC-1' }
  const fits = (name: string, value: unknown) => validator({ $ref: `#/components/schemas/${name}` })(value)
  expect(fits('StartedCall', example)).toBe(true)
  expect(fits('StartedCall', {})).toBe(false)
  const message = { messageId: 'm1', role: 'user', text: 'Hi', timestamp: '2026-01-12T09:30:00Z' }
  const update = (item: object) => ({ message: { type: 'conversation-update', messages: [item] } })
  expect(fits('ConversationUpdate', update(message))).toBe(true)
  expect(fits('ConversationUpdate', update({ ...message, role: 'robot' }))).toBe(false)
  expect(fits('ConversationUpdate', update({ ...message, timestamp: 'today' }))).toBe(false)
})

test('contains what is used in several places once', () => {
  const { schemas } = readOpenApi(openApi())
  const text = JSON.stringify(schemas)
  for (const name of ['Speech', 'AssistantOverrides', 'Customer'])
    expect(text.split(`"#/components/schemas/${name}"`).length, name).toBeGreaterThan(2)
})

test('contains the words of the vocabulary and the real field names', () => {
  const text = JSON.stringify(openApi({ vocabulary }))
  for (const word of ['acme', 'acme-3', 'Phoneml', 'AcmeBaseValue']) expect(text).toContain(`"${word}"`)
})

test('the same vocabulary makes the same bytes, also after documents of other vocabularies', () => {
  const first = JSON.stringify(openApi())
  openApi({ vocabulary })
  expect(JSON.stringify(openApi())).toBe(first)
  expect(JSON.stringify(openApi({ vocabulary: {} }))).toBe(first)
})

test('every field of every component has a description', () => {
  const { schemas } = readOpenApi(openApi())
  const silent = Object.entries(schemas).flatMap(([name, { properties }]) =>
    Object.entries(isObject(properties) ? properties : {})
      .filter(([, field]) => isObject(field) && field.description === undefined && field.$ref === undefined)
      .map(([field]) => `${name}.${field}`),
  )
  expect(silent).toEqual([])
})

test('adds defaults to responses, not to requests', () => {
  const { schemas } = readOpenApi(openApi())
  const hasDefault = (name: string) => /"default":/.test(JSON.stringify(schemas[name]))
  expect(['Assistant', 'InlineAssistant', 'Tool', 'ToolUpdate', 'ConnectCall'].filter(hasDefault)).toEqual([])
  expect(['AssistantRecord', 'ToolRecord', 'CallRecord', 'WebhookAssistant'].filter(hasDefault)).toHaveLength(
    4,
  )
})
