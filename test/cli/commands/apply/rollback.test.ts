import { execFileSync } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../helpers/folders.ts'
import {
  assistant,
  type TestProject,
  testProject,
  tool,
  unwrapped,
  upToDate,
} from '../project/test-project.ts'

const lock = 'callyard.lock.yaml'
const book = 'tools/book.yaml'

/** A tool that was applied three times. Returns the lockfile after the first apply. */
async function appliedThreeTimes(): Promise<{ readonly project: TestProject; readonly first: string }> {
  const project = await testProject({ [book]: tool('book') })
  await project.apply()
  const first = await project.read(lock)
  for (const more of ['async: true\n', 'messages: []\n']) {
    await project.write(book, tool('book', more))
    await project.apply()
  }
  return { project, first }
}

/** Runs git in a folder, independent of the settings of this machine. */
function git(folder: string, ...args: string[]): string {
  const person = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main']
  const quiet = [
    '-c',
    'commit.gpgsign=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'protocol.file.allow=always',
  ]
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', [...person, ...quiet, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

function commit(folder: string, message: string): void {
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', message)
}

/** The machine that runs a project remembers nothing. */
async function onAnotherMachine(project: TestProject): Promise<void> {
  project.env.CALLYARD_CONFIG_DIR = await temporaryFolder({})
}

test('an older lockfile is rejected by everything that compares or writes, and names both ways out', async () => {
  const { project, first } = await appliedThreeTimes()
  await project.write(lock, first)
  await project.write(book, tool('book'))
  const sent = project.service.requestNames.length
  const commands = [
    ['plan'],
    ['plan', '--exit-code'],
    ['plan', '--out', 'plan.json'],
    ['apply', '--yes'],
    ['tool', 'update', 'book', book],
    ['tool', 'create', book],
  ]
  for (const argv of commands) {
    const { exitCode, stdout, stderr } = await project.run(...argv)
    expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 9, stdout: '' })
    expect(unwrapped(stderr)).toMatch(/callyard\.lock\.yaml is 2 applies behind: apply 3 was on .+ by .+@.+;/)
    expect(unwrapped(stderr)).toContain('callyard apply --resend')
  }
  expect(project.service.requestNames).toHaveLength(sent)
  const clock = { now: Date.now, sleep: () => new Promise<void>(() => {}), timer: () => () => undefined }
  const { stdout } = await project.runWith({ clock }, 'doctor', '--json')
  const checks: { check: string; status: string; message: string }[] = JSON.parse(stdout).checks
  expect(checks.find(({ check }) => check === 'Lockfile')).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('is 2 applies behind'),
  })
})

test('--resend sends a tool whole, and the lockfile is the last one again', async () => {
  const { project, first } = await appliedThreeTimes()
  await project.write(lock, first)
  await project.write(book, tool('book'))
  expect((await project.run('plan', '--resend')).stdout).toContain('Plan: 1 to update.')
  const sent = project.service.requestNames.length
  expect(await project.apply('--resend')).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(sent)).toEqual(['PATCH t-book'])
  expect(await project.section()).toMatchObject({ serial: 4 })
  expect(await project.run('plan', '--exit-code')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(upToDate('1 resource')),
  })
})

test('--resend can be saved as a plan', async () => {
  const { project, first } = await appliedThreeTimes()
  await project.write(lock, first)
  await project.run('plan', '--resend', '--out', 'plan.json')
  expect(await project.run('apply', 'plan.json', '--yes')).toMatchObject({ exitCode: 0 })
})

test('--resend updates every entry, and creates nothing that a later version may have', async () => {
  const kb = (...entries: string[]) => `knowledgeBaseId: kb1\nfaq:\n${entries.join('')}`
  const a = (answer: string) => `  - question: A\n    answer: ${answer}\n    id: f-A\n`
  const file = 'knowledge-bases/faq.yaml'
  const project = await testProject({ [file]: kb('  - question: A\n    answer: one\n') })
  await project.apply()
  const first = await project.read(lock)
  await project.write(file, kb(a('two')))
  await project.apply()
  await project.write(lock, first)
  await project.write(file, kb(a('one'), '  - question: B\n    answer: b\n'))
  await project.write('tools/new.yaml', tool('new'))
  const sent = project.service.requestNames.length
  expect(await project.apply('--resend')).toMatchObject({ exitCode: 8 })
  expect(project.service.requestNames).toHaveLength(sent)
  // The lockfile is the last one now; what is new is created, and what is known is sent again.
  expect(await project.apply()).toMatchObject({ exitCode: 0 })
  expect(project.service.requestNames.slice(sent).toSorted()).toEqual([
    'POST kb/kb1',
    'POST tool/new',
    'PUT kb/kb1',
  ])
  expect(await project.recorded('tool/new')).toMatchObject({ id: 't-new' })
})

