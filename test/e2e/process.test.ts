import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { bin, runBin, startBin } from '../helpers/run-bin.ts'
import { startStubApi } from '../helpers/stub-api.ts'
import { cliIn } from '../helpers/test-cli.ts'

test.each(everyCase ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT'] as const))(
  '%s ends a command that waits for an open pipe',
  async signal => {
    const folder = await temporaryFolder()
    // More than a pipe holds: once all is written, the command has begun to read, and waits for more.
    const beginning = ' '.repeat(1024 * 1024)
    const child = execa(process.execPath, [bin, 'api', 'POST', '/x', '--body', '@-'], {
      cwd: folder,
      reject: false,
      stdin: 'pipe',
      env: {
        CALLYARD_CONFIG_DIR: folder,
        CALLYARD_BASE_URL: 'http://127.0.0.1:9',
        CALLYARD_API_KEY: 'k',
      },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise(resolve => child.stdin.write(beginning, resolve))
    child.kill(signal)
    expect((await child).exitCode).toBe(130)
  },
)

test('ignores a byte order mark at the beginning of stdin', async () => {
  const folder = await temporaryFolder()
  const { exitCode, stderr } = await execa(
    process.execPath,
    [bin, 'api', 'POST', '/x', '--body', '@-', '--base-url', 'http://127.0.0.1:9'],
    {
      cwd: folder,
      reject: false,
      input: '\uFEFF{"a":1}',
      env: { CALLYARD_CONFIG_DIR: folder, CALLYARD_API_KEY: 'k' },
    },
  )
  // It was read, and sent to a port where nothing listens.
  expect(exitCode, stderr).toBe(6)
})

test('Ctrl-C during a POST reports an unknown outcome', async () => {
  const folder = await temporaryFolder()
  let arrived = () => {}
  const reached = new Promise<void>(resolve => {
    arrived = resolve
  })
  const server = createServer(() => arrived())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const child = startBin(
    ['call', 'start', '--yes', '--from', '+12025550100', '--to', '+12025550123', '--json'],
    {
      cwd: folder,
      env: {
        CALLYARD_CONFIG_DIR: folder,
        CALLYARD_BASE_URL: `http://127.0.0.1:${port}`,
        CALLYARD_API_KEY: 'key-of-the-test',
      },
    },
  )
  await reached
  child.kill('SIGINT')
  const { exitCode, stderr, stdout } = await child
  expect(exitCode).toBe(130)
  expect(stderr).toContain('the call may have been placed')
  expect(JSON.parse(String(stdout))).toMatchObject({ error: { kind: 'cancelled', outcome: 'unknown' } })
})

test.each([[[]], [['--json']]])(
  'a full disk under stdout prints the result to stderr and exits with 8: %j',
  async flags => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'tool.yaml'), 'type: function\n')
    const stub = await startStubApi()
    onTestFinished(() => stub.close())
    stub.answer('POST', '/assistants/v1/tools', { json: { _id: 'id-that-must-not-be-lost' } })
    const { exitCode, stderr } = await execa(
      'bash',
      ['-c', '"$0" "$@" > /dev/full', process.execPath, bin, 'tool', 'create', 'tool.yaml', ...flags],
      {
        cwd: folder,
        reject: false,
        env: {
          CALLYARD_CONFIG_DIR: folder,
          CALLYARD_BASE_URL: stub.baseUrl,
          CALLYARD_API_KEY: 'key-of-the-test',
        },
      },
    )
    expect(exitCode).toBe(8)
    expect(stderr).toContain('cannot write to stdout')
    expect(stderr).toContain('id-that-must-not-be-lost')
    expect(stderr).not.toMatch(/^ {4}at /m)
  },
)

test('a full disk under the results of tests is the only error', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'assistant.yaml'), 'name: Desk\n')
  await writeFile(
    join(folder, 'desk.test.yaml'),
    'assistant: { name: Desk }\nturns: [{ user: Hi, expect: { not: x } }]\n',
  )
  const { exitCode, stderr } = await execa(
    'bash',
    ['-c', '"$0" "$@" > /dev/full', process.execPath, bin, 'test', 'desk.test.yaml', '--json'],
    { cwd: folder, reject: false },
  )
  expect(exitCode).toBe(8)
  expect(stderr).toMatch(/^error: cannot write to stdout \(ENOSPC\)/)
  expect(stderr).not.toMatch(/cancelled/i)
})

