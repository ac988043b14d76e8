import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFiles } from '../../../helpers/folders.ts'
import { parseSarif } from '../../../helpers/report-schemas.ts'
import { testCli } from '../../../helpers/test-cli.ts'

const project = {
  'callyard.yaml': '',
  'assistants/front-desk.yaml': [
    'name: Front desk',
    'welcomeMessage: Hello {{name}}',
    'assistantPredefinedTools: { knowledgeBase: true, endCall: true }',
    'assistantKnowledgeBaseIds: ["${kb:workshop}"]',
    'endCallPhrases: [goodbye]',
    'assistantOverrides: { dynamicVariables: { name: there } }',
    '',
  ].join('\n'),
  'knowledge-bases/workshop.yaml': [
    'knowledgeBaseId: workshop',
    'faq:',
    '  - { question: When are you open?, answer: Monday to Friday from nine to six. }',
    '',
  ].join('\n'),
}

const passes = (more: string) => `${more}assistant: front-desk
turns:
  - user: When are you open?
    expect: { says: nine to six }
`
const fails = `assistant: front-desk
variables: { name: Ada }
turns:
  - expect: { says: Hello Ada }
  - user: When are you open?
    expect: { says: [Monday, nine to sixty] }
`

test('all pass: exit 0 and a line; from a folder below the project too', async () => {
  const cli = await testCli({ ...project, 'tests/hours.test.yaml': passes('') })
  const result = await cli.run('test')
  expect(result).toMatchObject({ exitCode: 0, stderr: '' })
  expect(result.stdout).toMatch(
    /^1 test: 1 passed \(\d+\.\ds\) · replies from rules, prompts are not tested\n$/,
  )
  const below = await cli.runWith({ cwd: join(cli.folder, 'tests') }, 'test')
  expect(below).toMatchObject({ exitCode: 0, stderr: '' })
})

test('exits with 8 and prints the failed line with a caret, the transcript, the FAQ search and the command to repeat it', async () => {
  const cli = await testCli({ ...project, 'tests/hours.test.yaml': fails })
  const result = await cli.run('test')
  expect(result.exitCode).toBe(8)
  expect(result.stdout.split('\n').slice(0, -2)).toEqual([
    'FAILED hours',
    '     0.0s assistant  Hello Ada',
    expect.stringMatching(/^ +\d\.\ds user {7}When are you open\?$/),
    expect.stringMatching(/^ {10}FAQ {8}"When are you open\?" \d+\.\d\d \(used\)$/),
    expect.stringMatching(/^ +\d\.\ds assistant {2}Monday to Friday from nine to six\.$/),
    '',
    'tests/hours.test.yaml:6:30: error: the assistant did not say "nine to sixty" [not-said]',
    '    6 |     expect: { says: [Monday, nine to sixty] }',
    '      |                              ^',
    '  expected  "nine to sixty"',
    '  actual    Monday to Friday from nine to six.',
    '',
    "  again: printf '%s\\n' 'When are you open?' | callyard call chat assistants/front-desk.yaml --var name=Ada",
    '',
  ])
  expect(result.stdout).toMatch(/1 test: 1 failed \(/)
  expect(result.stderr).toBe(
    'tests/hours.test.yaml:6:30: error: hours: the assistant did not say "nine to sixty" [not-said]\nerror: 1 of 1 test failed\n',
  )
  const quiet = await cli.run('test', '--quiet')
  expect(quiet.stderr).toBe('error: 1 of 1 test failed\n')
})

test('the command that repeats a call holds it', async () => {
  const cli = await testCli({ ...project, 'tests/hours.test.yaml': fails })
  const { stdout } = await cli.run('test')
  const [, lines = '', argv = ''] = /again: printf '%s\\n' (.*) \| callyard (.*)\n/.exec(stdout) ?? []
  const input = `${lines.slice(1, -1)}\n`
  const chat = await cli.runWith({ input }, ...argv.split(' '))
  expect(chat).toMatchObject({ exitCode: 0 })
  expect(chat.stdout).toMatch(/Hello Ada\nuser +When are you open\?\nassistant +Monday to Friday/)
})

test('a test that is named reads only what its assistant reaches; a run of all tests checks all files', async () => {
  const cli = await testCli({
    ...project,
    'assistants/other.yaml': 'name: Other\nassistantToolIds: ["${tool:none}"]\n',
    'tools/broken.yaml': 'type: [\n',
    'tests/hours.test.yaml': passes(''),
  })
  expect(await cli.run('test', 'tests/hours.test.yaml')).toMatchObject({ exitCode: 0 })
  expect(await cli.run('test', 'tests')).toMatchObject({ exitCode: 0 })
  for (const argv of [['test'], ['test', 'tests', '--coverage'], ['validate', '.']]) {
    const result = await cli.run(...argv)
    expect(result).toMatchObject({ exitCode: 3 })
    for (const name of ['other.yaml:2', 'broken.yaml:']) expect(result.stdout + result.stderr).toContain(name)
  }
})

test('files that do not pass are all shown, and nothing runs', async () => {
  const cli = await testCli({
    ...project,
    'tests/good.test.yaml': passes(''),
    'tests/a.test.yaml': 'assistant: front-dsk\nturns:\n  - expect: { says: x }\n',
    'tests/b.test.yaml': 'assistant: front-desk\nturns: []\n',
  })
  const result = await cli.run('test')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toMatch(
    /tests\/a\.test\.yaml:1:12: error: .*front-dsk.*\n +hint: did you mean front-desk\?/,
  )
  expect(result.stderr).toContain('tests/b.test.yaml:')
  expect(result.stderr).toContain('in 2 files; no test ran')
  const json = JSON.parse((await cli.run('test', '--json')).stdout)
  expect(json.error).toMatchObject({ kind: 'invalid', exitCode: 3 })
})

test('no test, and paths that are missing: exit 3', async () => {
  const cli = await testCli(project)
  expect(await cli.run('test')).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: expect.stringContaining('no tests found'),
  })
  for (const path of ['abort', 'tests/no-such', 'tests/no-such.test.yaml']) {
    const { exitCode, stderr } = await cli.run('test', path)
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`${path}: error: no such file`)
  }
})

