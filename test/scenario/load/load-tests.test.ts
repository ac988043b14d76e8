import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { jsonSchema } from '../../../src/files/formats/file-schema.ts'
import { encodeAs } from '../../helpers/encode-as.ts'
import { strictAjv } from '../../helpers/strict-ajv.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { projectWith } from './load-project-with.ts'

/** Loads the tests of the starter project with these files beside its own. */
async function load(files: Readonly<Record<string, string>>) {
  const project = await projectWith(files)
  return { ...(await project.load(['tests'])), cwd: project.cwd }
}

/** Word for word as the issue has it. */
const booking = `# yaml-language-server: $schema=../schemas/test.schema.json
assistant: front-desk                 # name, \${assistant:…}, or inline
variables: { name: Ada }
model: recorded                       # recorded | none | live
tools:
  book-appointment: { returns: { ok: true, time: "10:40" } }      # or a list (one call after the other), fails:, after: 3s, passthrough: true
turns:
  - expect: { says: Hello Ada }
  - user: When are you open?
    expect: { says: [Monday, nine to six], not: price, within: 2s, words: "<= 40" }
  - user: Book me in for Friday, please
    expect: { calls: { book-appointment: { day: 2026-01-02 } }, judge: repeats the day and the time }
  - user: /interrupt Wait             # the caller's grammar of the sandbox: /keys, /say-nothing, /hangup
  - user: Goodbye
    expect: { ends: assistant }
expect: { calls: [book-appointment], analysis: { successEvaluation: ">= 7" }, duration: "<= 2m", interruptions: 1 }
repeat: { times: 5, pass: 4 }
`

test('expectations are in the order of the file, also those of an included file', async () => {
  const { tests, diagnostics } = await load({
    'tests/order.test.yaml': `assistant: front-desk
turns: [{ include: hello.yaml }]
expect: { interruptions: 0, calls: { book-appointment: any }, not: [price, cost], says: Hello }
`,
    'tests/hello.yaml': '- expect: { within: 2s, not: price, says: Hello }\n',
  })
  expect(diagnostics).toEqual([])
  const kindsOf = (expectations: readonly { readonly kind: string }[] = []) =>
    expectations.map(({ kind }) => kind)
  const test = tests.find(({ id }) => id === 'order')
  expect(kindsOf(test?.turns[0]?.expect)).toEqual(['within', 'not', 'says'])
  expect(kindsOf(test?.expect)).toEqual(['interruptions', 'calls', 'not', 'not', 'says'])
})

test('a booking: locates every turn and expectation, and resolves tools to function names', async () => {
  const { tests, diagnostics, cwd } = await load({ 'tests/sales/booking.test.yaml': booking })
  expect(diagnostics).toEqual([])
  const [loaded] = tests
  expect(loaded).toMatchObject({
    id: 'sales/booking',
    name: 'sales/booking',
    file: 'tests/sales/booking.test.yaml',
    project: cwd,
    assistant: { name: 'front-desk' },
    variables: { name: 'Ada' },
    model: 'recorded',
    tools: { book_appointment: [{ kind: 'returns', after: 0, value: { ok: true, time: '10:40' } }] },
    repeat: { times: 5, pass: 4 },
  })
  expect(loaded?.turns.map(({ caller }) => caller?.turn.type)).toEqual([
    undefined,
    'say',
    'say',
    'interrupt',
    'say',
  ])
  const placed = (loaded?.turns ?? []).flatMap(({ expect: each }) => each).concat(loaded?.expect ?? [])
  expect(
    placed.map(({ kind, location: { position } }) => `${kind} ${position?.line}:${position?.column}`),
  ).toEqual([
    'says 8:21',
    'says 10:22',
    'says 10:30',
    'not 10:49',
    'within 10:64',
    'words 10:75',
    'calls 12:42',
    'judge 12:72',
    'ends 15:21',
    'calls-in-order 16:18',
    'analysis 16:48',
    'duration 16:89',
    'interruptions 16:113',
  ])
})

test('each: CSV rows fill every text; service variables stay; numbers in a list stay numbers', async () => {
  const { tests, diagnostics } = await load({
    'tests/days.test.yaml': `name: Open on {{day}}
assistant: front-desk
variables: { name: "{{who}}" }
tools: { book-appointment: { returns: { at: "{{ time }}" }, after: "{{pause}}" } }
each: rows/days.csv
turns:
  - expect: { says: "Hello {{who}}", not: "{{name}}" }
  - user: Book {{day}}
    expect: { calls: { book-appointment: { day: "{{day}}" } } }
`,
    'tests/rows/days.csv': 'day,who,time,pause\nFriday,Ada,10,2s\n"Monday, late",Bo,11,1s\n',
    'tests/counts.test.yaml': `name: Counts
assistant: front-desk
each: [{ count: 2, box: { a: 1 } }, { count: 3, box: 4 }]
turns: [{ user: "{{count}}", expect: { calls: { book-appointment: { count: "{{count}}", text: "n{{box}}" } } } }]
`,
  })
  expect(diagnostics).toEqual([])
  expect(tests.map(({ id, name }) => [id, name])).toEqual([
    ['counts[1]', 'Counts [1]'],
    ['counts[2]', 'Counts [2]'],
    ['days[1]', 'Open on Friday'],
    ['days[2]', 'Open on Monday, late'],
  ])
  expect(tests[0]?.turns[1]).toMatchObject({
    caller: { line: '2' },
    expect: [
      {
        arguments: {
          fields: { count: { kind: 'equals', value: 2 }, text: { kind: 'equals', value: 'n{"a":1}' } },
        },
      },
    ],
  })
  expect(tests[3]).toMatchObject({
    variables: { name: 'Bo' },
    tools: { book_appointment: [{ after: 1000, value: { at: '11' } }] },
    location: { file: 'tests/rows/days.csv', position: { line: 3, column: 1 } },
    turns: [
      { expect: [{ text: { text: 'Hello Bo' } }, { text: { text: '{{name}}' } }] },
      { caller: { line: 'Book Monday, late' } },
    ],
  })
})

