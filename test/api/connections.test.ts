import { Agent, ClientRequest } from 'node:http'
import { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createConnections } from '../../src/api/connections.ts'

/** An agent whose sockets the test frees and closes. */
class ManualAgent extends Agent {
  override reuseSocket() {}
}

test('a connection that the agent closes after its idle time stays trusted, also after a slow response', () => {
  const agents: Agent[] = []
  let now = 0
  const connections = createConnections(
    settings => {
      const agent = new ManualAgent(settings)
      // Its own listeners destroy sockets that are not connected.
      agent.removeAllListeners('free')
      agents.push(agent)
      return agent
    },
    { now: () => now },
  )
  onTestFinished(() => connections.destroy())
  const [shared] = agents
  const socket = new Socket()
  shared?.emit('free', socket)
  connections.open().done()
  now = 200
  expect(connections.open().agent).toBe(shared)
  shared?.reuseSocket(socket, Object.create(ClientRequest.prototype))
  socket.emit('timeout')
  shared?.emit('free', socket)
  socket.emit('timeout')
  socket.emit('close')
  expect(connections.open().agent).toBe(shared)
})
