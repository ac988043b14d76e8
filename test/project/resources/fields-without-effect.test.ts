import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fieldsWithoutEffect } from '../../../src/project/resources/index.ts'
import { testCli } from '../../helpers/test-cli.ts'

const desk = `name: Desk
assistantType: workflow_based
assistantOutcome: [{ type: text, field: reason }]
smsConfiguration: { enabled: true }
persistHistory: { enabled: true, sms: true }
assistantBackchannelingEnabled: true
welcomeMessage: This call is recorded.
assistantOverrides: { recordingEnabled: true, recordingPath: calls }
`
const plain = `name: Plain
assistantType: single_prompt
assistantOutcome: []
smsConfiguration: { enabled: false }
persistHistory: { enabled: true, sms: false }
assistantBackchannelingEnabled: false
assistantOverrides: { recordingEnabled: false }
`

test('validate names the assistants with fields that have no effect offline', async () => {
  const cli = await testCli({ 'assistants/desk.yaml': desk, 'assistants/plain.yaml': plain })
  const { exitCode, stderr } = await cli.run('validate', '.')
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `Without effect in the sandbox, chats and tests: ${fieldsWithoutEffect.join(', ')} (assistants/desk.yaml)\n`,
  })
  const json = await cli.run('validate', '.', '--json')
  expect(JSON.parse(json.stdout).withoutEffect).toEqual([
    { file: 'assistants/desk.yaml', fields: fieldsWithoutEffect },
  ])
})

test('the help of the sandbox names each of them', async () => {
  const topic = await readFile('src/cli/commands/help/topics/sandbox-fields.txt', 'utf8')
  const [, list = ''] = topic.split('FIELDS WITHOUT EFFECT')
  expect(fieldsWithoutEffect.filter(name => !list.includes(name))).toEqual([])
})