test('each: the file may be in an encoding that the test names', async () => {
  const question = '几点开门？'
  const test = 'assistant: front-desk\neach: rows.csv\nturns: [{ user: "{{问题}}", expect: { says: a } }]\n'
  const files = (encoding: string) => ({
    'tests/a.test.yaml': test + encoding,
    'tests/rows.csv': encodeAs(`问题\n${question}\n`, 'gbk'),
  })
  const named = await (await projectWith(files('encoding: gb2312\n'))).load(['tests'])
  expect(named).toMatchObject({ diagnostics: [], tests: [{ turns: [{}, { caller: { line: question } }] }] })
  const { diagnostics } = await (await projectWith(files('encoding: shift_jis\n'))).load(['tests'])
  expect(diagnostics).toMatchObject([
    {
      file: 'tests/rows.csv',
      hint: 'set encoding next to each, or save the file as UTF-8',
    },
  ])
})

test('each: an empty cell is empty text, and a column may be written as spreadsheets do', async () => {
  const { tests, diagnostics } = await load({
    'tests/list.test.yaml': `assistant: front-desk
each: [{ day: Friday, extra: null }]
turns: [{ user: "Book {{day}}{{extra}}!", expect: { says: "{{ extra }}x" } }]
`,
    'tests/table.test.yaml': `assistant: front-desk
each: days.csv
turns: [{ user: "Book {{first_day}}{{extra}}!", expect: { says: "{{ extra }}x" } }]
`,
    'tests/days.csv': 'First Day;Extra;;\r\nFriday;;;\r\n;;;\r\n',
  })
  expect(diagnostics).toEqual([])
  expect(tests).toHaveLength(2)
  for (const { turns } of tests)
    expect(turns[1]).toMatchObject({ caller: { line: 'Book Friday!' }, expect: [{ text: { text: 'x' } }] })
})

test('each: numbers become text where an assistant or overrides require text', async () => {
  const { tests, diagnostics } = await load({
    'tests/floors.test.yaml': `assistant: { name: Lift, welcomeMessage: "{{floor}}" }
overrides: { welcomeMessage: "{{floor}}" }
metadata: { floor: "{{floor}}" }
each: [{ floor: 2 }]
turns: [{ expect: { says: "{{floor}}" } }]
`,
  })
  expect(diagnostics).toEqual([])
  expect(tests).toMatchObject([
    {
      assistant: { inline: { welcomeMessage: '2' } },
      overrides: { welcomeMessage: '2' },
      metadata: { floor: 2 },
    },
  ])
})

test('include: inserts the turns of another file with their own locations', async () => {
  const { tests, diagnostics, files } = await load({
    'tests/a.test.yaml': `assistant: front-desk
turns:
  - include: shared/hello.yaml
  - user: Goodbye
    expect: { ends: assistant }
`,
    'tests/shared/hello.yaml': `- expect: { says: Hello }\n- include: ../more.json\n`,
    'tests/more.json': '[{"user": "Where are you?", "expect": {"knows": "where is the  workshop?"}}]',
  })
  expect(diagnostics).toEqual([])
  expect(tests[0]?.turns).toMatchObject([
    { location: { file: 'tests/shared/hello.yaml', position: { line: 1, column: 3 } } },
    { expect: [{ question: 'Where is the workshop?', location: { file: 'tests/more.json' } }] },
    { location: { file: 'tests/a.test.yaml', position: { line: 4, column: 5 } } },
  ])
  expect(files[0]?.uses.map(path => path.split('/tests/')[1])).toEqual(['shared/hello.yaml', 'more.json'])
})

test('the schema accepts the booking and rejects a misspelled expectation', () => {
  const fits = strictAjv().compile(jsonSchema('test'))
  expect(fits(parse(booking))).toBe(true)
  expect(fits(parse(booking.replace('within: 2s', 'within: soon')))).toBe(false)
  expect(fits(parse(booking.replace('judge:', 'juge:')))).toBe(false)
})

test('files that tests include are neither tests nor skipped, and validating a project includes its tests', async () => {
  const cli = await testCli({
    'callyard.yaml': '',
    'tests/shared/turns.yaml': '[]',
    'tests/rows.csv': 'a\n1\n',
    'tests/notes.yaml': 'a: 1\n',
    'tests/deep/tools/a.test.yml': 'assistant: { name: Desk }\nexpect: { says: Hi, calls: { book: any } }\n',
    'b.test.yaml': 'assistant: { name: Desk }\nexpect: { say: Hi }\n',
  })
  const result = await cli.run('validate', '.')
  expect(result.stdout).toMatch(/^b\.test\.yaml:2:11: error: expect\.say is not a known field/)
  expect(result.stdout).toContain(
    'tests/deep/tools/a.test.yml:2:30: error: tool book not found in this project',
  )
  expect(result.stdout).toContain('3 files checked, 2 errors')
  expect(result.stderr).not.toContain('skipped')
  const asTest = await cli.run('validate', 'tests/notes.yaml', '--kind', 'test', '--json')
  expect(JSON.parse(asTest.stdout).diagnostics).toMatchObject([
    { code: 'missing', message: 'assistant is missing' },
    { code: 'unknown-key' },
  ])
})
