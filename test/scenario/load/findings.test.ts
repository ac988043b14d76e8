import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectWith } from './load-project-with.ts'

const head = 'assistant: front-desk\n'
const said = 'turns: [{ expect: { says: Hello } }]\n'

/** Findings of tests/a.test.yaml: `line:column code: message`, or the beginning. */
test.for<[what: string, text: string, findings: readonly string[]]>([
  ['nothing wrong', head + said, []],
  ['an unknown field', `${head}${said}expects: {}\n`, ['3:1 unknown-key']],
  ['an unknown expectation', `${head}turns: [{ expect: { say: Hello } }]`, ['2:21 unknown-key']],
  ['no assistant', said, ['1:1 missing']],
  [
    'an assistant that is mistyped',
    `assistant: front-dsk\n${said}`,
    ['1:12 unknown-reference: assistant front-dsk not found in this project'],
  ],
  ['a reference to none', `assistant: "\${assistant:gone}"\n${said}`, ['1:12 unknown-reference']],
  ['a reference to one', `assistant: "\${assistant:front-desk}"\n${said}`, []],
  [
    'an inline assistant with a warning',
    `assistant: { ttsAudioCacheScope: global }\n${said}`,
    ['1:34 deprecated'],
  ],
  ['an inline assistant with a flaw', `assistant: { idleTimout: 3 }\n${said}`, ['1:14 unknown-key']],
  [
    'nothing expected',
    `${head}turns: [{ user: Hi }]`,
    ['1:1 no-expectation: the test has no expectations, so it cannot fail'],
  ],
  [
    'nothing expected, in braces',
    `${head}turns: [{ user: Hi, expect: {} }]\nexpect: {}`,
    ['1:1 no-expectation: the test has no expectations, so it cannot fail'],
  ],
  ['calls of no tool, as a mapping', `${head}expect: { calls: {} }`, ['2:18 out-of-range']],
  ['an analysis of nothing', `${head}expect: { analysis: {} }`, ['2:21 out-of-range']],
  ['an empty list of texts', `${head}expect: { says: [] }`, ['2:17 out-of-range']],
  [
    'blank text',
    `${head}expect: { says: " " }`,
    ['2:17 wrong-format: expect.says is " ": it matches every text'],
  ],
  [
    'a broken pattern',
    `${head}expect: { says: [a, /(/] }`,
    ['2:21 wrong-format: expect.says[1] is "/(/": invalid pattern:'],
  ],
  [
    'a pattern that is not linear',
    `${head}expect: { says: /(?=a)b/ }`,
    ['2:17 wrong-format: expect.says is "/(?=a)b/": invalid pattern:'],
  ],
  [
    'a pattern with a flag that is none',
    `${head}expect: { says: /a/x }`,
    ['2:17 wrong-format: expect.says is "/a/x": the pattern has the unsupported flag x'],
  ],
  [
    'a broken pattern in an argument',
    `${head}expect: { calls: { book-appointment: { day: { x: /(/ } } } }`,
    ['2:50 wrong-format: expect.calls.book-appointment.day.x is {"day":{"x":"/(/"}}: invalid pattern:'],
  ],
  ['a duration without unit', `${head}turns: [{ expect: { within: "2" } }]`, ['2:29 wrong-format']],
  ['a comparison of words', `${head}turns: [{ expect: { words: many } }]`, ['2:28 wrong-format']],
  ['a negative number', `${head}expect: { interruptions: -1 }`, ['2:26 out-of-range']],
  ['an end that is none', `${head}expect: { ends: caller }`, ['2:17 not-allowed']],
  [
    'a direction that is none',
    `${head}turns: [{ user: /hangupp, expect: { says: a } }]`,
    ['2:17 not-allowed: "/hangupp" is no direction for the caller'],
  ],
  [
    'keys that are none',
    `${head}turns: [{ user: /keys x, expect: { says: a } }]`,
    ['2:17 not-allowed: /keys needs keys of a telephone'],
  ],
  [
    'a blank line',
    `${head}turns: [{ user: " ", expect: { says: a } }]`,
    ['2:17 missing: the line of the caller is blank'],
  ],
  [
    'a second turn without a line',
    `${head}turns: [{ user: a }, { expect: { says: a } }]`,
    ['2:22 missing: this turn has no line of the caller; only the first turn may omit it'],
  ],
  [
    'an unknown tool',
    `${head}expect: { calls: { bok-appointment: never } }`,
    ['2:20 unknown-reference: tool bok-appointment not found in this project'],
  ],
  [
    'an unknown tool in a list',
    `${head}expect: { calls: [{ book_apointment: any }] }`,
    ['2:21 unknown-reference: tool book_apointment not found in this project'],
  ],
  [
    'two calls in one',
    `${head}expect: { calls: [{ book-appointment: any, end_call: any }] }`,
    ['2:19 out-of-range'],
  ],
  ['a tool that the service gives', `${head}expect: { calls: [end_call] }`, []],
  [
    'an unknown answer',
    `${head}tools: { book: { returns: 1 } }\n${said}`,
    ['2:10 unknown-reference: tool book not found in this project'],
  ],
  [
    'two answers in one',
    `${head}tools: { book-appointment: { returns: 1, fails: x } }\n${said}`,
    ['2:28 rule'],
  ],
  ['no answer', `${head}tools: { book-appointment: { after: 2s } }\n${said}`, ['2:28 rule']],
  [
    'a tool by both of its names',
    `${head}tools: { book-appointment: { returns: 1 }, book_appointment: { returns: 2 } }\n${said}`,
    ['2:44 duplicate: book_appointment and book-appointment are the same tool'],
  ],
  [
    'an answer of a tool that the service gives',
    `${head}tools: { end_call: { fails: x } }\n${said}`,
    ['2:10 not-allowed: end_call is a predefined tool, which the sandbox simulates'],
  ],
  [
    'a question of no entry',
    `${head}expect: { knows: When are you opn? }`,
    ['2:18 unknown-reference: no entry of the knowledge bases has the question "When are you opn?"'],
  ],
  [
    'a variable without effect',
    `${head}variables: { nam: Ada }\n${said}`,
    ['2:14 no-effect: the variable nam has no effect: no text of this project contains {{nam}}'],
  ],
  [
    'a time that is none',
    `${head}at: 2026-01-02T25:00:00Z\n${said}`,
    ['2:5 wrong-format: "2026-01-02T25:00:00Z" is not a time'],
  ],
  [
    'more passes than runs',
    `${head}repeat: { times: 2, pass: 3 }\n${said}`,
    ['2:27 out-of-range: repeat.pass is 3, but the test runs 2 times, so it cannot pass'],
  ],
  [
    'a number of turns without a caller',
    `${head}turns: 12\nexpect: { says: a }`,
    ['2:1 rule: turns is a number, but the test has no simulated caller'],
  ],
  [
    'a goal without a caller',
    `${head}expect: { goal: reached }`,
    ['2:11 needs: expect.goal requires a simulated caller'],
  ],
  [
    'a caller and turns',
    `${head}caller: { persona: a, goal: b }\nmodel: live\n${said}expect: { goal: reached }`,
    ['4:1 rule: turns must be a number in a test with caller'],
  ],
  [
    'an include outside of the project',
    `${head}turns: [{ include: ../../a.yaml }]\nexpect: { says: a }`,
    ['2:20 outside-file: ../../a.yaml cannot be used: the file is'],
  ],
  [
    'an include that is not there',
    `${head}turns: [{ include: a.yaml }]\nexpect: { says: a }`,
    ['2:20 missing-file: a.yaml cannot be used: no such file'],
  ],
  [
    'a folder as an include',
    `${head}turns: [{ include: . }]\nexpect: { says: a }`,
    ['2:20 is-a-folder: . cannot be used: this is a folder, not a file'],
  ],
  [
    'an include beside a line',
    `${head}turns: [{ include: ok.yaml, user: a, expect: { says: a } }]`,
    ['2:20 rule: include must be alone in its turn, but this turn also has user'],
  ],
  [
    'an include of itself',
    `${head}turns: [{ include: circle.yaml }]\nexpect: { says: a }`,
    ['tests/circle.yaml 1:12 circle: tests/circle.yaml includes itself'],
  ],
  [
    'an included file with a flaw',
    `${head}turns: [{ include: flaw.yaml }]\nexpect: { says: a }`,
    ['tests/flaw.yaml 1:15 unknown-key'],
  ],
  [
    'rows that are not there',
    `${head}each: gone.csv\n${said}`,
    ['2:7 missing-file: gone.csv cannot be used: no such file'],
  ],
  ['no rows', `${head}each: []\n${said}`, ['2:7 out-of-range']],
  [
    'an encoding without a file',
    `${head}each: [{ a: x }]\nencoding: gbk\nexpect: { says: "{{a}}" }`,
    ['3:1 needs: encoding is that of the CSV file in each, which is missing'],
  ],
  [
    'a header alone',
    `${head}each: empty.csv\n${said}`,
    ['2:7 missing: empty.csv has a header but no rows, so no test would run'],
  ],
  [
    'rows with invalid bytes',
    `${head}each: bytes.csv\nencoding: gbk\n${said}`,
    ['tests/bytes.csv 2:1 wrong-encoding'],
  ],
  ['a broken row', `${head}each: broken.csv\n${said}`, ['tests/broken.csv 2:3 broken-csv']],
  ['a row with too many cells', `${head}each: cells.csv\n${said}`, ['tests/cells.csv 3:1 wrong-cell-count']],
  ['a column twice', `${head}each: twice.csv\n${said}`, ['tests/twice.csv 1:3 duplicate-key']],
  [
    'a row without a column',
    `${head}each: [{ a: x }, { b: x }]\nexpect: { says: "{{a}}" }`,
    ['2:18 missing: row 2 is missing a, which other rows have and the test uses'],
  ],
  [
    'a column that is mistyped',
    `${head}each: [{ question: x }]\nexpect: { says: "{{qestion}}" }`,
    ['3:17 unknown-reference: {{qestion}} is neither a column nor a variable of this project'],
  ],
  [
    'cells that a spreadsheet has lost',
    `assistant: { welcomeMessage: "Hi {{name}}" }\neach: lost.csv\nturns: [{ user: "{{question}}", expect: { says: a } }]`,
    [
      'tests/lost.csv 2:1 spreadsheet-error',
      'tests/lost.csv 3:7 spreadsheet-error',
      'tests/lost.csv 4:1 shortened-number',
    ],
  ],
  ['an error that is meant', `${head}each: [{ not: "#N/A" }]\nexpect: { not: "{{not}}" }`, []],
  [
    'a table with another heading',
    `${head}each: frage.csv\nturns: [{ user: "{{question}}", expect: { says: a } }]`,
    ['3:17 unknown-reference: {{question}} is neither a column nor a variable of this project'],
  ],
  [
    'a table with a title',
    `${head}each: title.csv\nturns: [{ user: "{{question}}", expect: { says: "{{says}}" } }]`,
    ['tests/title.csv 1:1 missing'],
  ],
  [
    'a table with a title across its columns',
    `${head}each: wide.csv\nturns: [{ include: asks.yaml }]`,
    ['tests/wide.csv 1:1 missing'],
  ],
  [
    'a name in an included turn',
    `${head}each: [{ a: x }]\nturns: [{ include: asks.yaml }]`,
    [
      'tests/asks.yaml 1:11 unknown-reference: {{question}} is neither a column nor a variable of this project',
    ],
  ],
  [
    'a column without rows',
    `${head}turns: [{ user: "{{question}}", expect: { says: a } }]`,
    ['2:17 unknown-reference: {{question}} is neither a column nor a variable of this project'],
  ],
  [
    'names that are no columns',
    `assistant: { welcomeMessage: "Hi {{name}}" }\nvariables: { day: "{{d}}" }\neach: [{ d: x }]\nexpect: { says: "{{name}} {{day}}", not: ["/{{.*}}/", "{{#if vip}}"] }`,
    ['2:14 no-effect: the variable day has no effect: no text of this project contains {{day}}'],
  ],
  [
    'a variable with itself as its value, which is no column',
    `${head}variables: { name: "{{name}}" }\neach: headless.csv\nturns: [{ user: "I am {{name}}", expect: { says: a } }]`,
    ['4:17 unknown-reference: {{name}} is the value of the variable name itself, and not a column'],
  ],
  [
    'a variable with itself as its value, without rows',
    `assistant: { welcomeMessage: "Hi {{name}}" }\noverrides: { dynamicVariables: { name: " {{ name }}" } }\n${said}`,
    ['2:40 unknown-reference: {{name}} is the value of the variable name itself, and not a column'],
  ],
  [
    'a variable with a column of its name as its value',
    `assistant: { welcomeMessage: "Hi {{name}}" }\nvariables: { name: "{{name}}" }\neach: [{ name: Ada }]\nexpect: { says: "{{name}}" }`,
    [],
  ],
  [
    'rows of which nothing is used',
    `assistant: { welcomeMessage: "Hi {{name}}" }\neach: headless.csv\nexpect: { says: "{{name}}" }`,
    ['2:7 no-effect: no column is used, so each row would run the same test'],
  ],
  [
    'rows of a test without placeholders',
    `${head}each: [{ a: x }]\n${said}`,
    ['2:7 no-effect: no column is used, so each row would run the same test'],
  ],
  [
    'a column of an assistant that is mistyped',
    `assistant: { welcomeMessage: "Hi {{nam}}" }\neach: [{ name: x }]\nexpect: { says: "{{name}}" }`,
    ['2:7 unknown-reference: {{nam}} is neither a column nor a variable of this project'],
  ],
  [
    'a row whose pattern is broken',
    `${head}each: [{ a: x }, { a: /(/ }]\nexpect: { says: "{{a}}" }`,
    [
      '3:17 wrong-format: expect.says is "/(/": invalid pattern: error parsing regexp: missing closing ): `(`, in row 2 (tests/a.test.yaml:2:23)',
    ],
  ],
  [
    'a cell of a table whose pattern is broken',
    `${head}each: pattern.csv\nexpect: { says: "{{ Says }}" }`,
    [
      '3:17 wrong-format: expect.says is "/(/": invalid pattern: error parsing regexp: missing closing ): `(`, in row 2 (tests/pattern.csv:4:3)',
    ],
  ],
  ['a duplicate key', `${head}${head}${said}`, ['2:1 duplicate-key']],
  ['a merge key', `${head}variables: &v { name: a }\nmetadata: { <<: *v }\n${said}`, ['3:13 merge-key']],
  ['aliases', `${head}turns:\n  - expect: &e { says: Hello }\n  - { user: a, expect: *e }\n`, []],
  ['a list', '- user: a\n', ['1:1 wrong-type']],
  ['nothing', '# later\n', ['undefined:undefined empty-file']],
])('%s', async ([, text, findings]) => {
  const { load } = await projectWith({
    'tests/a.test.yaml': text,
    'tests/ok.yaml': '[]',
    'tests/circle.yaml': '- include: circle.yaml\n',
    'tests/flaw.yaml': '- { user: hi, expct: 1 }\n',
    'tests/empty.csv': 'a,b\n',
    'tests/bytes.csv': Buffer.from('a\n\xff\n', 'latin1'),
    'tests/broken.csv': 'a,b\n1,"x\n',
    'tests/pattern.csv': 'a,says\n1,x\n\n1,/(/\n',
    'tests/cells.csv': 'a,b\n1,2\n1,2,3\n',
    'tests/twice.csv': 'a,a\n1,2\n',
    'tests/headless.csv': 'Ada,Friday\nBo,Monday\n',
    'tests/lost.csv': 'question,name,note\n#N/A,Ada,#REF!\nOpen?,#NAME?,\n1.0E+05,Bo,\n',
    'tests/frage.csv': 'Frage\nOpen?\n',
    'tests/title.csv': 'Our questions\n\nQuestion;Says\nOpen?;yes\n',
    'tests/wide.csv': 'Our questions;;\n;;\nQuestion;Says;\nOpen?;yes;\n',
    'tests/asks.yaml': '- { user: "{{question}}", expect: { says: a } }\n',
  })
  const { diagnostics, tests } = await load(['tests/a.test.yaml'])
  expect(tests.length > 0).toBe(diagnostics.every(({ severity }) => severity === 'warning'))
  const lines = diagnostics.map(({ file, position, code, message }) =>
    [
      ...(file === 'tests/a.test.yaml' ? [] : [file]),
      `${position?.line}:${position?.column}`,
      `${code}: ${message}`,
    ].join(' '),
  )
  expect(lines).toEqual(findings.map(finding => expect.stringContaining(finding)))
})

