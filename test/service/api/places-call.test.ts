import { expect, test } from 'vitest'
import { placesCall, writesBelowCalls } from '../../../src/service/api/index.ts'

const start = '/calls/v1/conversations'
const request = (path: string, method = 'POST') => ({
  method,
  url: new URL(`https://calls.example.com${path}`),
})

const disguises = [
  ...[start, `${start}/`, `${start}/connect`, `/voice${start}`, start.toUpperCase(), `/${start}`],
  ...[`${start};x`, `${start};x=1/connect`, `${start}%20`, `${start}%00`, `${start}.json`, `${start}%3Fx`],
  ...[`${start}%23x`, `${start}%253Fx`, `${start}%2525253Bx`, `${start}/x%252f%252e%252e`],
  ...['/calls%2Fv1%2Fconversations', '/calls%252Fv1/conversations', '/%63alls/v1/conversations'],
  ...['/calls;a/v1;b/conversations', '/calls\\v1\\conversations', '/x/%2e%2e/calls/v1/conversations'],
  ...['/calls/v1/x/..%2fconversations', '/%09calls/v1/conversations', '/calls/v1/%00/conversations'],
]

test.each(disguises)('a POST to %s may place a call', path => {
  expect(placesCall(request(path))).toBe(true)
  expect(writesBelowCalls(request(path))).toBe(true)
  expect(writesBelowCalls(request(path, 'PUT'))).toBe(true)
  expect(writesBelowCalls(request(path, 'GET'))).toBe(false)
})

test.each([
  '/calls/v2/conversations',
  '/calls/v1/conversations/CC-1/control',
  '/calls/v1/..%2f..%2fassistants',
])('a write to %s is below /calls/, without a call that is known', path => {
  expect(writesBelowCalls(request(path, 'PATCH'))).toBe(true)
  expect(placesCall(request(path))).toBe(false)
})

test.each(['/assistants/v1/assistants', '/kb/v1/knowledge-bases/calls-faq/faq-template', '/recalls/v1/x'])(
  'a write to %s is not below /calls/',
  path => {
    expect(placesCall(request(path))).toBe(false)
    expect(writesBelowCalls(request(path))).toBe(false)
  },
)
