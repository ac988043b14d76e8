import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { writeFiles } from '../../../helpers/folders.ts'
import { startModelServer } from '../../../helpers/model-server.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import { type TestCli, testCli } from '../../../helpers/test-cli.ts'

const cassette = '{"kind":"cassette","version":1}\n'
const hours = `assistant: { welcomeMessage: Hello }
turns:
  - expect: { says: Hello }
`
const files = {
  'callyard.yaml': '{}\n',
  'tests/hours.test.yaml': hours,
  'tests/price.test.yaml': hours,
  // Its test asks no model; no test has its name; its test is not among those that are named.
  'tests/hours.cassette.ndjson': cassette,
  'tests/old.cassette.ndjson': cassette,
  'tests/price.cassette.ndjson': cassette,
}

let cli: TestCli
beforeEach(async () => {
  cli = await testCli(files)
})

const run = (...flags: readonly string[]) =>
  cli.runWith({ clock: realClock }, 'test', 'tests/hours.test.yaml', ...flags)
const isThere = (name: string) => existsSync(join(cli.folder, 'tests', name))

test('a cassette that no test uses is a warning, and stays', async () => {
  const { exitCode, stderr } = await run()
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('tests/hours.cassette.ndjson: warning: no test uses this cassette')
  expect(stderr).toContain('tests/old.cassette.ndjson: warning: no test uses this cassette')
  expect(stderr).toContain('remove it: callyard test -u')
  expect(stderr).not.toContain('price.cassette')
  expect(isThere('old.cassette.ndjson')).toBe(true)
})

test('-u removes it after the same agreement as other changes, and its document says so', async () => {
  const refused = await run('-u')
  expect(refused.exitCode).toBe(2)
  expect(isThere('old.cassette.ndjson')).toBe(true)
  const { exitCode, stdout, stderr } = await run('-u', '--yes', '--json')
  expect(exitCode, stderr).toBe(0)
  expect(JSON.parse(stdout).cassettes).toEqual(
    ['hours', 'old'].map(name => ({
      file: `tests/${name}.cassette.ndjson`,
      responses: [],
      removed: 0,
      unreadable: 0,
      isUnused: true,
    })),
  )
  expect(stderr).toContain('tests/old.cassette.ndjson: removed: no test uses it')
  expect(stderr).toContain('Removed 2 cassettes')
  expect(['hours', 'old', 'price'].map(name => isThere(`${name}.cassette.ndjson`))).toEqual([
    false,
    false,
    true,
  ])
  expect((await run()).stderr).not.toContain('cassette')
})

test('--json with -u contains each new response and the previous one', async () => {
  const server = await startModelServer({ say: 'From nine to six.' })
  const asked = `${hours}  - user: When are you open?\nmodel: recorded\n`
  await writeFiles(cli.folder, { 'tests/asked.test.yaml': asked })
  const argv = ['test', 'tests/asked.test.yaml', '-u', '--yes', '--json', '--llm-url', server.url] as const
  const { stdout, stderr } = await cli.runWith({ clock: realClock }, ...argv)
  expect(stderr).toContain('Wrote tests/asked.cassette.ndjson, removed')
  expect(JSON.parse(stdout).summary).toMatchObject({ passed: 1, byRules: 0 })
  expect(JSON.parse(stdout).cassettes, stderr).toContainEqual({
    file: 'tests/asked.cassette.ndjson',
    responses: [
      {
        turn: 1,
        role: 'assistant',
        request: 'caller: When are you open?',
        after: 'From nine to six.',
      },
    ],
    removed: 0,
    unreadable: 0,
    isUnused: false,
  })
})

test('-u needs a model server only if a response is missing', async () => {
  const server = await startModelServer({ say: 'From nine to six.' })
  const asked = (line: string) => `${hours}  - user: ${line}\nmodel: recorded\n`
  const write = (line: string) => writeFiles(cli.folder, { 'tests/asked.test.yaml': asked(line) })
  const update = (...flags: readonly string[]) =>
    cli.runWith({ clock: realClock }, 'test', 'tests/asked.test.yaml', '-u', '--yes', ...flags)
  await write('When are you open?')
  expect((await update('--llm-url', server.url)).exitCode).toBe(0)
  await writeFiles(cli.folder, { 'tests/old.cassette.ndjson': cassette })

  await write('Where are you?')
  const missing = await update()
  expect(missing).toMatchObject({ exitCode: 2, stdout: '' })
  expect(missing.stderr).toContain('-u requires --llm-url')
  expect(missing.stderr).toContain('pass the URL of a model server: --llm-url')
  expect(isThere('old.cassette.ndjson')).toBe(true)

  const leaving = new AbortController()
  const leave = (text: string) => text.includes('asked.test.yaml') && leaving.abort('SIGINT')
  const left = await cli.runWith(
    { clock: realClock, signal: leaving.signal, printed: leave },
    ...['test', 'tests/asked.test.yaml', '-u', '--yes'],
  )
  expect(left.exitCode, left.stderr).toBe(130)

  await write('When are you open?')
  const { exitCode, stderr } = await update()
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('Removed tests/old.cassette.ndjson')
  expect(['old', 'asked'].map(name => isThere(`${name}.cassette.ndjson`))).toEqual([false, true])
})
