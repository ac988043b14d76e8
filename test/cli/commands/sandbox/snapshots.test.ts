import { mkdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/index.ts'
import { listenOnLoopback } from '../../../helpers/loopback.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

/** The environment leads to no service: what is there is the journal. */
const nowhere = { CALLYARD_BASE_URL: '', CALLYARD_API_KEY: '' }

/** A sandbox that the environment leads to, with one tool in it. */
async function running(): Promise<{ cli: TestCli; sandbox: Sandbox }> {
  const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
  onTestFinished(() => sandbox.close())
  await sandbox.first.resources.createTool({ type: 'function', function: { name: 'book' } })
  const { baseUrl, apiKey, controlToken } = sandbox
  const cli = await testCli(
    {},
    {
      env: {
        CALLYARD_BASE_URL: baseUrl,
        CALLYARD_API_KEY: apiKey,
        CALLYARD_SANDBOX_TOKEN: controlToken,
      },
    },
  )
  return { cli, sandbox }
}

test('exports a running sandbox’s records into a file without a key, readable only by its owner, and imports them', async () => {
  const { cli, sandbox } = await running()
  const exported = await cli.run('sandbox', 'export', 'desk.json')
  expect(exported).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Wrote desk\.json: 1 tool of the sandbox at http:/),
  })
  const text = await cli.read('desk.json')
  expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(sandbox.first.snapshot()))
  expect(text).not.toContain(sandbox.apiKey)
  expect((await stat(join(cli.folder, 'desk.json'))).mode & 0o777).toBe(0o600)

  await sandbox.first.reset()
  const imported = await cli.run('sandbox', 'import', 'desk.json', '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ file: 'desk.json', entries: 1 })
  expect(JSON.stringify(sandbox.first.snapshot())).toBe(JSON.stringify(JSON.parse(text)))
})

test.each(['{"format":"another"}', 'null', '<p>'])(
  'writes no file for the response %s, which is not a snapshot',
  async answer => {
    const { origin } = await listenOnLoopback(createServer((_, response) => response.end(answer)))
    const env = { CALLYARD_BASE_URL: origin, CALLYARD_API_KEY: 'k', CALLYARD_SANDBOX_TOKEN: 't' }
    const cli = await testCli({}, { env })
    const refused = await cli.run('sandbox', 'export', '-')
    expect(refused).toMatchObject({ exitCode: 6, stdout: '' })
    expect(refused.stderr).toContain('did not return a snapshot')
  },
)

test('replaces an existing file only with --force, and never a folder', async () => {
  const { cli } = await running()
  await writeFile(join(cli.folder, 'there.json'), 'mine')
  await mkdir(join(cli.folder, 'folder'))
  const refused = await cli.run('sandbox', 'export', 'there.json')
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--force') })
  expect(await cli.read('there.json')).toBe('mine')
  expect(await cli.run('sandbox', 'export', 'there.json', '--force')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('sandbox', 'export', 'folder', '--force')).toMatchObject({ exitCode: 2 })
  expect(await cli.run('sandbox', 'export', 'no-folder/desk.json')).toMatchObject({ exitCode: 2 })
})

test('- is stdout and stdin', async () => {
  const { cli, sandbox } = await running()
  const { stdout, exitCode } = await cli.run('sandbox', 'export', '-')
  expect(exitCode).toBe(0)
  await sandbox.first.reset()
  expect(await cli.runWith({ input: stdout }, 'sandbox', 'import', '-')).toMatchObject({ exitCode: 0 })
  expect(sandbox.first.snapshot()).toEqual(JSON.parse(stdout))
})

test('replaces existing records with --force or after a confirmation', async () => {
  const { cli, sandbox } = await running()
  await cli.run('sandbox', 'export', 'desk.json')
  const before = sandbox.first.snapshot()
  expect(await cli.run('sandbox', 'import', 'desk.json')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('holds 1 tool'),
  })
  cli.type('n')
  expect(await cli.run('sandbox', 'import', 'desk.json')).toMatchObject({ exitCode: 130 })
  cli.type('y')
  expect(await cli.run('sandbox', 'import', 'desk.json')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('sandbox', 'import', 'desk.json', '--yes')).toMatchObject({ exitCode: 0 })
  expect(sandbox.first.snapshot()).toEqual(before)
})