test('a lockfile that is gone is missed, until everything is to be created again', async () => {
  const { project } = await appliedThreeTimes()
  await project.remove(lock)
  const { exitCode, stderr } = await project.run('plan')
  expect(exitCode).toBe(9)
  expect(unwrapped(stderr)).toContain('has no target default, so everything would be created again: apply 3')
  expect(await project.run('apply', '--resend', '--yes')).toMatchObject({ exitCode: 0 })
  expect(await project.recorded('tool/book')).toMatchObject({ id: 't-book' })
  await project.remove(lock)
  expect(await project.run('plan', '--new-target', '--exit-code')).toMatchObject({ exitCode: 7 })
})

test('another clone on this machine knows of the apply', async () => {
  const project = await testProject({ [book]: tool('book') })
  await project.apply()
  const clone = join(project.folder, 'clone')
  for (const file of ['callyard.yaml', lock, 'tools'])
    await cp(join(project.folder, file), join(clone, file), { recursive: true })
  await project.write(book, tool('book', 'async: true\n'))
  await project.apply()
  const { exitCode, stderr } = await project.runWith({ cwd: clone }, 'plan')
  expect(exitCode).toBe(9)
  expect(unwrapped(stderr)).toContain('is 1 apply behind')
})

test('a first apply that was refused is no version of the lockfile', async () => {
  const project = await testProject({ [book]: tool('book') })
  project.service.next('POST tool/book', { status: 401 })
  expect(await project.apply()).toMatchObject({ exitCode: 4 })
  await rm(join(project.folder, lock), { force: true })
  expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 7 })
})

