import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { starterProject } from '../../../../src/cli/commands/starter-project.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'

const files = starterProject()
const github = parse(files['ci/github-actions.yaml'] ?? '')
const gitlab = parse(files['ci/gitlab-ci.yml'] ?? '')
const examples = [
  {
    name: 'GitHub',
    commitTheIds: String(github.jobs.apply.steps.at(-1).run),
    refused: '::error::main rejected the ids',
    branch: 'callyard-ids-7-1',
  },
  {
    name: 'GitLab',
    commitTheIds: String(gitlab['.commit-the-ids']),
    refused: 'main rejected the ids',
    branch: 'callyard-ids-7',
  },
] as const

/** The runner's checkout, that of a colleague, and what both push to. */
let runner: Awaited<ReturnType<typeof checkout>>
let colleague: Awaited<ReturnType<typeof checkout>>
let origin: string
let home: string

async function start() {
  home = await temporaryFolder()
  origin = join(home, 'origin.git')
  await execa('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin])
  await ofOrigin('config', 'receive.advertisePushOptions', 'true')
  colleague = await checkout('colleague')
  await colleague.push({ 'callyard.lock.yaml': 'ids: old\n', 'tools/t.yaml': 'type: function\n' })
  runner = await checkout('runner', '--depth=1')
}

describe.each(examples)(
  'the step of $name that commits the ids',
  { tags: 'git' },
  ({ commitTheIds, refused, branch }) => {
    const step = async (exitCode = 0) => {
      const result = await runner.bash(commitTheIds)
      expect(result).toMatchObject({ exitCode })
      return result
    }

    test('commits nothing when nothing changed, and else the lockfile and the knowledge bases', async () => {
      await start()
      const before = await revision('main')
      await step()
      expect(await revision('main')).toBe(before)
      await runner.write({
        'callyard.lock.yaml': 'ids: new\n',
        'knowledge-bases/k.yaml': 'faq: []\n',
        'callyard.xml': '<testsuites/>',
      })
      await step()
      expect(await changed('main')).toEqual(['callyard.lock.yaml', 'knowledge-bases/k.yaml'])
      // What an apply left that was killed is settled by plan first.
      await runner.program(
        'callyard',
        'if [ "$1" = plan ]; then echo "ids: settled" > callyard.lock.yaml; fi; exit 8',
      )
      await step()
      expect(await show('main:callyard.lock.yaml')).toBe('ids: settled')
    })

    test('continues on top of what others merged, or keeps the ids on a branch if it is in the same lines', async () => {
      await start()
      await colleague.push({ 'tools/t.yaml': 'type: function\nasync: true\n' })
      await runner.write({ 'callyard.lock.yaml': 'ids: new\n' })
      await step()
      expect(await changed('main')).toEqual(['callyard.lock.yaml'])
      expect(await show('main:tools/t.yaml')).toContain('async: true')

      await start()
      await colleague.push({ 'callyard.lock.yaml': 'ids: other\n' })
      await runner.write({ 'callyard.lock.yaml': 'ids: new\n' })
      expect((await step(1)).stdout).toContain(refused)
      expect(await show('main:callyard.lock.yaml')).toBe('ids: other')
      expect(await show(`${branch}:callyard.lock.yaml`)).toBe('ids: new')
    })
  },
)

describe('the apply of GitLab', { tags: 'git' }, () => {
  const linesOf = (script: unknown) => [script].flat(2).join('\n')
  const { before_script, script, after_script } = gitlab.apply
  beforeEach(async () => {
    await start()
    await runner.program(
      'callyard',
      'for flag; do if [ "$flag" = --yes ]; then echo "ids: new" > callyard.lock.yaml; exit 8; fi; done',
    )
    await runner.program('npm', '')
  })

  test('starts with the newest commit, and commits the ids of an apply that exits with 8', async () => {
    await runner.git('checkout', '--quiet', '--detach')
    await colleague.push({ 'tools/t.yaml': 'type: function\nasync: true\n' })
    const newest = await revision('main')
    const { exitCode } = await runner.bash(`${linesOf(before_script)}\n${linesOf(script)}`)
    expect(exitCode).toBe(8)
    expect(await changed('main')).toEqual(['callyard.lock.yaml'])
    expect(await revision('main~1')).toBe(newest)
    expect(await runner.bash(linesOf(after_script))).toMatchObject({ exitCode: 0 })
    expect(await revision('main~1')).toBe(newest)
  })

  test('of a canceled job commits the ids afterwards and keeps no token', async () => {
    await runner.write({ 'callyard.lock.yaml': 'ids: new\n' })
    expect(await runner.bash(linesOf(after_script))).toMatchObject({ exitCode: 0 })
    expect(await changed('main')).toEqual(['callyard.lock.yaml'])
    expect((await runner.git('config', '--list')).stdout).not.toContain('token-of-the-job')
  })
})

async function checkout(name: string, ...options: string[]) {
  const cwd = join(home, name)
  const env = {
    PATH: `${home}/bin:${process.env.PATH}`,
    HOME: home,
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: '1',
    CI_JOB_ID: '7',
    CI_DEFAULT_BRANCH: 'main',
    CI_SERVER_HOST: 'gitlab.example.com',
    CI_PROJECT_URL: `file://${home}/origin`,
    CI_JOB_TOKEN: 'token-of-the-job',
    CALLYARD_FOLDER: '.',
  }
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
    /** A program of the runner, by its script. */
    async program(name: string, script: string) {
      await mkdir(join(home, 'bin'), { recursive: true })
      await writeFile(join(home, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    },
    /** Like a runner: bash that ends at the first command that fails. */
    bash: (script: string) => run('bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script),
    git: (...argv: string[]) => run('git', ...argv),
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
