import { formatFieldPath } from '../../interface/check.ts'
import { byCase } from '../../lib/by-case.ts'
import { stringifyJson } from '../../lib/json.ts'
import { count, listed } from '../../lib/text/count.ts'
import { meantHint } from '../../lib/text/did-you-mean.ts'
import type { CassetteErrors, CassetteFindings, MatcherProblem, TestFindings } from '../../scenario/index.ts'
import type { Messages, MessageText } from './words.ts'

export const testFindingMessages: Messages<TestFindings> = {
  'nothing-expected': () => ({
    message: 'the test has no expectations, so it cannot fail',
    hint: 'add expect: to a turn or to the test, for example expect: { says: Hello }',
  }),
  'line-missing': () => ({
    message: 'this turn has no line of the caller; only the first turn may omit it',
    hint: 'add user: with what the caller says; a first turn without it covers what is said before the caller speaks',
  }),
  'include-beside': ({ other }) => ({
    message: `include must be alone in its turn, but this turn also has ${other}`,
    hint: `move ${other} into its own turn`,
  }),
  'include-unreadable': ({ file, problem, hasHint }) => ({
    message: `${file} cannot be used: ${problem}`,
    ...(hasHint ? {} : { hint: 'the path is relative to the file that contains it' }),
  }),
  'include-circle': ({ circle }) => ({
    message: circle.length === 2 ? `${circle[0]} includes itself` : `circular include: ${circle.join(' → ')}`,
    hint: 'remove one of the includes',
  }),
  'too-many-turns': ({ max }) => ({
    message: `the test has more than ${max} turns, including those of included files`,
    hint: 'split it into several tests',
  }),
  'blank-line': ({ row }) => ({
    message: `the line of the caller is blank${inRow(row)}`,
    hint: 'for silence, write /say-nothing 5',
  }),
  'caller-line': ({ problem, correction, row }) => ({ message: `${problem}${inRow(row)}`, hint: correction }),
  'no-test-rows': ({ file }) => ({
    message: `${file} has a header but no rows, so no test would run`,
    hint: 'add a row',
  }),
  'column-missing': ({ name, row }) => ({
    message: `row ${row} is missing ${name}, which other rows have and the test uses`,
    hint: `add ${name} to it`,
  }),
  'unknown-assistant': ({ name, near, there = [], row }) => ({
    message: `assistant ${name} not found in this project${inRow(row)}`,
    hint: meantHint(near) ?? (there.length === 0 ? 'assistants/ is empty' : `available: ${listed(there)}`),
  }),
  'assistant-outside': ({ name }) => ({
    message: `the assistant ${name} is the name of a resource, but the test is not in a project`,
    hint: 'move the test into a project, or write the fields of the assistant here',
  }),
  'unknown-tool': ({ name, near, there = [], row }) => ({
    message: `tool ${name} not found in this project${inRow(row)}`,
    hint: meantHint(near) ?? (there.length === 0 ? 'tools/ is empty' : `available: ${listed(there)}`),
  }),
  'unknown-question': ({ name, near, row }) => ({
    message: `no entry of the knowledge bases has the question ${quoted(name)}${inRow(row)}`,
    hint: meantHint(near && quoted(near)) ?? 'use the exact question of the entry',
  }),
  'unknown-variable': ({ name, near }) => ({
    message: `the variable ${name} has no effect: no text of this project contains {{${name}}}`,
    hint: meantHint(near),
  }),
  'unknown-column': ({ name, near, there = [], isCircular }) => ({
    message: isCircular
      ? `{{${name}}} is the value of the variable ${name} itself, and not a column`
      : `{{${name}}} is neither a column nor a variable of this project`,
    hint:
      meantHint(near) ??
      (there.length === 0 ? 'name a table with this column under each' : `columns: ${listed(there, 8)}`),
  }),
  'unused-columns': ({ columns }) => ({
    message: 'no column is used, so each row would run the same test',
    hint: `the first line of a file must name the columns that the test uses as {{column}}; columns: ${listed(columns, 8)}`,
  }),
  'bad-duration': ({ value, row }) => ({
    message: `${quoted(value)} is not a duration${inRow(row)}`,
    hint: 'use a duration such as 2s, 500ms or 1.5m',
  }),
  'bad-time': ({ value, row }) => ({
    message: `${quoted(value)} is not a time${inRow(row)}`,
    hint: 'use a date, time and zone such as 2026-01-02T09:30:00Z',
  }),
  'bad-matcher': ({ path, value, problem, row }) => {
    const { message, hint } = matcherWords(problem)
    return { message: `${formatFieldPath(path)} is ${quoted(value)}${inRow(row)}: ${message}`, hint }
  },
  'pass-above-times': ({ pass, times }) => ({
    message: `repeat.pass is ${pass}, but the test runs ${count(times, 'time')}, so it cannot pass`,
    hint: `use at most ${times}`,
  }),
  'turns-for-caller': ({ hasCaller }) =>
    hasCaller
      ? {
          message: 'turns must be a number in a test with caller',
          hint: 'set turns to the maximum number of lines of the simulated caller',
        }
      : {
          message: 'turns is a number, but the test has no simulated caller',
          hint: 'add caller: { persona: …, goal: … }, or write the turns as a list',
        },
  'goal-without-caller': () => ({
    message: 'expect.goal requires a simulated caller',
    hint: 'add caller: { persona: …, goal: … }',
  }),
  'encoding-without-file': () => ({
    message: 'encoding is that of the CSV file in each, which is missing',
    hint: 'remove encoding, or name a file in each',
  }),
  'tool-predefined': ({ name }) => ({
    message: `${name} is a predefined tool, which the sandbox simulates`,
    hint: 'remove it; tools contains responses only for the project’s own tools',
  }),
  'tool-twice': ({ name, other }) => ({
    message: `${name} and ${other} are the same tool`,
    hint: 'keep one of them, with a list of responses',
  }),
  'name-of-other-test': ({ name, other }) => ({
    message: `${other} also has a test named ${quoted(name)}`,
    hint: 'change one of the names; -t and reports identify tests by name',
  }),
  'id-of-other-test': ({ id, other }) => ({
    message: `this test has the same id as ${other}, ${id}: its path without the extension`,
    hint: 'rename one of the files files',
  }),
}

