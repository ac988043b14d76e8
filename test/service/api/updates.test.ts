import { describe, expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../../src/service/api/index.ts'
import { createApi } from '../../../src/service/api/index.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { type StubAnswer, startStubApi } from '../../helpers/stub-api.ts'

const endpoint = { method: 'PATCH', path: '/own/{id}/assistant' }

const updates = {
  'PATCH tool': {
    request: ['PATCH', '/assistants/v1/tools/7'],
    send: (api: Api) => api.updateTool('7', { async: true }),
  },
  'the declared update of assistants': {
    request: ['PATCH', '/own/7/assistant'],
    send: (api: Api) => api.updateAssistant('7', endpoint, { name: 'Ada' }),
  },
  'PUT faq': {
    request: ['PUT', '/kb/v1/knowledge-bases/7/faq-template'],
    send: (api: Api) => api.updateFaq('7', [{ id: 'f', question: 'q', answer: 'a' }]),
  },
} as const

async function answered(name: keyof typeof updates, answer: StubAnswer) {
  const stub = await startStubApi()
  const warnings: string[] = []
  const api = createApi({
    connect: async () => ({ baseUrl: stub.baseUrl, apiKey: 'key-of-the-test' }),
    timeoutMs: 10_000,
    clock: realClock,
    signal: new AbortController().signal,
    env: {},
    warn: line => warnings.push(line),
  })
  onTestFinished(async () => {
    await api.close()
    await stub.close()
    stub.expectAllUsed()
  })
  const [method, path] = updates[name].request
  stub.answer(method, path, answer)
  const record = await updates[name].send(api)
  return { record, warnings }
}

const answers: readonly (readonly [string, StubAnswer, Readonly<Record<string, unknown>>])[] = [
  ['204', { status: 204, body: '' }, {}],
  ['an empty 200', { body: '' }, {}],
  ['white space', { body: ' \n' }, {}],
  ['{}', { json: {} }, {}],
  ['a body without id', { json: { async: true } }, { async: true }],
  ['an id that is null', { json: { _id: null, async: true } }, { async: true }],
  ['an empty id', { json: { _id: '' } }, {}],
  ['a list', { json: [] }, {}],
  ['a text', { json: 'OK' }, {}],
  ['a word', { body: 'OK', headers: { 'content-type': 'text/html; charset=utf-8' } }, {}],
  ['null', { json: null }, {}],
  ['202', { status: 202, json: { queued: true } }, { queued: true }],
  ['its id as a number', { json: { _id: 7 } }, {}],
]

describe.each(['PATCH tool', 'the declared update of assistants'] as const)('%s', name => {
  test.each(answers)(
    'a response with %s succeeds, and the id is that of the request',
    async (_, answer, fields) => {
      expect(await answered(name, answer)).toEqual({ record: { ...fields, _id: '7' }, warnings: [] })
    },
  )

  test.each([['8'], [8]])('the record of another id, %j, is reported', async other => {
    const { record, warnings } = await answered(name, { json: { _id: other } })
    expect(record).toEqual({ _id: '8' })
    expect(warnings).toEqual(['PATCH of 7 returned the record of 8'])
  })

  test('a page is not a response of the service', async () => {
    const page = { body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }
    await expect(answered(name, page)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

test.each(answers)('PUT faq succeeds with response %s', async (_, answer) => {
  expect((await answered('PUT faq', answer)).warnings).toEqual([])
})
