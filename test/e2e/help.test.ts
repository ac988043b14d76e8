import { readdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { getCommandPath } from '../../src/cli/commands/help/command-help.ts'
import type { Host } from '../../src/cli/shell/context.ts'
import { topicNames } from '../../src/cli/shell/help-topics.ts'
import { buildTree, commandsOf } from '../cli/commands/help/tree.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { runBin } from '../helpers/run-bin.ts'
import { testCli } from '../helpers/test-cli.ts'

const built: { main(argv: readonly string[], host: Pick<Host, 'stdout'>): Promise<number> } = createRequire(
  import.meta.url,
)('../../dist/main.js')

/** Output of the bundle on a terminal of that width. It gets only stdout of a process. */
async function answered(argv: readonly string[], columns: number | undefined): Promise<string> {
  const printed: string[] = []
  const stdout = { columns, write: (text: string) => void printed.push(text) }
  expect(await built.main(argv, { stdout })).toBe(0)
  return printed.join('')
}

const tree = await buildTree(undefined, 250)
const commands = commandsOf(tree).map(command => getCommandPath(command).split(' ').slice(1))

describe.each(commands.map(words => [words] as const))('the help of callyard %j', words => {
  test('is printed as rendered, from 80 columns on', async () => {
    const live = liveHelp(words)
    for (const argv of [
      [...words, '--help'],
      [...words, '-h'],
      ...(isTopic(words) ? [] : [['help', ...words]]),
    ])
      for (const columns of [undefined, 80, 250]) expect(await answered(argv, columns)).toBe(live)
  })
})

test('each topic is printed as by the command, in a pipe, on a terminal and on a runner', async () => {
  const cli = await testCli()
  for (const topic of [...topicNames, 'topics']) {
    const { stdout } = await cli.runWith({ env: { GITHUB_ACTIONS: 'true' } }, 'help', topic)
    for (const columns of [undefined, 80, 132]) expect(await answered(['help', topic], columns)).toBe(stdout)
  }
})

test.each([
  [['call', 'strat', '--help'], 80],
  [['help', '../topics/chat'], 80],
  [['help', '..', 'topics'], 80],
  [['help', 'version', 'now'], 80],
  [['call', 'start', '--help'], 79],
  [['call', 'start', '--help'], 0],
  [['--help'], 60],
  [['help', 'exit-codes'], 60],
])('%j on %i columns is rendered by the command', async (argv, columns) => {
  await expect(answered(argv, columns)).rejects.toThrow()
})

test.each([[[]], [['--help']], [['-h']], [['help']], [['--no-color', '-h']]])(
  '%j prints the root page, which fits a screen of 24 lines',
  async argv => {
    const { exitCode, stdout, stderr } = await runBin(argv)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(`${stdout}\n`).toBe((await buildTree()).helpInformation())
    expect(stdout.split('\n').length).toBeLessThan(24)
  },
)

test('help with other arguments is rendered by the command', async () => {
  const plain = await runBin(['call', 'start', '--help'])
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await runBin(['--quiet', 'call', 'start', '--help'])).toEqual(plain)
  expect(await runBin(['call', 'start', '-h', '--dry-run'])).toEqual(plain)
  expect(plain.stdout).toMatch(/^\d+ more flags: callyard call start --help --all$/m)
  const every = await runBin(['call', 'start', '--help', '--all'])
  expect(every.stdout).toContain('--overrides <file>')
  for (const argv of [
    ['call', 'start', '--all', '-h'],
    ['help', 'call', 'start', '--all'],
  ])
    expect(await runBin(argv)).toEqual(every)
  const group = await runBin(['webhook', '--help'])
  expect(await runBin(['webhook', '--help', 'tail'])).toEqual(group)
  const missing = await runBin(['webhook'])
  expect(missing).toMatchObject({ exitCode: 2, stdout: '' })
  expect(missing.stderr).toContain(group.stdout)
  expect(missing.stderr).toContain('callyard webhook needs a command')
})

test('the bundle contains the topics and the suggestions for other words', async () => {
  const topic = await runBin(['help', 'exit-codes'])
  expect(topic).toMatchObject({ exitCode: 0, stderr: '' })
  expect(topic.stdout).toContain('130  Cancelled')
  const answer = await runBin(['whoami'])
  expect(answer).toMatchObject({ exitCode: 2, stdout: '' })
  expect(answer.stderr).toContain('callyard profile show')
  expect(await runBin(['version'])).toEqual(await runBin(['--version']))
})

test('caches compiled code in the user’s cache folder, and works without that folder', async () => {
  const folder = await temporaryFolder()
  const env = { XDG_CACHE_HOME: join(folder, 'cache'), CALLYARD_CONFIG_DIR: folder }
  const first = await runBin(['profile', 'list'], { env })
  expect(first.exitCode).toBe(0)
  if (process.platform === 'linux') expect(await readdir(env.XDG_CACHE_HOME)).toEqual(['callyard'])
  await writeFile(join(folder, 'file'), '')
  for (const place of [join(folder, 'file'), '/dev/null', '/proc/none', ''])
    expect(await runBin(['profile', 'list'], { env: { ...env, XDG_CACHE_HOME: place } })).toEqual(first)
})

/** A word that names both: `help sandbox` shows the topic. */
function isTopic([word = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && topicNames.some(topic => topic === word)
}

function liveHelp(words: readonly string[]): string {
  const path = ['callyard', ...words].join(' ')
  const command = commandsOf(tree).find(each => getCommandPath(each) === path)
  return command?.helpInformation() ?? 'no such command'
}
