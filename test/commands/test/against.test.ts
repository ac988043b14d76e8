import { execFileSync } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { realClock } from '../../helpers/real-clock.ts'
import { testCli } from '../../helpers/test-cli.ts'

const hours = (times: string) =>
  `knowledgeBaseId: workshop\nfaq:\n  - { question: When are you open?, answer: From ${times}. }\n`
const project = {
  'desk/callyard.yaml': '',
  'desk/assistants/front-desk.yaml': [
    'name: Front desk',
    'welcomeMessage: Hello',
    'assistantPredefinedTools: { knowledgeBase: true, endCall: true }',
    'assistantKnowledgeBaseIds: ["${kb:workshop}"]',
    'endCallPhrases: [goodbye]',
    '',
  ].join('\n'),
  'desk/knowledge-bases/workshop.yaml': hours('nine to six'),
  'desk/tests/hours.test.yaml':
    'assistant: front-desk\nturns:\n  - user: When are you open?\n    expect: { says: nine to six }\n',
}

/** A project below the root of its repository, committed; `run` is called in its folder. */
async function repository() {
  const cli = await testCli(project)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: cli.folder, encoding: 'utf8' })
  const commit = () => {
    git('add', '.')
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'change')
  }
  git('init', '--quiet', '--initial-branch=main')
  commit()
  return {
    cli,
    commit,
    write: (file: string, text: string) => writeFile(join(cli.folder, 'desk', file), text),
    // With a clock that never sleeps, what git printed last may not be read.
    run: (...flags: string[]) =>
      cli.runWith({ cwd: join(cli.folder, 'desk'), clock: realClock }, 'test', ...flags),
  }
}

afterEach(() => vi.unstubAllEnvs())

test('shows a changed response with the verdicts of both versions, and leaves no files', async () => {
  const { cli, run, write } = await repository()
  const temporary = join(cli.folder, 'temporary')
  await mkdir(temporary)
  vi.stubEnv('TMPDIR', temporary)
  await write('knowledge-bases/workshop.yaml', hours('ten to six'))
  const { exitCode, stdout, stderr } = await run('--against', 'HEAD')
  expect(exitCode, stderr).toBe(8)
  expect(stdout).toContain('Compared with HEAD: 1 of 1 test changed')
  expect(stdout).toMatch(/hours +passed → failed/)
  expect(stdout).toContain('- From nine to six.')
  expect(stdout).toContain('+ From ten to six.')
  expect(await readdir(temporary)).toEqual([])
})

test('uses the latest verdict: a test that failed before and passes now succeeds', async () => {
  const { run, write, commit } = await repository()
  await write('knowledge-bases/workshop.yaml', hours('ten to six'))
  commit()
  await write('knowledge-bases/workshop.yaml', hours('nine to six'))
  const { exitCode, stdout, stderr } = await run('--against', 'main')
  expect(exitCode, stderr).toBe(0)
  expect(stdout).toMatch(/hours +failed → passed/)
})

test('reports that both versions are the same, and --json contains each test', async () => {
  const { run } = await repository()
  expect((await run('--against', 'main')).stdout).toContain('Compared with main: nothing changed')
  expect(JSON.parse((await run('--against', 'main', '--json')).stdout).against).toMatchObject({
    version: 'main',
    tests: [{ id: 'hours', isChanged: false, before: { status: 'passed' }, after: { status: 'passed' } }],
  })
})

test('reports why something cannot be compared and what to do', async () => {
  const { run, cli, commit, write } = await repository()
  const wrong = async (version: string) => {
    const { exitCode, stdout, stderr } = await run('--against', version)
    // Nothing is run for a comparison that cannot be.
    expect(stdout).toBe('')
    return { exitCode, stderr }
  }
  expect(await wrong('no-such-branch')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/"no-such-branch" is not a branch, tag or commit/),
  })
  await write('assistants/front-desk.yaml', 'name: [broken\n')
  commit()
  await write('assistants/front-desk.yaml', project['desk/assistants/front-desk.yaml'])
  expect(await wrong('HEAD')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(/HEAD:assistants\/front-desk\.yaml:2/),
  })
  await rm(join(cli.folder, '.git'), { recursive: true })
  expect(await wrong('main')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/is not in a git repository/),
  })
})
