import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConf } from '../../../../src/service/profile/index.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { startCommand } from '../../../helpers/start-command.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const { saveProfile } = await loadConf()

const start = ['sandbox', 'start', '--in-memory', '--port', '0']
const named = [...start, '--save-profile', 'sandbox']

async function configFolder() {
  const config = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: config }
  const stored = async (): Promise<unknown> =>
    JSON.parse(await readFile(join(config, 'config.json'), 'utf8').catch(() => '{}'))
  return { env, stored }
}

/** A sandbox that runs until it is stopped. */
async function running(env: Readonly<Record<string, string>>, command: readonly string[]) {
  const sandbox = startCommand(await testCli({}, { env }), [...command, '--json'])
  const [ready = ''] = await sandbox.printed(/^\{.*\}$/m)
  return { ready: JSON.parse(ready), stop: () => sandbox.end() }
}

test.each([[start], [['sandbox', 'start', '--port', '0', '--data', 'records.ndjson']]])(
  '%j saves no profile',
  async command => {
    const { env, stored } = await configFolder()
    const sandbox = await running(env, command)
    expect(await stored()).toEqual({})
    await sandbox.stop()
    expect(await stored()).toEqual({})
  },
)

test('--save-profile saves a profile while the sandbox runs, and selects it if none is selected', async () => {
  const { env, stored } = await configFolder()
  const { ready, stop } = await running(env, [...start, '--save-profile', 'desk'])
  const { baseUrl, apiKey } = ready
  expect(await stored()).toMatchObject({ current: 'desk', profiles: { desk: { baseUrl, apiKey } } })
  const shown = await (await testCli({}, { env })).run('profile', 'show', 'desk', '--json')
  expect(shown.stdout).not.toContain(apiKey)
  expect(await stop()).toMatchObject({ exitCode: 0 })
  expect(await stored()).toEqual({ profiles: {} })
})

test('restores the previous profile and selection at its end', async () => {
  const { env, stored } = await configFolder()
  await saveProfile(env, 'work', { baseUrl: 'https://calls.example.com', apiKey: 'key-of-work' })
  await saveProfile(env, 'sandbox', { baseUrl: 'http://127.0.0.1:4010', apiKey: 'key-of-before' })
  const before = await stored()
  const { ready, stop } = await running(env, named)
  expect(await stored()).toMatchObject({
    current: 'work',
    profiles: { sandbox: { baseUrl: ready.baseUrl } },
  })
  const { stderr } = await stop()
  expect(stderr).toContain('replaces that of http://127.0.0.1:4010')
  expect(await stored()).toEqual(before)
})

test('restores the profile after two sandboxes with the same name, whichever ends first', async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    const { env, stored } = await configFolder()
    const both = [await running(env, named), await running(env, named)]
    const [first, last] = order.map(at => both[at])
    await first?.stop()
    expect(await stored()).toMatchObject({
      current: 'sandbox',
      profiles: { sandbox: { baseUrl: last?.ready.baseUrl } },
    })
    await last?.stop()
    expect(await stored()).toEqual({ profiles: {} })
  }
})

test('keeps what a person saved under the name meanwhile', async () => {
  const { env, stored } = await configFolder()
  const { stop } = await running(env, named)
  const own = { baseUrl: 'https://calls.example.com', apiKey: 'key-of-work' }
  await saveProfile(env, 'sandbox', own)
  await stop()
  expect(await stored()).toEqual({ current: 'sandbox', profiles: { sandbox: own } })
})

test.each([['https://sandbox.example.com/v1'], ['not a URL']])(
  'keeps a profile of %s whose key would be lost, and rejects that name',
  async baseUrl => {
    const { env, stored } = await configFolder()
    await saveProfile(env, 'sandbox', { baseUrl, apiKey: 'key-of-a-person' })
    const before = await stored()
    const cli = await testCli({}, { env })
    const result = await cli.run(...named)
    expect(result).toMatchObject({ exitCode: 9, stdout: '' })
    expect(result.stderr).toContain(`profile sandbox belongs to ${baseUrl} and was not changed`)
    expect(await stored()).toEqual(before)
  },
)
