import { expect, onTestFinished, test } from 'vitest'
import { type Api, createApi } from '../../../src/service/api/index.ts'
import { encodeAs } from '../../helpers/encode-as.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { startStubApi } from '../../helpers/stub-api.ts'

const faq = [{ id: 'f1', question: 'q', answer: 'a' }]
const kb = '/kb/v1/knowledge-bases/k1/faq-template'

const requests: readonly (readonly [string, string, unknown, (api: Api) => Promise<unknown>])[] = [
  ['POST', '/calls/v1/conversations', { sid: 's1' }, api => api.startCall({})],
  ['POST', '/calls/v1/conversations/connect', { id: 'c1' }, api => api.connectCall({})],
  ['POST', '/assistants/v1/assistants', { _id: 'a1' }, api => api.createAssistant({})],
  ['POST', '/assistants/v1/tools', { _id: 't1' }, api => api.createTool({})],
  ['PATCH', '/assistants/v1/tools/t1', { _id: 't1' }, api => api.updateTool('t1', {})],
  ['POST', kb, { faq }, api => api.insertFaq('k1', [{ question: 'q', answer: 'a' }])],
  ['PUT', kb, { faq }, api => api.updateFaq('k1', faq)],
]

/** JSON with a letter that is not ASCII, in other encodings than UTF-8. */
const encodings: readonly ((text: string) => {
  readonly body: Buffer
  readonly headers?: Record<string, string>
})[] = [
  text => ({ body: Buffer.from(`\ufeff${text}`) }),
  text => ({ body: Buffer.from(`\ufeff${text}`, 'utf16le') }),
  text => ({
    body: Buffer.from(text, 'utf16le'),
    headers: { 'content-type': 'application/json; charset=utf-16le' },
  }),
  text => ({
    body: Buffer.from(text, 'utf16le').swap16(),
    headers: { 'content-type': 'application/json; charset="UTF-16BE"' },
  }),
  text => ({
    body: encodeAs(text, 'windows-1250'),
    headers: { 'content-type': 'application/json; charset=cp1250' },
  }),
]

test.each(requests)(
  '%s %s is read in the encoding of its mark or charset',
  async (method, path, json, send) => {
    const stub = await startStubApi()
    const api = createApi({
      connect: async () => ({ baseUrl: stub.baseUrl, apiKey: 'key-of-the-test' }),
      timeoutMs: 10_000,
      clock: realClock,
      signal: new AbortController().signal,
      env: {},
    })
    onTestFinished(async () => {
      await api.close()
      await stub.close()
    })
    for (const encode of encodings) {
      const content = { name: 'Łukasz', ...(json as object) }
      stub.answer(method, path, encode(JSON.stringify(content)))
      expect(await send(api)).toMatchObject(json as object)
    }
  },
)
