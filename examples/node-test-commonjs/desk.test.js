const assert = require('node:assert/strict')
const { join } = require('node:path')
const { after, test } = require('node:test')
const { startSandbox } = require('callyard/sandbox')

test('goes on from a snapshot', async () => {
  const sandbox = await startSandbox({ project: join(__dirname, '../desk'), env: {} })
  after(() => sandbox.close())
  const first = await sandbox.call({ assistant: 'front-desk', caller: ['Where is the workshop?', 'Goodbye'] })
  const saved = await sandbox.snapshot()
  const next = await sandbox.call({ assistant: 'front-desk', caller: 'Goodbye' })
  await sandbox.restore(saved)
  assert.deepEqual(
    sandbox.calls().map(({ id }) => id),
    [first.id],
  )
  const again = await sandbox.call({ assistant: 'front-desk', caller: 'Goodbye' })
  assert.equal(again.id, next.id)
})
