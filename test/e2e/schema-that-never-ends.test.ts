import { expect, test } from 'vitest'
import { lines, startBin, temporaryFolder } from '../helpers/run-bin.ts'

test('a schema whose check never ends holds up no other call, no request and no signal', async () => {
  const folder = await temporaryFolder()
  const sandbox = startBin(['sandbox', 'start', '--port', '0', '--pace', '0', '--memory', '--json'], {
    cwd: folder,
    env: { CALLWRIGHT_CONFIG_DIR: folder },
  })
  const events = lines(sandbox.stdout)
  const { baseUrl, apiKey } = JSON.parse((await events.next()).value ?? '')
  const call = async (pattern: string) => {
    const schema = { type: 'object', properties: { code: { type: 'string', pattern } } }
    const answer = await fetch(`${baseUrl}/calls/v1/conversations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        userNumber: '+12025550123',
        assistantNumber: '+12025550100',
        assistant: { name: 'Desk', assistantAnalysis: { structuredData: { enabled: true, schema } } },
        metadata: { caller: ['Goodbye'], code: `${'a'.repeat(60)}!` },
      }),
    })
    expect(answer.status).toBe(200)
  }
  await call('^(a+)+$')
  await call('^(a+)+b')
  await call('^a+!$')
  let finished = 0
  let unchecked = 0
  for await (const line of events) {
    if (line.includes('"finished"')) finished += 1
    if (line.includes('longer than a second')) unchecked += 1
    if (finished >= 3 && unchecked >= 1) break
  }
  // The check of the second one may still run.
  sandbox.kill('SIGINT')
  expect(await sandbox).toMatchObject({ exitCode: 0 })
})
