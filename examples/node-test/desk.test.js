import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CallyardError, startSandbox } from 'callyard/sandbox'

const project = fileURLToPath(new URL('../desk', import.meta.url))
const sandbox = await startSandbox({ project })
after(() => sandbox.close())

// Worlds see nothing of each other: these tests run side by side.
describe('front desk', { concurrency: true }, () => {
  for (const [outcome, to] of [
    ['busy', '+12025550181'],
    ['no-answer', '+12025550182'],
  ]) {
    test(`a phone that is ${outcome} has no conversation`, async () => {
      const world = await sandbox.world()
      const call = await world.call({ assistant: 'front-desk', to })
      assert.equal(call.phoneCallStatus, outcome)
      assert.deepEqual([...call.transcript], [])
      assert.equal(world.calls().length, 1)
      await world.close()
    })
  }

  test('an app under test talks to the service over HTTP', async () => {
    const world = await sandbox.world()
    const answer = await fetch(`${world.baseUrl}/calls/v1/conversations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        userNumber: '+12025550123',
        assistantNumber: '+12025550100',
        assistantId: world.ids['assistant/front-desk'],
        metadata: { caller: ['Where is the workshop?', 'Goodbye'] },
      }),
    })
    const { sid } = await answer.json()
    await world.idle()
    const call = world.calls().find(({ id }) => id === sid)
    assert.match(String(call?.transcript), /12 Canal Street/)
    assert.equal(world.requests({ path: '/calls' }).length, 1)
    await world.close()
  })
})

test('a mistyped name is an error that says what was meant', async () => {
  await assert.rejects(sandbox.call({ assistant: 'frontdesk' }), error => {
    assert.ok(error instanceof CallyardError)
    assert.equal(error.field, 'assistant')
    assert.match(error.message, /did you mean front-desk\?/)
    return true
  })
})
