import { expect, test } from 'vitest'
import { createConnections } from '../../../src/service/api/connections.ts'

/** Connections on a clock that the test moves, of which one was seen to stay open. */
function trusted() {
  let now = 0
  const connections = createConnections({ now: () => now })
  connections.open().done()
  connections.open().done()
  now = 200
  return connections
}

test('a connection that this side closes after its idle time stays trusted, also after a slow response', () => {
  const connections = trusted()
  const slow = connections.open()
  expect(slow.isShared).toBe(true)
  connections.onClose()
  slow.done()
  connections.onClose()
  expect(connections.open().isShared).toBe(true)
})

test('shares no connection after the server closed one silently', () => {
  const connections = trusted()
  connections.onUnexpectedClose()
  expect(connections.open().isShared).toBe(false)
})
