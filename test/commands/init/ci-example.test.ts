import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { starterProject } from '../../../src/commands/init/starter-project.ts'

const workflow = parse(starterProject()['ci/github-actions.yaml'] ?? '')
const commitTheIds: string = workflow.jobs.apply.steps.at(-1).run
const runnable = ['git', 'bash'].every(program => spawnSync(program, ['--version']).status === 0)

/** The runner's checkout, that of a colleague, and what both push to. */
let runner: Awaited<ReturnType<typeof checkout>>
let colleague: Awaited<ReturnType<typeof checkout>>
let origin: string
let home: string

describe.skipIf(!runnable)('the step that commits the ids', () => {
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'callwright-ci-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    origin = join(home, 'origin.git')
    await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin])
    colleague = await checkout('colleague')
    await colleague.push({ 'callwright.lock.yaml': 'ids: old\n', 'tools/t.yaml': 'type: function\n' })
    runner = await checkout('runner', '--depth=1')
  })

  test('pushes the lockfile and the knowledge bases, and nothing else', async () => {
    await runner.write({
      'callwright.lock.yaml': 'ids: new\n',
      'knowledge-bases/k.yaml': 'faq: []\n',
      'callwright.xml': '<testsuites/>',
    })
    expect(await runner.step()).toMatchObject({ exitCode: 0 })
    expect(await changed('main')).toEqual(['callwright.lock.yaml', 'knowledge-bases/k.yaml'])
  })

  test('commits nothing when nothing changed', async () => {
    const before = await revision('main')
    expect(await runner.step()).toMatchObject({ exitCode: 0 })
    expect(await revision('main')).toBe(before)
  })

  test('goes on top of what others merged meanwhile', async () => {
    await colleague.push({ 'tools/t.yaml': 'type: function\nasync: true\n' })
    await runner.write({ 'callwright.lock.yaml': 'ids: new\n' })
    expect(await runner.step()).toMatchObject({ exitCode: 0 })
    expect(await changed('main')).toEqual(['callwright.lock.yaml'])
    expect(await show('main:tools/t.yaml')).toContain('async: true')
  })

  test('keeps the ids on a branch, and fails, where main changed the same lines', async () => {
    await colleague.push({ 'callwright.lock.yaml': 'ids: other\n' })
    await runner.write({ 'callwright.lock.yaml': 'ids: new\n' })
    const { exitCode, stdout } = await runner.step()
    expect(exitCode).toBe(1)
    expect(stdout).toContain('::error::main refused the ids')
    expect(await show('main:callwright.lock.yaml')).toBe('ids: other')
    expect(await show('callwright-ids-7-1:callwright.lock.yaml')).toBe('ids: new')
  })
})

async function checkout(name: string, ...options: string[]) {
  const cwd = join(home, name)
  const env = { PATH: process.env.PATH, HOME: home, GITHUB_RUN_ID: '7', GITHUB_RUN_ATTEMPT: '1' }
  const run = (file: string, ...argv: string[]) =>
    execa(file, argv, { cwd, env, extendEnv: false, reject: false })
  await execa('git', ['clone', '--quiet', ...options, `file://${origin}`, cwd])
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [file, content] of Object.entries(files)) {
      await mkdir(join(cwd, file, '..'), { recursive: true })
      await writeFile(join(cwd, file), content)
    }
  }
  return {
    write,
    /** As a runner does: bash that ends at the first command that fails. */
    step: () => run('bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', commitTheIds),
    async push(files: Readonly<Record<string, string>>) {
      await write(files)
      await run('git', 'checkout', '--quiet', '-B', 'main')
      await run('git', 'add', '.')
      const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
      await run('git', ...author, 'commit', '--quiet', '--message', 'Change')
      expect(await run('git', 'push', '--quiet', 'origin', 'main')).toMatchObject({ exitCode: 0 })
    },
  }
}

async function ofOrigin(...argv: string[]): Promise<string> {
  return (await execa('git', ['--git-dir', origin, ...argv])).stdout
}

const revision = (name: string) => ofOrigin('rev-parse', name)
const show = (name: string) => ofOrigin('show', name)
const changed = async (name: string) => (await ofOrigin('show', '--name-only', '--format=', name)).split('\n')
