import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { installPackedLibrary, patientVitest, runIn } from '../helpers/npm-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const jest = 'jest@30.5.2'

let folder: string
let missing: string | undefined

beforeAll(async () => {
  const packages = everyCase ? [jest, 'mocha@12.0.3', '@playwright/test@1.65.1'] : [jest]
  ;({ folder, missing } = await installPackedLibrary(packages))
  await cp(join(root, 'examples/desk'), join(folder, 'desk'), { recursive: true })
  await symlink(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const runners = {
  'node:test': {
    runner: "require('node:test')",
    file: 'desk.node.cjs',
    argv: ['--test', 'desk.node.cjs'],
  },
  vitest: {
    runner: "await import('vitest')",
    file: 'desk.test.mjs',
    argv: ['node_modules/vitest/vitest.mjs', 'run', '--dir', '.', ...patientVitest],
  },
  jest: {
    runner: '{ test, beforeAll, beforeEach, afterAll }',
    file: 'desk.jest.cjs',
    argv: [
      'node_modules/jest/bin/jest.js',
      '--runInBand',
      '--testTimeout=300000',
      '--testMatch',
      '**/desk.jest.cjs',
    ],
  },
  mocha: {
    runner: '{ test: it, before, beforeEach, after }',
    file: 'desk.mocha.cjs',
    argv: ['node_modules/mocha/bin/mocha.js', '--timeout=300000', 'desk.mocha.cjs'],
  },
  Playwright: {
    runner: "require('@playwright/test').test",
    file: 'desk.spec.cjs',
    argv: ['node_modules/@playwright/test/cli.js', 'test', '--timeout=300000', 'desk.spec.cjs'],
  },
} as const
/**
 * Runners in ES modules and CommonJS, with functions of a module and global ones. mocha names its hooks as node:test does, Playwright
 * has them at its test function as vitest: `npm run attack -- cases`.
 */
const names = everyCase
  ? (['node:test', 'vitest', 'jest', 'mocha', 'Playwright'] as const)
  : (['node:test', 'vitest', 'jest'] as const)

/** Runs tests in a folder of their own, which finds the packages of the one above. */
async function runTests(name: (typeof names)[number], text: string) {
  const { runner, file, argv } = runners[name]
  const place = join(folder, name.replace(':', '-'))
  await mkdir(place)
  await symlink(join(folder, 'node_modules'), join(place, 'node_modules'))
  const isModule = file.endsWith('.mjs')
  const imports = isModule
    ? "import * as library from 'callyard'\nimport * as sandboxes from 'callyard/sandbox'"
    : "const library = require('callyard')\nconst sandboxes = require('callyard/sandbox')"
  const project = JSON.stringify(join(folder, 'desk'))
  await writeFile(join(place, 'package.json'), '{ "private": true }')
  await writeFile(
    join(place, file),
    `${imports}\nconst runner = ${runner}\nconst run = runner.test ?? runner\nconst project = ${project}\n${text}`,
  )
  return runIn(place, argv)
}

test.for(names)(
  'with %s, setupSandbox resets between tests, and a failed test that leaves servers open does not keep it running',
  async (name, { skip }) => {
    if (missing !== undefined && name !== 'node:test' && name !== 'vitest') skip(missing)
    const { exitCode, all } = await runTests(
      name,
      `const sandbox = sandboxes.setupSandbox(runner, () => ({ project, env: {} }))
for (const title of ['one', 'two']) run(title, async () => {
  if (sandbox().calls().length > 0) throw new Error('it was not reset')
  const { endedBy } = await sandbox().call({ assistant: 'front-desk', caller: 'Goodbye' })
  if (endedBy !== 'assistant') throw new Error(endedBy)
})
run('fails', async () => {
  const receiver = await library.receiveWebhooks()
  const open = await sandboxes.startSandbox({ project, env: { WEBHOOK_URL: receiver.url } })
  await open.call({ assistant: 'front-desk', caller: 'Goodbye' })
  const frozen = await sandboxes.startSandbox({ frozen: true })
  void frozen.call({ assistant: {} })
  throw new Error('this assertion fails')
})
`,
    )
    expect(exitCode, all).toBeGreaterThan(0)
    expect(all).toContain('this assertion fails')
    // Each runner counts in its own words: `# pass 2`, `2 passed` or `2 passing`.
    expect(all).toMatch(/\bpass 2\b|\b2 pass(ed|ing)\b/)
  },
)
