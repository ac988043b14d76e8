import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/folders.ts'
import { startNatsServer } from '../helpers/nats-server.ts'
import { bin, runBin } from '../helpers/run-bin.ts'

const jsonOf = (stdout: string) => JSON.parse(stdout)

test('the built command describes itself as data and as a skill', async () => {
  const cwd = await temporaryFolder()
  const { stdout, exitCode } = await runBin(['help', '--json'], { cwd })
  expect(exitCode).toBe(0)
  const { version, commands } = jsonOf(stdout)
  expect(version).toBe((await runBin(['--version'], { cwd })).stdout)
  expect(commands.length).toBeGreaterThan(50)
  const skill = await readFile(new URL('../../skills/callyard/SKILL.md', import.meta.url), 'utf8')
  expect((await runBin(['help', '--skill'], { cwd })).stdout).toBe(skill.trimEnd())
})

test('the workflow of AGENTS.md runs in a new project, offline', async () => {
  const cwd = await temporaryFolder()
  const env = { CALLYARD_CONFIG_DIR: join(cwd, 'config'), WEBHOOK_URL: 'http://127.0.0.1:4011' }
  expect(await runBin(['init', '.', '--json'], { cwd, env })).toMatchObject({ exitCode: 0 })
  expect((await lstat(join(cwd, '.claude/skills/callyard'))).isSymbolicLink()).toBe(true)
  for (const argv of [['validate', '.'], ['test'], ['plan']])
    expect(await runBin(argv, { cwd, env })).toMatchObject({ exitCode: 0 })
  const { stdout, exitCode } = await runBin(['api', 'GET', '/', '--json'], { cwd, env })
  expect(exitCode).toBe(2)
  expect(jsonOf(stdout).error.next).toEqual(['callyard help profile add', 'callyard sandbox start'])
})

test('doctor checks a sandbox and its project, and creates nothing', async () => {
  const cwd = await temporaryFolder()
  const home = await temporaryFolder()
  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), CALLYARD_CONFIG_DIR: join(home, 'config') }
  await runBin(['init', 'desk'], { cwd, env: { ...env, XDG_CACHE_HOME: cwd } })
  const desk = join(cwd, 'desk')
  const files = await readdir(desk, { recursive: true })
  const { exitCode, stdout } = await runBin(
    ['sandbox', 'exec', '--', process.execPath, bin, 'doctor', '--json'],
    { cwd: desk, env },
  )
  expect(exitCode).toBe(0)
  const { checks } = jsonOf(stdout)
  expect(checks).toContainEqual({ check: 'Service', status: 'ok', message: 'reachable (a sandbox)' })
  expect(checks).toContainEqual({ check: 'API key', status: 'ok', message: 'present (environment)' })
  expect(checks).toContainEqual({ check: 'Project', status: 'ok', message: '3 files, no errors' })
  expect(await readdir(desk, { recursive: true })).toEqual(files)
  expect((await readdir(home)).filter(name => name === 'config')).toEqual([])
})

test('doctor checks the broker of NATS_URL, and shows no password', { tags: 'nats-server' }, async () => {
  const { url, kill } = await startNatsServer()
  const cwd = await temporaryFolder()
  const broker = async (server: string) => {
    const env = { CALLYARD_CONFIG_DIR: join(cwd, 'config'), XDG_CACHE_HOME: cwd, NATS_URL: server }
    const { stdout, stderr } = await runBin(['doctor', '--json'], { cwd, env })
    expect(stdout + stderr).not.toContain('hidden-word')
    return jsonOf(stdout).checks.find(({ check }: { check: string }) => check === 'Broker')
  }
  expect(await broker(url)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^127\.0\.0\.1:\d+, NATS \d.* with JetStream$/),
  })
  expect(await broker(url.replace('nats://', 'nats://ada:hidden-word@'))).toMatchObject({ status: 'problem' })
  await kill()
  expect(await broker(url)).toMatchObject({ status: 'problem' })
})
