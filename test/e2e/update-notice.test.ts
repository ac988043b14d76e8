import { chmod, mkdir, readdir, readFile, utimes, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBin, temporaryFolder } from '../helpers/run-bin.ts'
import { startInTerminal } from '../helpers/terminal.ts'

/** A home folder and an npm that knows one version, and says when it has printed it. */
async function machineWithNpm(version: string) {
  const home = await temporaryFolder()
  const bin = join(home, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'npm'),
    `#!/bin/sh\necho '"${version}"'\necho "$*" > "${home}/.asked" && mv "${home}/.asked" "${home}/asked"\n`,
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
  return { home, cache, env, inTerminal, latest: join(cache, 'callyard/latest-version.json') }
}

/** Resolves when the lookup, which outlives the command, has ended. */
async function lookUpEnded(home: string): Promise<void> {
  for await (const { filename } of watch(home)) if (filename === 'asked') return
}

test.skipIf(process.platform === 'win32')(
  'looks up the version after a command, and mentions it after the next one, once',
  async () => {
    const { home, inTerminal, latest } = await machineWithNpm('99.0.1')
    const ended = lookUpEnded(home)
    expect(await inTerminal('profile', 'list')).not.toContain('99.0.1')
    await ended
    expect(await readFile(join(home, 'asked'), 'utf8')).toBe('view callyard version --json\n')
    expect(await readFile(latest, 'utf8')).toBe('"99.0.1"\n')
    for (const flag of ['--quiet', '--json'])
      expect(await inTerminal('profile', 'list', flag)).not.toContain('99.0.1')
    const screen = await inTerminal('profile', 'list')
    expect(screen.trimEnd().split('\n').at(-1)).toContain('npm install --global callyard')
    expect(screen).toContain('99.0.1 is available')
    expect(await inTerminal('profile', 'list')).not.toContain('99.0.1')
  },
)

test('without a terminal there is neither a lookup nor a notice', async () => {
  const { cache, env, home, latest } = await machineWithNpm('99.0.1')
  await mkdir(join(latest, '..'))
  await writeFile(latest, '"99.0.1"\n')
  await utimes(latest, 0, 0)
  const { stdout, stderr, exitCode } = await runBin(['profile', 'list'], { cwd: home, env })
  expect({ exitCode, output: stdout + stderr }).toEqual({
    exitCode: 0,
    output: expect.not.stringContaining('99.0.1'),
  })
  expect(await readFile(latest, 'utf8')).toBe('"99.0.1"\n')
  expect(await readdir(cache)).toEqual(['callyard'])
  expect(await readdir(home)).not.toContain('asked')
})
