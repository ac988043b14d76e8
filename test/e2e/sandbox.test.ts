import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { startBuiltSandbox } from '../helpers/run-bin.ts'
import { cliIn } from '../helpers/test-cli.ts'

async function startSandbox(folder: string, ...flags: string[]) {
  const env = { CALLYARD_CONFIG_DIR: join(folder, 'config') }
  const sandbox = await startBuiltSandbox(['--save-profile', 'sandbox', ...flags], { cwd: folder, env })
  const inFolder = await cliIn(folder, { ...env, CALLYARD_PROFILE: 'sandbox' })
  return { ...sandbox, inFolder, run: (...argv: string[]) => inFolder(argv) }
}

test('every command works against the sandbox with just its profile', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'desk.yaml'), 'name: Desk\n')
  await writeFile(join(folder, 'tool.yaml'), 'type: function\nfunction: { name: book }\n')
  await writeFile(join(folder, 'change.yaml'), 'async: true\n')
  await writeFile(join(folder, 'faq.yaml'), 'faq:\n  - question: When?\n    answer: Now.\n')
  const { run, inFolder, child } = await startSandbox(folder, '--in-memory')

  const tool = JSON.parse((await run('tool', 'create', 'tool.yaml', '--json')).stdout)
  expect(tool).toMatchObject({ type: 'function', async: false })
  expect(JSON.parse((await run('tool', 'update', tool._id, 'change.yaml', '--json')).stdout)).toMatchObject({
    async: true,
  })
  expect(await run('faq', 'push', 'faq.yaml', '--kb', 'kb1')).toMatchObject({ exitCode: 0 })
  expect(await readFile(join(folder, 'faq.yaml'), 'utf8')).toMatch(
    /^faq:\n {2}- id: \S+\n {4}question: When\?\n {4}answer: Now\.\n$/,
  )
  const assistant = JSON.parse((await run('assistant', 'create', 'desk.yaml', '--json')).stdout)
  expect(assistant).toMatchObject({ name: 'Desk', welcomeMessage: 'hi', idleTimeout: 30 })
  const call = await run('call', 'start', '--from', '+12025550100', '--to', '+12025550123', '--json')
  expect(JSON.parse(call.stdout).sid).toMatch(/^CC-[0-9a-f-]{36}$/)
  const connected = await run('call', 'connect', '--phone-number-id', 'p1', '--to', '+12025550123', '--json')
  expect(JSON.parse(connected.stdout)).toMatchObject({
    status: 'queued',
    assistantId: assistant._id,
    phoneNumberId: 'p1',
  })
  const raw = await run('api', 'POST', '/assistants/v1/tools', '--body', '{"type":"function"}', '--json')
  expect(JSON.parse(raw.stdout)).toMatchObject({ type: 'function' })

  expect(await run('tool', 'update', 'nobody', 'change.yaml')).toMatchObject({ exitCode: 5, stdout: '' })
  const denied = await inFolder(['tool', 'create', 'tool.yaml'], {
    env: { CALLYARD_API_KEY: 'wrong-key-1234' },
  })
  expect(denied).toMatchObject({ exitCode: 4, stdout: '' })
  expect(denied.stderr).not.toContain('wrong-key-1234')

  child.kill('SIGTERM')
  expect((await child).exitCode).toBe(0)
})

test('records and the key survive a kill -9', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'tool.yaml'), 'type: function\n')
  await writeFile(join(folder, 'change.yaml'), 'async: true\n')
  const first = await startSandbox(folder, '--data', 'sandbox.ndjson')
  const { _id } = JSON.parse((await first.run('tool', 'create', 'tool.yaml', '--json')).stdout)
  first.child.kill('SIGKILL')
  await first.child

  const second = await startSandbox(folder, '--data', 'sandbox.ndjson')
  expect(second.apiKey).toBe(first.apiKey)
  expect(await second.run('tool', 'update', _id, 'change.yaml')).toMatchObject({ exitCode: 0 })
})
