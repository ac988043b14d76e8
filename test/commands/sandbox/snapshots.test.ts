import { mkdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../helpers/test-cli.ts'

/** The environment leads to no service: what is there is the journal. */
const nowhere = { CALLWRIGHT_BASE_URL: '', CALLWRIGHT_API_KEY: '' }

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
        CALLWRIGHT_BASE_URL: baseUrl,
        CALLWRIGHT_API_KEY: apiKey,
        CALLWRIGHT_SANDBOX_TOKEN: controlToken,
      },
    },
  )
  return { cli, sandbox }
}

test('the records of a sandbox that runs go into a file without a key, for its owner alone, and back', async () => {
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
  'the answer %s is no snapshot: none is written',
  async answer => {
    const { origin } = await listenOnLoopback(createServer((_, response) => response.end(answer)))
    const env = { CALLWRIGHT_BASE_URL: origin, CALLWRIGHT_API_KEY: 'k', CALLWRIGHT_SANDBOX_TOKEN: 't' }
    const cli = await testCli({}, { env })
    const refused = await cli.run('sandbox', 'export', '-')
    expect(refused).toMatchObject({ exitCode: 6, stdout: '' })
    expect(refused.stderr).toContain('did not return a snapshot')
  },
)

test('a file that is there is replaced with --force alone, and a folder never', async () => {
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

test('records that are there are replaced with --force, or by a person who says so', async () => {
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
  expect(await cli.run('sandbox', 'import', 'desk.json', '--force')).toMatchObject({ exitCode: 0 })
  expect(sandbox.first.snapshot()).toEqual(before)
})

test('where none runs, the records are those of the journal; one that is in use is not touched', async () => {
  const cli = await testCli({}, { env: nowhere })
  expect(await cli.run('sandbox', 'export', 'desk.json')).toMatchObject({ exitCode: 2 })
  const missing = await cli.run('sandbox', 'export', 'desk.json', '--data', 'missing.ndjson')
  expect(missing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/cannot read the records missing\.ndjson/),
  })
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
  expect(await cli.run('sandbox', 'export', '-', ...journal)).toMatchObject({ exitCode: 9, stdout: '' })
})

test.each([
  ['{', 'is not JSON'],
  ['[]', 'not a sandbox snapshot'],
  ['{"format":"callwright-sandbox","version":2}', 'version is 2'],
  ['{"format":"another"}', 'format is "another"'],
])('import of %s says what is wrong, and changes nothing', async (text, message) => {
  const cli = await testCli({ 'bad.json': text }, { env: nowhere })
  const refused = await cli.run('sandbox', 'import', 'bad.json')
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(refused.stderr).toContain(message)
})

test('a running sandbox refuses what is no snapshot by the name of the file', async () => {
  const { cli } = await running()
  const refused = await cli.runWith({ input: '[]' }, 'sandbox', 'import', '-', '--force')
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
  expect(refused.stderr).toContain('error: stdin is not a sandbox snapshot: ')
})

test('a sandbox begins with a snapshot, and writes one at its end; a reset leads back to the snapshot', async () => {
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

test('what cannot be written at the end, or read at the beginning, is said before anything starts', async () => {
  const cli = await testCli({ 'bad.json': '{}' }, { env: nowhere })
  const start = ['sandbox', 'start', '--in-memory', '--port', '0']
  const lost = await cli.run(...start, '--snapshot-on-exit', 'no-folder/end.json')
  expect(lost).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('no-folder/end.json'),
  })
  expect(await cli.run(...start, '--snapshot', 'missing.json')).toMatchObject({ exitCode: 2, stdout: '' })
  expect(await cli.run(...start, '--snapshot', 'bad.json')).toMatchObject({ exitCode: 3, stdout: '' })
})

test('only an empty sandbox begins with a snapshot or a project', async () => {
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