/** The words for a cassette that cannot be read or written. */
export const cassetteMessages: Messages<CassetteErrors> = {
  'cassette-too-large': ({ file, maxBytes }) => ({
    message: `${file} is larger than ${maxBytes / 1024 ** 2} MB`,
    hint: 'move some of its tests to another file; each test file has its own cassette',
  }),
  'cassette-unreadable': ({ file, reason }) => ({
    message: `cannot read ${file}: ${reason}`,
    hint: 'check that it is a file, and its permissions',
  }),
  'cassette-locked': ({ file }) => ({
    message: `another callyard is using ${file}`,
    hint: 'wait until it has finished, then run callyard test -u again',
  }),
}

const writeAgain = 'run callyard test -u to rewrite the file and record what is missing'

/** The words for lines of a cassette that cannot be read. */
export const cassetteFindings: Messages<CassetteFindings> = {
  'torn-line': () => ({
    message: 'the last line is incomplete: writing it was interrupted',
    hint: writeAgain,
  }),
  'merge-conflict': () => ({
    message: 'unresolved merge conflict',
    hint: 'delete the conflict markers and keep the lines of both sides',
  }),
  'foreign-line': () => ({
    message: 'not a valid line of a cassette',
    hint: `delete it, or ${writeAgain}`,
  }),
  'other-version': () => ({
    message: 'unsupported cassette version',
    hint: 'upgrade callyard, or record again: callyard test -u',
  }),
  'unused-cassette': () => ({
    message: 'no test uses this cassette',
    hint: 'remove it: callyard test -u',
  }),
}

/** Why what is expected cannot be read. */
export function matcherWords(problem: MatcherProblem): MessageText {
  return byCase('code', problem, {
    'empty-text': () => ({ message: 'it matches every text', hint: 'write the text to look for' }),
    'text-too-long': ({ details: { max } }) => ({
      message: `it is longer than ${max} characters`,
      hint: 'use a part of it',
    }),
    'unknown-flag': ({ details: { flag, allowed } }) => ({
      message: `the pattern has the unsupported flag ${flag}`,
      hint: `supported: ${allowed.join(', ')}; to match text that starts with /, use a pattern: /\\/path/`,
    }),
    'broken-pattern': ({ details: { reason } }) => ({
      message: `invalid pattern: ${reason}`,
      hint: 'use RE2 syntax, without lookaround and backreferences',
    }),
    'no-comparison': ({ details: { unit, operators, examples } }) => ({
      message: 'it is not a comparison',
      hint: `use ${unit === 'count' ? 'a number' : 'a duration'}, optionally after ${operators.join(', ')}: ${examples.join(', ')}`,
    }),
    'nested-too-deep': ({ details: { max } }) => ({
      message: `it is nested more than ${max} levels deep`,
    }),
  })
}

function inRow(row: number | undefined): string {
  return row === undefined ? '' : `, in row ${row}`
}

function quoted(value: unknown): string {
  const text = stringifyJson(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