test('without a project and a path, searches nothing, because a folder such as / may contain anything', async () => {
  const cli = await testCli({ 'below/tests/a.test.yaml': passes('') })
  const result = await cli.run('test')
  expect(result).toMatchObject({ exitCode: 3, stdout: '' })
  expect(result.stderr).toContain('no project to test')
  expect((await cli.run('test', '.')).stderr).toContain('below/tests/a.test.yaml:1:12: error:')
})

test('a skipped test is told with its reason; where all are skipped, the run does not pass', async () => {
  const cli = await testCli({
    ...project,
    'tests/a.test.yaml': passes(''),
    'tests/b.test.yaml': passes('skip: not yet\n'),
  })
  const some = await cli.run('test')
  expect(some.exitCode).toBe(0)
  expect(some.stdout).toMatch(/^skipped b: not yet\n2 tests: 1 passed, 1 skipped /)
  const none = await cli.run('test', '-t', 'b')
  expect(none).toMatchObject({ exitCode: 8 })
  expect(none.stderr).toContain('no test ran: it is skipped')
})

test('only runs those tests; in CI it exits with 3 at its line', async () => {
  const cli = await testCli({
    ...project,
    'tests/a.test.yaml': passes('only: true\n'),
    'tests/b.test.yaml': fails,
  })
  const result = await cli.run('test')
  expect(result.exitCode).toBe(0)
  expect(result.stdout).toMatch(/^1 test: 1 passed/)
  expect(result.stderr).toBe('warning: only is set in tests/a.test.yaml, so 1 other test is not run\n')
  const ci = await cli.runWith({ env: { CI: 'true' } }, 'test')
  expect(ci.exitCode).toBe(3)
  expect(ci.stderr).toMatch(/tests\/a\.test\.yaml:\d+:\d+: error: only is set/)
})