test('reports a finding that rows or tests share once; names and ids are unique in a project', async () => {
  const { load } = await projectWith({
    'tests/a.test.yaml': `${head}each: [{ a: x }, { a: y }]\nexpect: { says: "/(/" }`,
    'tests/b.test.yaml': `${head}turns: [{ include: flaw.yaml }]\n`,
    'tests/c.test.yaml': `${head}turns: [{ include: flaw.yaml }]\n`,
    'tests/flaw.yaml': '- { user: hi, expct: 1 }\n',
    'tests/d.test.yaml': `name: Hours\n${head}${said}`,
    'tests/e.test.yaml': `name: Hours\n${head}${said}`,
    'tests/f.test.yaml': head + said,
    'tests/f.test.json': '{"assistant": "front-desk", "expect": {"says": "a"}}',
  })
  const { diagnostics } = await load(['tests'])
  expect(diagnostics.map(({ file, code, message }) => [file, code, message])).toEqual([
    ['tests/a.test.yaml', 'wrong-format', expect.stringContaining('invalid pattern')],
    ['tests/flaw.yaml', 'unknown-key', '[0].expct is not a known field'],
    ['tests/e.test.yaml', 'duplicate', 'tests/d.test.yaml also has a test named "Hours"'],
    ['tests/f.test.yaml', 'duplicate', expect.stringContaining('has the same id as')],
  ])
})