describe('in git', { tags: 'git' }, () => {
  /** A project in git after two applies, each committed, on a machine that remembers neither. */
  async function committedTwice(): Promise<TestProject> {
    const project = await testProject({ [book]: tool('book'), '.gitignore': '.callyard/\n' })
    git(project.folder, 'init', '--quiet')
    await project.apply()
    commit(project.folder, 'one')
    await project.write(book, tool('book', 'async: true\n'))
    await project.apply()
    commit(project.folder, 'two')
    await onAnotherMachine(project)
    return project
  }

  test('git revert is rejected, and the command in the hint rolls back', async () => {
    const project = await committedTwice()
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
    git(project.folder, 'revert', '--no-edit', 'HEAD')
    const { exitCode, stderr } = await project.run('plan', '--exit-code')
    expect(exitCode).toBe(9)
    const [, rev = ''] = /git checkout (\w+) -- callyard\.lock\.yaml/.exec(unwrapped(stderr)) ?? []
    git(project.folder, 'checkout', rev, '--', lock)
    expect((await project.run('plan')).stdout).toContain('~ tool/book')
    expect(await project.apply()).toMatchObject({ exitCode: 0 })
    expect(project.service.requestNames.at(-1)).toBe('PATCH t-book')
  })

  test('a plan that was up to date is compared with git again', async () => {
    const project = await committedTwice()
    await project.run('plan')
    git(project.folder, 'branch', 'later')
    git(project.folder, 'reset', '--quiet', '--hard', 'HEAD~1')
    await project.run('plan')
    git(project.folder, 'branch', '--quiet', '-D', 'later')
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
    git(project.folder, 'branch', 'later', 'ORIG_HEAD')
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 9 })
  })

  test('a clone and a shallow clone are not rejected', async () => {
    const project = await committedTwice()
    for (const flags of [[], ['--depth=1']]) {
      const clone = join(await temporaryFolder({}), 'clone')
      git(project.folder, 'clone', '--quiet', ...flags, `file://${project.folder}`, clone)
      expect(await project.runWith({ cwd: clone }, 'plan', '--exit-code')).toMatchObject({ exitCode: 0 })
    }
  })

  test('runs no program of the repository', async () => {
    const project = await committedTwice()
    const program = join(project.folder, 'run.sh')
    await project.write('run.sh', `#!/bin/sh\ntouch '${join(project.folder, 'was-run')}'\n`)
    execFileSync('chmod', ['+x', program])
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'pager.log',
      'diff.external',
      'gpg.program',
      'core.sshCommand',
    ])
      git(project.folder, 'config', name, program)
    git(project.folder, 'config', 'log.showSignature', 'true')
    await project.run('plan')
    expect(await project.exists('was-run')).toBe(false)
  })

  /** Two branches that created the same tool, each with a lockfile of its own; HEAD is on `other`. */
  async function twoBranches(): Promise<TestProject> {
    const project = await testProject({ [book]: tool('book'), '.gitignore': '.callyard/\n' })
    git(project.folder, 'init', '--quiet')
    await project.apply()
    commit(project.folder, 'base')
    git(project.folder, 'checkout', '--quiet', '-b', 'feature')
    await project.write('tools/ask.yaml', tool('ask'))
    await project.apply()
    commit(project.folder, 'ask')
    git(project.folder, 'checkout', '--quiet', 'main')
    await onAnotherMachine(project)
    return project
  }

  test('a branch from before does not create the tool again', async () => {
    const project = await twoBranches()
    await project.write('tools/ask.yaml', tool('ask'))
    const { exitCode, stderr } = await project.run('plan')
    expect(exitCode).toBe(9)
    expect(unwrapped(stderr)).toContain(
      `git checkout ${git(project.folder, 'rev-parse', '--short', 'feature').trim()}`,
    )
  })

  /** The same, where both have applied since: a clone without the other branch could not know. */
  async function merged(...resolve: string[]): Promise<TestProject> {
    const project = await twoBranches()
    const clone = join(await temporaryFolder({}), 'clone')
    git(
      project.folder,
      'clone',
      '--quiet',
      '--single-branch',
      '--branch',
      'main',
      `file://${project.folder}`,
      clone,
    )
    for (const more of ['async: true\n', 'messages: []\n']) {
      execFileSync('sh', ['-c', 'cat > tools/book.yaml'], { cwd: clone, input: tool('book', more) })
      await project.runWith({ cwd: clone }, 'apply', '--yes')
    }
    git(clone, 'add', '--all')
    git(clone, 'commit', '--quiet', '--message', 'main')
    git(project.folder, 'pull', '--quiet', clone, 'main')
    await onAnotherMachine(project)
    expect(() => git(project.folder, 'merge', '--quiet', 'feature')).toThrow()
    git(project.folder, 'checkout', ...resolve, '--', lock)
    commit(project.folder, 'merge')
    git(project.folder, 'branch', '--quiet', '-D', 'feature')
    return project
  }

  test('checkout --ours in a merge: a tool of theirs is not created twice', async () => {
    const project = await merged('--ours')
    const sent = project.service.requestNames.length
    const { exitCode, stderr } = await project.run('apply', '--yes')
    expect(exitCode).toBe(9)
    expect(unwrapped(stderr)).toContain(
      'tool/ask is t-ask at target default, but callyard.lock.yaml does not have it',
    )
    expect(project.service.requestNames).toHaveLength(sent)
    expect(await project.apply('--adopt', 'tool/ask=t-ask')).toMatchObject({ exitCode: 0 })
    expect(project.service.requestNames.at(-1)).toBe('PATCH t-ask')
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  })

  test('checkout --theirs in a merge is an older lockfile', async () => {
    const project = await merged('--theirs')
    expect(unwrapped((await project.run('plan')).stderr)).toContain('is 1 apply behind')
  })

  test('a lockfile that was committed during a run is not another version of that run', async () => {
    const project = await committedTwice()
    const text = await project.read(lock)
    await project.write(book, tool('book', 'messages: []\n'))
    await project.apply()
    const stamped = text.replace(/serial: 2\n/, 'serial: 3\n')
    const mark = `# A run is at work.\njournal: ${JSON.stringify({ target: 'default', begun: '2026-01-01' })}\n`
    const written = await project.read(lock)
    await project.write(lock, stamped + mark)
    commit(project.folder, 'killed')
    await project.write(lock, written)
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
    // Without its mark it would be one.
    await project.write(lock, stamped)
    commit(project.folder, 'other')
    await project.write(lock, written)
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 9 })
  })

  test('a tool that was forgotten can be created again, also by a later run', async () => {
    const project = await committedTwice()
    project.service.next('POST tool/book', { status: 400 })
    await project.apply('--forget', 'tool/book=t-book')
    expect(await project.apply()).toMatchObject({ exitCode: 0 })
    expect(await project.section()).toMatchObject({ forgotten: ['t-book'] })
  })

  test('two versions of one apply are rejected until both are in the lockfile', async () => {
    const project = await twoBranches()
    await project.write(book, tool('book', 'async: true\n'))
    // Applied before the branch was known here.
    git(project.folder, 'update-ref', 'refs/hidden', 'feature')
    const hidden = git(project.folder, 'rev-parse', 'feature').trim()
    git(project.folder, 'branch', '--quiet', '-D', 'feature')
    git(project.folder, 'update-ref', '-d', 'refs/hidden')
    await project.apply()
    git(project.folder, 'branch', 'feature', hidden)
    const { exitCode, stderr } = await project.run('plan')
    expect(exitCode).toBe(9)
    expect(unwrapped(stderr)).toContain('keep the resources of both versions and set serial to 3')
    await project.write(lock, (await project.read(lock)).replace('serial: 2', 'serial: 3'))
    expect(await project.run('plan', '--exit-code')).toMatchObject({ exitCode: 0 })
  })

  test('an assistant of another branch is adopted by --resend', async () => {
    const project = await twoBranches()
    git(project.folder, 'checkout', '--quiet', 'feature')
    await project.write('assistants/desk.yaml', assistant('Desk', ['ask']))
    await project.apply()
    commit(project.folder, 'desk')
    git(project.folder, 'checkout', '--quiet', 'main')
    git(project.folder, 'checkout', '--quiet', 'feature', '--', 'assistants', 'tools')
    const sent = project.service.requestNames.length
    expect(await project.apply('--resend')).toMatchObject({ exitCode: 0 })
    expect(project.service.requestNames.slice(sent).toSorted()).toEqual(['PATCH t-ask', 'PATCH t-book'])
  })
})