test('--bail stops after the first test that does not pass; tests that were not run are not passed', async () => {
  const files = Object.fromEntries(
    ['a', 'c', 'd'].map(name => [`tests/${name}.test.yaml`, passes('')] as const),
  )
  const cli = await testCli({ ...project, ...files, 'tests/b.test.yaml': fails })
  const result = await cli.run('test', '--bail', '--concurrency', '2')
  expect(result.exitCode).toBe(8)
  expect(result.stdout).toMatch(/4 tests: 1 passed, 1 failed, 2 not run \(/)
  expect(result.stderr).toContain('error: 1 of 4 tests failed; 2 were not run')
  const json = JSON.parse((await cli.run('test', '--bail', '--json')).stdout)
  expect(json.tests.map(({ status }: { status: string }) => status)).toEqual([
    'passed',
    'failed',
    'not-run',
    'not-run',
  ])
})

test('--repeat and --pass override the file, and only work together', async () => {
  const cli = await testCli({ ...project, 'tests/a.test.yaml': passes('') })
  const { stdout } = await cli.run('test', '--repeat', '3', '--json')
  expect(JSON.parse(stdout).tests[0]).toMatchObject({
    repeat: { times: 3, pass: 3 },
    attempts: [{ passed: true }, { passed: true }, { passed: true }],
  })
  for (const flags of [
    ['--pass', '2'],
    ['--repeat', '2', '--pass', '3'],
    ['--repeat', '0'],
  ])
    expect(await cli.run('test', ...flags)).toMatchObject({ exitCode: 2, stdout: '' })
})

test('--json contains each test with its attempts, failures, call and transcript, and is reproducible', async () => {
  const cli = await testCli({
    ...project,
    'tests/a.test.yaml': passes('name: Opening\ntags: [faq]\n'),
    'tests/b.test.yaml': fails,
  })
  const run = async () => {
    const { exitCode, stdout } = await cli.run('test', '--json')
    expect(exitCode).toBe(8)
    const { machine, ...same } = JSON.parse(stdout)
    expect(Object.keys(machine.tests)).toEqual(['a', 'b'])
    return same
  }
  const first = await run()
  expect(first.summary).toEqual({
    tests: 2,
    passed: 1,
    failed: 1,
    undecided: 0,
    skipped: 0,
    notRun: 0,
    byRules: 1,
  })
  expect(first.tests).toMatchObject([
    { id: 'a', name: 'Opening', file: 'tests/a.test.yaml', tags: ['faq'], model: 'none', status: 'passed' },
    {
      id: 'b',
      status: 'failed',
      attempts: [
        {
          passed: false,
          failures: [
            {
              code: 'not-said',
              file: 'tests/b.test.yaml',
              path: ['turns', 1, 'expect', 'says', 1],
              position: { line: 6, column: 30 },
              turn: 1,
              message: 'the assistant did not say "nine to sixty"',
              expected: '"nine to sixty"',
              actual: 'Monday to Friday from nine to six.',
            },
          ],
          call: { endedBy: 'user', startedAt: expect.stringMatching(/^2026-01-01T/) },
          transcript: [
            { said: [{ text: 'Hello Ada', from: 0 }] },
            {
              caller: { line: 'When are you open?' },
              searches: [{ question: 'When are you open?', used: true }],
            },
          ],
        },
      ],
    },
  ])
  expect(JSON.stringify(await run())).toBe(JSON.stringify(first))
})

test('--json has the times of an asynchronous tool in milliseconds of the call', async () => {
  const cli = await testCli({
    ...project,
    'tools/book.yaml': `type: function
async: true
function:
  name: book_table
  description: Books a table
  parameters: { type: object, properties: { people: { type: integer } }, required: [people] }
server: { url: http://127.0.0.1:9/ }
`,
    'assistants/desk.yaml': 'name: Desk\nwelcomeMessage: Hello\nassistantToolIds: ["${tool:book}"]\n',
    'tests/a.test.yaml': `assistant: desk
tools: { book_table: { returns: { message: Booked. }, after: 1s } }
turns:
  - user: Book a table for 4 people
    expect: { calls: { book_table: any } }
  - user: /say-nothing 5
`,
  })
  const { exitCode, stdout } = await cli.run('test', '--json')
  const [{ attempts }] = JSON.parse(stdout).tests
  const [tool] = attempts[0].transcript.flatMap(({ tools }: { tools: unknown[] }) => tools)
  expect({ exitCode, tool }).toEqual({
    exitCode: 0,
    tool: expect.objectContaining({ name: 'book_table', from: expect.any(Number), until: tool.from + 1000 }),
  })
})

test('reports and what GitHub shows: written also when a test fails, at its line', async () => {
  const cli = await testCli({
    ...project,
    'tests/a.test.yaml': passes(''),
    'tests/b.test.yaml': fails,
    'summary.md': 'before\n',
  })
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cli.folder, 'summary.md') }
  const result = await cli.runWith({ env }, 'test', '--out', 'a.xml', '--out', 'a.sarif')
  expect(result.exitCode).toBe(8)
  expect(result.stderr).toContain(
    '::error file=tests/b.test.yaml,line=6,col=30,title=callyard test%3A not-said::the assistant did not say "nine to sixty"\n',
  )
  expect(await cli.read('summary.md')).toMatch(
    /^before\n### callyard test: 1 of 2 tests failed · replies from rules, prompts are not tested\n/,
  )
  const junit = await cli.read('a.xml')
  expect(junit).toMatch(
    /<testcase classname="tests\/a\.test\.yaml" name="a" file="tests\/a\.test\.yaml" line="1" time="[\d.]+"\/>/,
  )
  expect(junit).toContain('<property name="replies" value="replies from rules, prompts are not tested"/>')
  // A failed test points at the expectation that failed.
  expect(junit).toContain('name="b" file="tests/b.test.yaml" line="6"')
  expect(junit).toContain(
    '<failure message="the assistant did not say &quot;nine to sixty&quot;" type="not-said">',
  )
  const [run] = parseSarif(await cli.read('a.sarif')).runs
  expect(run?.results?.[0]).toMatchObject({
    ruleId: 'not-said',
    locations: [{ physicalLocation: { region: { startLine: 6, startColumn: 30 } } }],
  })
})

