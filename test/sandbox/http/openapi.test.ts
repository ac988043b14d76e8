import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoints } from '../../../src/interface/endpoints.ts'
import type { Vocabulary } from '../../../src/interface/vocabulary.ts'
import { readOpenApi } from '../../helpers/openapi.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

test('GET /openapi.json requires no key and contains the sandbox’s URL and vocabulary', async () => {
  const sandbox = await startTestSandbox({ vocabulary: { '<provider_1>': 'acme' } })
  const answer = await fetch(`${sandbox.baseUrl}/openapi.json`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  const document = z.record(z.string(), z.unknown()).parse(await answer.json())
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] })
  expect(JSON.stringify(document)).toContain('"acme"')
  expect(await new Validator().validate(document)).toEqual({ valid: true })
  const again = await fetch(`${sandbox.baseUrl}/openapi.json`)
  expect(await again.json()).toEqual(document)
  const other = await startTestSandbox({ vocabulary: { '<provider_1>': 'globex' } })
  const otherText = await (await fetch(`${other.baseUrl}/openapi.json`)).text()
  expect([otherText.includes('"globex"'), otherText.includes('"acme"')]).toEqual([true, false])
  const { operations, schemas, validator } = readOpenApi(document)
  expect(operations.map(({ id }) => id)).toEqual([
    ...Object.keys(endpoints),
    'identify',
    'checkHealth',
    'showCall',
    'controlCall',
  ])
  for (const name of Object.keys(schemas)) validator({ $ref: `#/components/schemas/${name}` })
})

test.each(['/openapi.json', '/__sandbox/openapi.json'])('%s is made once', async path => {
  let reads = 0
  const countRead = () => {
    reads += 1
  }
  const vocabulary = new Proxy<Vocabulary>({}, { ownKeys: () => [], get: countRead })
  const sandbox = await startTestSandbox({ vocabulary })
  const read = async (query: string) => {
    const headers = { authorization: `Bearer ${sandbox.controlToken}` }
    return (await fetch(sandbox.baseUrl + path + query, { headers })).text()
  }
  const { team } = await sandbox.world()
  const before = reads
  const text = await read('')
  expect(reads).toBeGreaterThan(before)
  const after = reads
  expect(await read(path.startsWith('/__') ? `?world=${team.teamId}` : '')).toBe(text)
  expect(reads).toBe(after)
})

test('GET /__sandbox/openapi.json describes every route of the control API, and requires its token', async () => {
  const sandbox = await startTestSandbox()
  const path = '/__sandbox/openapi.json'
  expect((await sandbox.send('GET', path)).status).toBe(401)
  const authorization = `Bearer ${sandbox.controlToken}`
  const { body } = await sandbox.send('GET', path, undefined, { authorization })
  const { operations, schemas, validator } = readOpenApi(body)
  // Before the schemas are compiled: a busy machine takes longer for them than an idle connection is kept.
  const responses = await Promise.all(
    operations.flatMap(({ method, path: route, answer }) =>
      method !== 'GET' || answer === undefined
        ? []
        : [
            sandbox
              .send(method, route, undefined, { authorization })
              .then(({ body }) => ({ route, answer, body })),
          ],
    ),
  )
  expect(await new Validator().validate(body)).toEqual({ valid: true })
  for (const name of Object.keys(schemas)) validator({ $ref: `#/components/schemas/${name}` })
  for (const { route, answer, body: shown } of responses) {
    const validate = validator(answer.schema)
    validate(shown)
    expect(validate.errors, route).toBeNull()
  }
  for (const { body: example } of operations)
    if (example?.example !== undefined) expect(validator(example.schema)(example.example)).toBe(true)
  expect(operations.map(({ method, path: route }) => `${method} ${route}`)).toContain(
    'POST /__sandbox/worlds',
  )
})

test('describes the fields of assistantServer that the sandbox reads', async () => {
  const sandbox = await startTestSandbox()
  const { schemas } = readOpenApi(await (await fetch(`${sandbox.baseUrl}/openapi.json`)).json())
  expect(Object.keys(Object(schemas.AssistantServer?.properties))).toEqual([
    'url',
    'messages',
    'headers',
    'timeoutSeconds',
    'enabled',
  ])
})
