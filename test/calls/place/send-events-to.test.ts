import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sendEventsTo } from '../../../src/calls/place/index.ts'

const url = 'http://127.0.0.1:4011/x'

test('events are sent to the listener, whatever the assistant has; the rest of the body stays', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (assistant, metadata) => {
      const { body } = sendEventsTo({ assistant, metadata }, url)
      expect(body).toMatchObject({ metadata, assistant: { assistantServer: { url } } })
    }),
  )
})

test.each([
  [{ url: 'https://example.com/hook?token=s', timeoutSeconds: 5 }, 'https://example.com/hook', 0],
  [{ url: 'https://example.com/hook', enabled: false }, undefined, 0],
  [{ url: 'not a URL' }, undefined, 0],
  [{ messages: ['conversation-update'] }, undefined, 1],
  [{ messages: ['status-update'] }, undefined, 0],
])('of the assistantServer %j replaces %s with %i warnings', (assistantServer, replaced, count) => {
  const sent = sendEventsTo({ assistant: { assistantServer } }, url)
  expect(sent.replaced).toBe(replaced)
  expect(sent.warnings).toHaveLength(count)
  const { enabled, ...rest } = assistantServer as { enabled?: boolean }
  expect(sent.body).toEqual({
    assistant: { assistantServer: { ...rest, url, enabled: enabled === false ? true : enabled } },
  })
})