test('a disk that fills up while stdout is written (ulimit -f) is reported with exit code 8', async () => {
  const folder = await temporaryFolder()
  const { exitCode, stderr } = await execa(
    'bash',
    ['-c', 'ulimit -f 1; "$0" "$@" > schema.json', process.execPath, bin, 'schema', 'assistant'],
    { cwd: folder, reject: false, env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
  )
  expect(exitCode).toBe(8)
  expect(stderr).toContain('cannot write to stdout')
  expect((await stat(join(folder, 'schema.json'))).size).toBe(1024)
})

test('a removed current folder is an error without a stack, and help works there', async () => {
  const folder = await temporaryFolder()
  const inRemoved = (...argv: string[]) =>
    execa(
      'bash',
      ['-c', 'mkdir gone && cd gone && rmdir ../gone && "$0" "$@"', process.execPath, bin, ...argv],
      { cwd: folder, reject: false },
    )
  expect(await inRemoved('validate', '.')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: 'error: the current folder no longer exists\nhint: change to another folder, and run again',
  })
  expect(await inRemoved('plan', '--help')).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a missing temporary folder is an error that contains its path', async () => {
  const folder = await temporaryFolder()
  const env = { TMPDIR: join(folder, 'none'), CALLYARD_CONFIG_DIR: folder }
  expect(await runBin(['demo', '--pace', '0'], { cwd: folder, env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`cannot write temporary files to ${env.TMPDIR}: no such`),
  })
})

test('a closed stderr does not stop a command', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'tool.yaml'), 'type: function\n')
  const stub = await startStubApi()
  onTestFinished(() => stub.close())
  stub.answer('POST', '/assistants/v1/tools', { json: { _id: 't1' } })
  const child = startBin(['tool', 'create', 'tool.yaml', '--debug'], {
    cwd: folder,
    env: {
      CALLYARD_CONFIG_DIR: folder,
      CALLYARD_BASE_URL: stub.baseUrl,
      CALLYARD_API_KEY: 'key-of-the-test',
    },
  })
  child.stderr?.destroy()
  expect(await child).toMatchObject({ exitCode: 0, stdout: 'Created tool t1' })
})

test('a reader that closes the pipe after one line is not an error', async () => {
  const { exitCode, stdout } = await execa('bash', [
    '-c',
    `"${process.execPath}" "${bin}" schema assistant | head -1; exit \${PIPESTATUS[0]}`,
  ])
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{' })
})

test('mistakes in the environment never print a stack', async () => {
  const folder = await temporaryFolder()
  const inFolder = await cliIn(folder, { CALLYARD_CONFIG_DIR: folder })
  for (const argv of [
    ['validate', '/dev/null', '--kind', 'tool'],
    ['validate', folder],
    ['api', 'GET', '//x'],
    ['demo', '--pace', 'NaN'],
  ]) {
    const { exitCode, stderr } = await inFolder(argv)
    expect([2, 3, 4], stderr).toContain(exitCode)
    expect(stderr).not.toMatch(/^ {4}at |a bug in callyard/m)
  }
})

test('a named pipe is an immediate error in each command that reads files', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'tools'))
  await writeFile(join(folder, 'callyard.yaml'), '{}\n')
  await writeFile(join(folder, 'assistant.yaml'), 'name: a\nwelcomeMessage: ${file:pipe}\n')
  for (const name of ['tools/pipe.yaml', 'pipe', 'pipe.yaml', 'pipe.csv'])
    await execa('mkfifo', [join(folder, name)])
  const inFolder = await cliIn(folder, {
    CALLYARD_CONFIG_DIR: folder,
    CALLYARD_BASE_URL: 'http://127.0.0.1:9',
    CALLYARD_API_KEY: 'key-of-the-test',
  })
  for (const argv of [
    ['validate', '.'],
    ['plan'],
    ['validate', 'pipe.yaml', '--kind', 'tool'],
    ['validate', 'assistant.yaml', '--kind', 'assistant'],
    ['apply', 'pipe', '--yes'],
    ['faq', 'push', 'pipe.csv', '--kb', 'kb'],
    ['api', 'POST', '/x', '--body', '@pipe'],
    ['webhook', 'show', 'pipe'],
    ['webhook', 'replay', 'pipe', '--to', 'http://127.0.0.1:9'],
    ['call', 'chat', 'assistant.yaml', '--data', 'pipe'],
  ]) {
    const { exitCode, stdout, stderr } = await inFolder(argv)
    expect([2, 3], argv.join(' ') + stderr).toContain(exitCode)
    expect(stdout + stderr, argv.join(' ')).toContain('named pipe')
  }
})

