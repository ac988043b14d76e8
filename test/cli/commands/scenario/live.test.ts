import { expect, test } from 'vitest'
import { startAiMock } from '../../../helpers/ai-mock.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const desk = { 'callyard.yaml': '', 'assistants/desk.yaml': 'name: Desk\nwelcomeMessage: Hello\n' }
const welcome = 'assistant: desk\nturns:\n  - expect: { says: Hello }\n'
const files = {
  ...desk,
  'tests/live.test.yaml': `model: live\ntags: [slow]\n${welcome}`,
  'tests/plain.test.yaml': welcome,
}

test('a live test without a server is not run, the others are, and the run does not pass', async () => {
  const cli = await testCli(files)
  const { exitCode, stdout, stderr } = await cli.run('test')
  expect(exitCode).toBe(8)
  expect(stdout).toContain('not run live: it is live, and no model server is given')
  expect(stdout).toMatch(/^2 tests: 1 passed, 1 not run/m)
  expect(stderr).toContain('1 was not run')
  expect(stderr).toContain('--llm-url')
  const json = JSON.parse((await cli.run('test', '--json', '--out', 'a.xml')).stdout)
  expect(json.summary).toMatchObject({ tests: 2, passed: 1, notRun: 1 })
  expect(json.tests).toContainEqual(
    expect.objectContaining({ id: 'live', status: 'not-run', reason: 'no-model-server' }),
  )
  expect(await cli.read('a.xml')).toContain('not run: it is live, and no model server is given')
})

test('--no-live excludes live tests, --skip-tag tagged ones; no remaining test is not a pass', async () => {
  const cli = await testCli(files)
  for (const flags of [['--no-live'], ['--skip-tag', 'SLOW'], ['--skip-tag', 'x', '--skip-tag', 'slow']])
    expect(await cli.run('test', ...flags)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^1 test: 1 passed/),
    })
  const none = await cli.run('test', '-t', 'live', '--no-live')
  expect(none).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('--no-live leaves out the only test that matches'),
  })
  const { exitCode, stderr } = await cli.run('test', 'tests/live.test.yaml', '--no-live')
  expect(exitCode).toBe(3)
  expect(stderr).toContain('--no-live leaves it out')
})

test('runs a live test with a server, and its again: line contains the server', async () => {
  const cli = await testCli({
    ...files,
    'tests/live.test.yaml': `${files['tests/live.test.yaml']}  - { user: Hi, expect: { says: never } }\n`,
  })
  const { url } = await startAiMock(mock => mock.onMessage(/./, { content: 'Yes.' }))
  const { exitCode, stdout } = await cli.run('test', '--llm-url', url, '--llm-model', 'small')
  expect(exitCode).toBe(8)
  expect(stdout).toContain(`again: callyard test tests/live.test.yaml --llm-url ${url} --llm-model small\n`)
})

test('a failed row shows its file and line', async () => {
  const cli = await testCli({
    ...desk,
    'tests/rows.csv': 'word\nHello\nGoodbye\n',
    'tests/each.test.yaml': 'assistant: desk\neach: rows.csv\nturns:\n  - expect: { says: "{{word}}" }\n',
  })
  const { stdout } = await cli.run('test')
  expect(stdout).toContain('FAILED each[2]\n  row tests/rows.csv:3:1\n')
  const { tests } = JSON.parse((await cli.run('test', '--json')).stdout)
  expect(tests[1]).toMatchObject({ row: { file: 'tests/rows.csv', position: { line: 3 } } })
})
