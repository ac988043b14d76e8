import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { realClock } from '../helpers/real-clock.ts'
import { bin, temporaryFolder } from '../helpers/run-bin.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const jq = spawnSync('jq', ['--version']).status === 0

// Where the tools are required, a missing jq fails the examples instead of skipping them.
test.skipIf(!jq && process.env.CALLWRIGHT_REQUIRE_SHELLS === undefined)(
  'every shell example of the README works, in order, against the sandbox',
  async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const examples = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, script = '']) => script)
    expect(examples.length).toBeGreaterThan(5)

    const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
    onTestFinished(() => sandbox.close())
    const folder = await temporaryFolder()
    const tools = join(folder, 'bin')
    await mkdir(tools)
    await symlink(bin, join(tools, 'callwright'))
    await chmod(bin, 0o755)
    await cp(join(root, 'src/starter'), join(folder, 'src/starter'), { recursive: true })
    await writeFile(join(folder, 'readme.sh'), examples.join('\n'))

    const { exitCode, all } = await execa('bash', ['-euo', 'pipefail', '-x', 'readme.sh'], {
      cwd: folder,
      reject: false,
      all: true,
      stdin: 'ignore',
      env: {
        PATH: `${tools}:${process.env.PATH}`,
        CALLWRIGHT_CONFIG_DIR: join(folder, 'config'),
        CALLWRIGHT_BASE_URL: sandbox.baseUrl,
        CALLWRIGHT_API_KEY: sandbox.apiKey,
        TMPDIR: folder,
      },
    })
    expect(exitCode, all).toBe(0)
  },
)