test('reads <(…) and /dev/stdin', async () => {
  const folder = await temporaryFolder()
  const script =
    'echo "type: function" | "$0" "$1" validate /dev/stdin --kind tool; "$0" "$1" validate <(sleep 0.1; echo "type: function") --kind tool'
  const { exitCode, stdout } = await execa('bash', ['-c', script, process.execPath, bin], {
    cwd: folder,
    env: { CALLYARD_CONFIG_DIR: folder },
  })
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/1 file.*\n.*1 file/),
  })
})

test('validate accepts more findings than a call accepts arguments', async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, 'faq.csv'), `question,answer\n${'When?,Now\n'.repeat(20_001)}`)
  const argv = [bin, 'validate', 'faq.csv', '--kind', 'knowledge-base']
  // Arguments are on the stack: with an eighth of the usual one, a call accepts 15,000 instead of 120,000.
  const { exitCode, stderr } = await execa(process.execPath, ['--stack-size=120', ...argv], {
    cwd,
    env: { CALLYARD_CONFIG_DIR: cwd },
    reject: false,
  })
  expect(exitCode, stderr.slice(-1000)).toBe(3)
  expect(stderr).toContain('20000 errors found')
})

/** A folder with files whose report takes several kilobytes, and a report from before. */
/** Content of an earlier report. */
const earlierReport = '<testsuites/>'

async function folderWithReport() {
  const cwd = await temporaryFolder()
  const files = Array.from({ length: 30 }, (_, index) => `tool-${index}.yaml`)
  await Promise.all(files.map(file => writeFile(join(cwd, file), 'typ: function\n')))
  await writeFile(join(cwd, 'report.xml'), earlierReport)
  return { cwd, argv: [bin, 'validate', '--out', 'report.xml', ...files] }
}

test('a disk that fills up while a file is written (ulimit -f) leaves only the old file', async () => {
  const { cwd, argv } = await folderWithReport()
  const shell = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, ...argv]
  const { stderr } = await execa('bash', shell, { cwd, reject: false })
  expect(stderr).toContain('cannot write report.xml: file too large')
  expect(await readFile(join(cwd, 'report.xml'), 'utf8')).toBe(earlierReport)
  expect((await readdir(cwd)).filter(name => !name.startsWith('tool-'))).toEqual(['report.xml'])
})

test('a disk that fills up while profiles are written (ulimit -f) leaves them unchanged', async () => {
  const cwd = await temporaryFolder()
  const profiles = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [`p${index}`, { baseUrl: 'https://x.test', apiKey: 'k' }]),
  )
  const before = JSON.stringify({ profiles })
  await writeFile(join(cwd, 'config.json'), before)
  const words = ['profile', 'use', 'p1']
  const { exitCode, stderr } = await execa(
    'bash',
    ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, bin, ...words],
    // On Node 22 and later the runtime's cache of compiled code would exceed the limit too.
    { cwd, env: { CALLYARD_CONFIG_DIR: cwd, NODE_DISABLE_COMPILE_CACHE: '1' }, reject: false },
  )
  expect(exitCode).toBe(2)
  expect(stderr).toContain('config.json: no space left on device')
  expect(await readFile(join(cwd, 'config.json'), 'utf8')).toBe(before)
  expect(await readdir(cwd)).toEqual(['config.json'])
})

test('replaces profiles atomically if the environment contains SNAP', async () => {
  const cwd = await temporaryFolder()
  const file = join(cwd, 'config.json')
  await writeFile(file, JSON.stringify({ profiles: { p1: { baseUrl: 'https://x.test', apiKey: 'k' } } }))
  const { ino } = await stat(file)
  const env = { CALLYARD_CONFIG_DIR: cwd, SNAP: '/snap/editor/1' }
  expect(await runBin(['profile', 'use', 'p1'], { cwd, env })).toMatchObject({ exitCode: 0 })
  expect((await stat(file)).ino).not.toBe(ino)
})

const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', ['-r', 'true']).status === 0

test.skipIf(!mayUnshare)(
  'root of a user namespace replaces a file whose owner it cannot assign',
  async () => {
    const { cwd, argv } = await folderWithReport()
    await chown(join(cwd, 'report.xml'), 12_345, 12_345)
    await chmod(join(cwd, 'report.xml'), 0o666)
    const { stderr } = await execa('unshare', ['-r', process.execPath, ...argv], { cwd, reject: false })
    expect(stderr).not.toContain('cannot write')
    expect(await readFile(join(cwd, 'report.xml'), 'utf8')).toMatch(/^<\?xml/)
  },
)