test('suggests a correction for an unknown assistant field, and reports empty values', async () => {
  const { load } = await projectWith({
    'tests/a.test.yaml': `assistant: { nme: Ada }\n${said}`,
    'tests/b.test.yaml': `${head}${said}\nexpect: { calls: {} }`,
  })
  const { diagnostics } = await load(['tests'])
  expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
    ['assistant.nme is not a known field', 'did you mean name?'],
    ['expect.calls is an empty mapping; allowed: a mapping with at least one field', undefined],
  ])
})

test('follows no link out of the project for includes and rows', async () => {
  const { load, cwd } = await projectWith({
    'tests/a.test.yaml': `${head}turns: [{ include: link.yaml }]\neach: link.csv\nexpect: { says: a }`,
  })
  const { cwd: elsewhere } = await projectWith({})
  for (const name of ['link.yaml', 'link.csv']) {
    await writeFile(join(elsewhere, name), 'a\n1\n')
    await symlink(join(elsewhere, name), join(cwd, 'tests', name))
  }
  const codes = async (allowOutsideFiles: boolean) =>
    (await load(['tests'], { allowOutsideFiles })).diagnostics.map(({ code }) => code)
  expect(await codes(false)).toEqual(['outside-file', 'outside-file'])
  expect(await codes(true)).toEqual(['wrong-type'])
})

test('sorts findings of an included file by line', async () => {
  const { load } = await projectWith({
    'tests/a.test.yaml': `${head}turns: [{ include: flaws.yaml }]\n`,
    'tests/flaws.yaml': '- { user: Hello, expect: { sayz: a } }\n- { usr: Bye }\n',
  })
  const { diagnostics } = await load(['tests'])
  expect(diagnostics.map(({ file, position }) => `${file}:${position?.line}`)).toEqual([
    'tests/flaws.yaml:1',
    'tests/flaws.yaml:2',
  ])
})

test.each([
  ['{{q}} {{r}}', 'the first line must name the columns; it has Ada, Friday'],
  ['{{q}} {{Friday}}', 'columns: Ada, Friday'],
  ['{{Fridey}}', 'did you mean Friday?'],
])('%s in a file without a header has the hint %s', async (user, hint) => {
  const { load } = await projectWith({
    'tests/a.test.yaml': `${head}each: rows.csv\nturns: [{ user: "${user}", expect: { says: a } }]\n`,
    'tests/rows.csv': 'Ada,Friday\nBo,Monday\n',
  })
  expect((await load(['tests'])).diagnostics).toMatchObject([{ code: 'unknown-reference', hint }])
})
