import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { startBuiltSandbox } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

/** A text, by references that double at each of 40 steps. */
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `d${index}`,
    index === 39 ? { type: 'string' } : { allOf: Array(2).fill({ $ref: `#/$defs/d${index + 1}` }) },
  ]),
)

test('a schema whose check never ends blocks no other call, request or signal', async () => {
  const folder = await temporaryFolder()
  const settings = { cwd: folder, env: { CALLYARD_CONFIG_DIR: folder } }
  const { child, stream, baseUrl, apiKey } = await startBuiltSandbox(['--in-memory'], settings)
  const call = async (code: object) => {
    const schema = { type: 'object', $defs: doubling, properties: { code } }
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
  await call({ $ref: '#/$defs/d0' })
  await call({ type: 'string', pattern: '^(a+)+b' })
  await call({ type: 'string', pattern: '^a+!$' })
  let finished = 0
  let unchecked = 0
  for await (const line of stream) {
    if (line.includes('"finished"')) finished += 1
    if (line.includes('checking it is too much work')) unchecked += 1
    if (finished >= 3 && unchecked >= 1) break
  }
  child.kill('SIGINT')
  expect(await child).toMatchObject({ exitCode: 0 })
})

/** A chat in a terminal with an assistant whose check of the caller's address never ends. */
async function startChat() {
  const cwd = await temporaryFolder()
  await writeFile(
    join(cwd, 'desk.yaml'),
    `name: Desk
welcomeMessage: Hello
assistantPredefinedTools: { endCall: true }
endCallPhrases: [goodbye]
assistantAnalysis:
  summary: { enabled: true }
  structuredData:
    enabled: true
    schema:
      type: object
      $defs: ${JSON.stringify(doubling)}
      properties: { address: { type: string, format: email, allOf: [{ $ref: '#/$defs/d0' }] } }
`,
  )
  const env = { CALLYARD_CONFIG_DIR: join(cwd, '.config') }
  const chat = startInTerminal(['call', 'chat', 'desk.yaml'], { cwd, env })
  await chat.shows(/Hello/)
  chat.type(`I am ${'a'.repeat(45)}@example.com\r`)
  await chat.shows(/user .*@example\.com[\s\S]*assistant/)
  return chat
}

test('a chat reports why the analysis has no data, and continues', async () => {
  const chat = await startChat()
  chat.type('goodbye\r')
  await chat.shows(/schema of the structured data cannot be used: checking it is too/)
  await chat.shows(/summary/)
  chat.type('/restart\r')
  await chat.shows(/finished[\s\S]*ongoing/)
  chat.type('\x03')
  expect(await chat.exitCode).toBe(130)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a chat whose check never ends', async signal => {
  const chat = await startChat()
  chat.kill(signal)
  await chat.shows(/finished · ended by user/)
  expect(await chat.exitCode).toBe(130)
})
