import { chmod, mkdir, readdir, readFile, utimes, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

/** A home folder and an npm that knows one version of a repository, and says when it has printed it. */
async function machineWithNpm(version: string, repository: string = manifest.repository.url) {
  const view = JSON.stringify({ version, 'repository.url': repository })
  const home = await temporaryFolder()
  const bin = join(home, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'npm'),
    `#!/bin/sh\necho '${view}'\necho "$*" > "${home}/.asked" && mv "${home}/.asked" "${home}/asked"\n`,
  )
  await chmod(join(bin, 'npm'), 0o755)
  const cache = join(home, 'cache')
  await mkdir(cache)
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    XDG_CACHE_HOME: cache,
    CALLYARD_CONFIG_DIR: join(home, 'config'),
    NO_UPDATE_NOTIFIER: '',
    CI: '',
    GITHUB_ACTIONS: '',
  }
  const inTerminal = async (...argv: string[]) => {
    const terminal = startInTerminal(argv, { cwd: home, env })
    expect(await terminal.exitCode).toBe(0)
    return terminal.screen
  }
  return { home, cache, env, inTerminal, view, latest: join(cache, 'callyard/latest-version.json') }
}

/** Resolves when the lookup, which outlives the command, has ended. */
async function lookUpEnded(home: string): Promise<void> {
  for await (const { filename } of watch(home)) if (filename === 'asked') return
}

test.skipIf(process.platform === 'win32')(
  'looks up the version after a command, and mentions it after the next one, once',
  async () => {
    const { home, env, inTerminal, latest, view } = await machineWithNpm('99.0.1')
    const ended = lookUpEnded(home)
    expect(await inTerminal('profile', 'list')).not.toContain('99.0.1')
    await ended
    expect(await readFile(join(home, 'asked'), 'utf8')).toBe('view callyard version repository.url --json\n')
    expect(await readFile(latest, 'utf8')).toBe(`${view}\n`)
    for (const flag of ['--quiet', '--json'])
      expect(await inTerminal('profile', 'list', flag)).not.toContain('99.0.1')
    const screen = await inTerminal('profile', 'list')
    expect(screen.trimEnd().split('\n').at(-1)).toContain('npm install --global callyard')
    expect(screen).toContain('99.0.1 is available')
    expect(await inTerminal('profile', 'list')).not.toContain('99.0.1')
    const { stdout } = await runBin(['doctor'], { cwd: home, env })
    expect(stdout).toContain('99.0.1 is available\n    run npm install --global callyard\n')
  },
)

test.skipIf(process.platform === 'win32')(
  'a package of this name from another repository is named neither by the notice nor by doctor',
  async () => {
    const { home, env, inTerminal, latest, view } = await machineWithNpm(
      '99.0.1',
      'git+https://git.example.org/stranger/callyard.git',
    )
    const ended = lookUpEnded(home)
    await inTerminal('profile', 'list')
    await ended
    expect(await readFile(latest, 'utf8')).toBe(`${view}\n`)
    const { stdout, stderr } = await runBin(['doctor'], { cwd: home, env })
    expect(stdout).toContain(`callyard       ${manifest.version}\n`)
    for (const printed of [await inTerminal('profile', 'list'), stdout + stderr])
      expect(printed).not.toMatch(/99\.0\.1|npm install/)
  },
)

test('without a terminal there is neither a lookup nor a notice', async () => {
  const { cache, env, home, latest, view } = await machineWithNpm('99.0.1')
  await mkdir(join(latest, '..'))
  await writeFile(latest, view)
  await utimes(latest, 0, 0)
  const { stdout, stderr, exitCode } = await runBin(['profile', 'list'], { cwd: home, env })
  expect({ exitCode, output: stdout + stderr }).toEqual({
    exitCode: 0,
    output: expect.not.stringContaining('99.0.1'),
  })
  expect(await readFile(latest, 'utf8')).toBe(view)
  expect(await readdir(cache)).toEqual(['callyard'])
  expect(await readdir(home)).not.toContain('asked')
})
