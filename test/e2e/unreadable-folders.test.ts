import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { hashContent } from '../../src/lib/hash.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { bin } from '../helpers/run-bin.ts'

/** A user that root can become, and that owns nothing else. */
const other = process.getuid?.() === 0 ? 65_534 : undefined

/** A project of the user that runs callyard, who may be root in a container. */
async function projectWith(change: (folder: string) => Promise<void>) {
  const folder = await temporaryFolder({
    'callyard.yaml': '',
    'assistants/a.yaml': 'name: A\n',
    'tests/a.test.yaml': 'turns: []\n',
  })
  await chmod(folder, 0o755)
  await change(folder)
  if (other !== undefined)
    for (const name of ['', 'callyard.yaml', 'assistants', 'tests'])
      await chown(join(folder, name), other, other)
  const user = other === undefined ? {} : { uid: other, gid: other }
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CALLYARD_CONFIG_DIR: join(folder, 'config'),
    CALLYARD_API_KEY: 'x',
    NO_COLOR: '',
  }
  return (...argv: string[]) =>
    execa(process.execPath, [bin, ...argv], { cwd: folder, env, extendEnv: false, reject: false, ...user })
}

test
  .skipIf(process.platform === 'win32')
  .each([
    [['test']],
    [['test', 'tests']],
    [['validate', '.']],
    [['validate', 'tests']],
    [['validate', 'tests/**']],
    [['test', '**/*.yaml']],
  ])('%j exits with 3 for an unreadable folder', async argv => {
  const run = await projectWith(folder => chmod(join(folder, 'tests'), 0))
  const { exitCode, stderr, stdout } = await run(...argv)
  expect({ exitCode, printed: stderr + stdout }).toEqual({
    exitCode: 3,
    printed: expect.stringContaining('tests: error: this folder cannot be read: permission denied'),
  })
})

test.skipIf(process.platform === 'win32')(
  'a test file that is a pipe or a broken link is an error',
  async () => {
    const run = await projectWith(async folder => {
      await symlink('gone.yaml', join(folder, 'tests/b.test.yaml'))
      await execa('mkfifo', [join(folder, 'tests/c.test.yaml')])
    })
    for (const command of [['test'], ['validate', '.']]) {
      const { exitCode, stderr, stdout } = await run(...command)
      expect(exitCode).toBe(3)
      expect(stderr + stdout).toContain('tests/b.test.yaml: error: this is a broken link')
      expect(stderr + stdout).toContain('tests/c.test.yaml: error: this is a named pipe, not a file')
    }
  },
)

test.skipIf(process.platform === 'win32')(
  'records into a folder that can be written but not listed',
  async () => {
    const run = await projectWith(folder => chmod(join(folder, 'assistants'), 0o300))
    const tail = run('webhook', 'tail', '--port', '0', '--record', 'assistants/r.ndjson')
    // It says where it listens, or why it does not.
    await once(tail.stderr, 'data')
    tail.kill('SIGINT')
    expect(await tail).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('0 events recorded') })
  },
)

test.skipIf(process.platform === 'win32')(
  'faq push sends nothing in a read-only folder, and a preview reads the open batch there',
  async () => {
    const [question, content] = [hashContent('A'), hashContent('?')]
    const recorded = { body: {}, pending: [{ line: 2, question, content }] }
    const section = { baseUrl: 'http://127.0.0.1:9/', salt: '', resources: { 'kb/faq.yaml': recorded } }
    const lockfile = { version: 1, targets: { 'kb at http://127.0.0.1:9/': section } }
    let path = ''
    const run = await projectWith(async folder => {
      path = join(folder, '.callyard/faq/faq.yaml')
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'callyard.lock.yaml'), JSON.stringify(lockfile))
      await chmod(path, 0o555)
      await writeFile(join(folder, 'faq.yaml'), 'knowledgeBaseId: kb\nfaq:\n- {question: A, answer: a}\n')
    })
    onTestFinished(() => chmod(path, 0o755))
    const connection = ['--base-url', 'http://127.0.0.1:9']
    const pushed = await run('faq', 'push', 'faq.yaml', ...connection)
    expect(pushed.exitCode).toBe(2)
    expect(pushed.stderr).toMatch(/cannot write .*nothing was sent/s)
    expect((await run('faq', 'push', 'faq.yaml', '--dry-run', ...connection)).exitCode).toBe(9)
    expect(await readdir(path)).toEqual(['callyard.lock.yaml'])
  },
)