test('uses the journal’s records if no sandbox runs, and does not touch one in use', async () => {
  const cli = await testCli({}, { env: nowhere })
  expect(await cli.run('sandbox', 'export', 'desk.json')).toMatchObject({ exitCode: 2 })
  const missing = await cli.run('sandbox', 'export', 'desk.json', '--data', 'missing.ndjson')
  expect(missing.stderr).not.toContain('no sandbox runs')
  const { sandbox } = await running()
  await writeFile(join(cli.folder, 'desk.json'), JSON.stringify(sandbox.first.snapshot()))
  expect(await cli.run('sandbox', 'import', 'desk.json')).toMatchObject({ exitCode: 0 })
  const journal = ['--data', 'other.ndjson']
  expect(await cli.run('sandbox', 'import', 'desk.json', ...journal)).toMatchObject({ exitCode: 0 })
  expect((await cli.run('sandbox', 'export', 'again.json')).stdout).toContain('1 tool')
  expect((await cli.run('sandbox', 'export', '-', ...journal)).stdout).toContain('"book"')

  const data = join(cli.folder, 'other.ndjson')
  const other = await startSandbox({ port: 0, pace: 1, clock: realClock, data })
  onTestFinished(() => other.close())
  const inUse = await cli.run('sandbox', 'export', '-', ...journal)
  expect(inUse).toMatchObject({ exitCode: 9, stdout: '' })
  expect(inUse.stderr).toContain('stop it, or pass another file with --data\n')
})

test.each([
  ['{', 'is not JSON'],
  ['[]', 'not a sandbox snapshot'],
  ['{"format":"callyard-sandbox","version":2}', 'version is 2'],
  ['{"format":"another"}', 'format is "another"'],
])('import of %s reports the error and changes nothing', async (text, message) => {
  const cli = await testCli({ 'bad.json': text }, { env: nowhere })
  const refused = await cli.run('sandbox', 'import', 'bad.json')
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(refused.stderr).toContain(message)
})

test('a running sandbox rejects a file that is not a snapshot by name', async () => {
  const { cli } = await running()
  const refused = await cli.runWith({ input: '[]' }, 'sandbox', 'import', '-', '--yes')
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(refused.stderr).toContain('error: stdin is not a sandbox snapshot: ')
})

test('a sandbox starts from a snapshot, writes one at its end, and resets to it', async () => {
  const { cli, sandbox } = await running()
  await cli.run('sandbox', 'export', 'desk.json')
  const stopped = { signal: AbortSignal.abort('SIGTERM') }
  const start = ['sandbox', 'start', '--in-memory', '--port', '0', '--pace', '0']
  const ran = await cli.runWith(
    stopped,
    ...start,
    '--snapshot',
    'desk.json',
    '--snapshot-on-exit',
    'end.json',
  )
  expect(ran).toMatchObject({ exitCode: 0 })
  const end = JSON.parse(await cli.read('end.json'))
  expect(end.entries).toHaveLength(1)
  expect(end.ids).toEqual(sandbox.first.snapshot().ids)
  expect((await stat(join(cli.folder, 'end.json'))).mode & 0o777).toBe(0o600)
})

test('reports what cannot be read or written before anything starts', async () => {
  const cli = await testCli({ 'bad.json': '{}' }, { env: nowhere })
  const start = ['sandbox', 'start', '--in-memory', '--port', '0']
  const lost = await cli.run(...start, '--snapshot-on-exit', 'no-folder/end.json')
  expect(lost).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('no-folder/end.json'),
  })
  expect(await cli.run(...start, '--snapshot', 'missing.json')).toMatchObject({ exitCode: 3, stdout: '' })
  expect(await cli.run(...start, '--snapshot', 'bad.json')).toMatchObject({ exitCode: 3, stdout: '' })
})

test('only an empty sandbox accepts a snapshot or a project at its start', async () => {
  const { cli } = await running()
  await cli.run('sandbox', 'export', 'desk.json')
  const stopped = { signal: AbortSignal.abort('SIGTERM') }
  const start = ['sandbox', 'start', '--port', '0', '--data', 'kept.ndjson', '--snapshot', 'desk.json']
  expect(await cli.runWith(stopped, ...start)).toMatchObject({ exitCode: 0 })
  expect(await cli.runWith(stopped, ...start)).toMatchObject({
    exitCode: 9,
    stdout: '',
    stderr: expect.stringContaining('has records already'),
  })
})