test('a report never replaces a file of the project', async () => {
  const cli = await testCli({ ...project, 'tests/a.test.yaml': passes('') })
  for (const [format, file] of [
    ['junit', 'tests/a.test.yaml'],
    ['html', 'assistants/front-desk.yaml'],
  ] as const) {
    const before = await cli.read(file)
    const result = await cli.run('test', '--out', `${format}:${file}`)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toContain(`--out ${file} would overwrite`)
    expect(await cli.read(file)).toBe(before)
  }
})

test('a report that cannot be written: 8, also when all tests passed', async () => {
  const cli = await testCli({ ...project, 'tests/a.test.yaml': passes('') })
  const result = await cli.run('test', '--out', 'junit:/dev/full')
  expect(result.exitCode).toBe(8)
  expect(result.stdout).toContain('1 passed')
  expect(result.stderr).toContain('all tests passed, but the report could not be written')
})

test('Ctrl-C exits with 130 and lists what was not run', async () => {
  const cli = await testCli({ ...project, 'tests/a.test.yaml': passes(''), 'tests/b.test.yaml': passes('') })
  const result = await cli.runWith({ signal: AbortSignal.abort('SIGINT') }, 'test')
  expect(result.exitCode).toBe(130)
})

test('a reference that is escaped, or comes from a row, is text', async () => {
  const cli = await testCli({
    ...project,
    'tools/book.yaml': 'type: function\nfunction: { name: book }\n',
    'tests/rows.csv': 'word\n"$${tool:book}"\n',
    'tests/a.test.yaml': `each: rows.csv
assistant: { welcomeMessage: "Say $\${tool:book} and {{word}}", assistantToolIds: ["\${tool:book}"] }
turns:
  - expect: { says: "Say $\${tool:book} and $\${tool:book}" }
`,
  })
  expect(await cli.run('test')).toMatchObject({ exitCode: 0 })
})

test('asks for consent only if a test sends something', async () => {
  const tool =
    'type: function\nfunction: { name: book }\nserver: { url: "https://hooks.example.org/${env:TOKEN}" }\n'
  const files = {
    ...project,
    'tools/book.yaml': tool,
    'assistants/desk.yaml': 'name: Desk\nwelcomeMessage: Hello\nassistantToolIds: ["${tool:book}"]\n',
    'tests/a.test.yaml': 'assistant: desk\nturns:\n  - expect: { says: Hello }\n',
  }
  const env = { TOKEN: 'secret' }
  const cli = await testCli(files, { env })
  cli.type('n')
  expect(await cli.run('test')).toMatchObject({ exitCode: 0 })
  const asking =
    'assistant: desk\ntools: { book: { passthrough: true } }\nturns:\n  - expect: { says: Hello }\n'
  await writeFiles(cli.folder, { 'tests/a.test.yaml': asking })
  const asked = await cli.run('test')
  expect(asked.exitCode).toBe(130)
  expect(asked.stderr).toContain('TOKEN')
})

test('the name and text of a test print no lines or commands of their own', async () => {
  const name = 'hours\\n::error::x\\n##vso[task.complete]\\n##teamcity[x] ##[error]y'
  const cli = await testCli({
    ...project,
    'tests/hours.test.yaml': `name: "${name}"\n${fails.replace('nine to sixty', '"##vso[x]\\n::error::y"')}`,
  })
  for (const env of [{ GITHUB_ACTIONS: 'true' }, { TF_BUILD: 'True' }]) {
    for (const flags of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await cli.runWith({ env }, 'test', ...flags)
      expect(exitCode).toBe(8)
      const printed = `${stdout}${stderr}`
      expect(printed).not.toMatch(/##(vso|teamcity)?\[/)
      for (const line of printed.split('\n'))
        expect(line).not.toMatch(
          /^\s*::(?!error file=tests\/hours\.test\.yaml,|error title=callyard test%3A)/,
        )
      if (flags.length > 0) expect(JSON.parse(stdout).tests[0].name).toContain('\n##vso[task.complete]\n')
    }
  }
  const { stderr } = await cli.runWith({ env: { TF_BUILD: 'True' } }, 'test')
  expect(stderr).toContain('hours\\n::error::x\\n#\\u0023vso[task.complete]')
  expect(stderr.split('\n')).not.toContain('::error::x')
})
