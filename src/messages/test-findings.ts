import { formatFieldPath } from '../interface/check.ts'
import { byCase } from '../lib/by-case.ts'
import { stringifyJson } from '../lib/json.ts'
import { count, listed } from '../lib/text/count.ts'
import { meantHint } from '../lib/text/did-you-mean.ts'
import type { CassetteErrors, CassetteFindings, MatcherProblem, TestFindings } from '../scenario/index.ts'
import type { Messages, Words } from './words.ts'

/** The words for findings in the files of tests. */
export const testFindingMessages: Messages<TestFindings> = {
  'nothing-expected': () => ({
    message: 'the test expects nothing, so it could never fail',
    hint: 'add expect: to a turn or to the whole call, for example expect: { says: Hello }',
  }),
  'line-missing': () => ({
    message: 'this turn has no line of the caller; only the first may have none',
    hint: 'add user: what the caller says. Without a line the first turn is what is said before the caller speaks',
  }),
  'include-beside': ({ other }) => ({
    message: `include stands alone in its turn, and here is ${other} too`,
    hint: `put ${other} into a turn of its own`,
  }),
  'include-unreadable': ({ file, problem, hasHint }) => ({
    message: `${file} cannot be used: ${problem}`,
    ...(hasHint ? {} : { hint: 'the path is relative to the file that names it' }),
  }),
  'include-circle': ({ circle }) => ({
    message:
      circle.length === 2
        ? `${circle[0]} includes itself`
        : `these files include each other in a circle: ${circle.join(' → ')}`,
    hint: 'remove one of the includes',
  }),
  'too-many-turns': ({ max }) => ({
    message: `the test has more than ${max} turns, with those of included files`,
    hint: 'split it into several tests',
  }),
  'blank-line': ({ row }) => ({
    message: `the line of the caller is blank${inRow(row)}`,
    hint: 'for silence write /say-nothing 5',
  }),
  'caller-line': ({ problem, next, row }) => ({ message: `${problem}${inRow(row)}`, hint: next }),
  'no-rows': ({ file }) => ({
    message: `${file} has a header and no rows, so no test would be run`,
    hint: 'add a row',
  }),
  'column-missing': ({ name, row }) => ({
    message: `row ${row} has no ${name}, which another row has and the test uses`,
    hint: `add ${name} to it`,
  }),
  'unknown-assistant': ({ name, near, there = [], row }) => ({
    message: `there is no assistant ${name} in this project${inRow(row)}`,
    hint:
      meantHint(near) ?? (there.length === 0 ? 'assistants/ holds no files' : `there are ${listed(there)}`),
  }),
  'assistant-outside': ({ name }) => ({
    message: `the assistant ${name} is a name in a project, and the test is in none`,
    hint: 'put the test into a folder with a callwright.yaml, or write the fields of the assistant here',
  }),
  'unknown-tool': ({ name, near, there = [], row }) => ({
    message: `there is no tool ${name} in this project${inRow(row)}`,
    hint: meantHint(near) ?? (there.length === 0 ? 'tools/ holds no files' : `there are ${listed(there)}`),
  }),
  'unknown-question': ({ name, near, row }) => ({
    message: `no entry of the knowledge bases has the question ${quoted(name)}${inRow(row)}`,
    hint: meantHint(near && quoted(near)) ?? 'write the question as its entry has it',
  }),
  'unknown-variable': ({ name, near }) => ({
    message: `the variable ${name} has no effect: no text of this project has {{${name}}}`,
    hint: meantHint(near),
  }),
  'unknown-column': ({ name, near }) => ({
    message: `{{${name}}} is neither a column nor a variable of this project`,
    hint: meantHint(near),
  }),
  'bad-duration': ({ value, row }) => ({
    message: `${quoted(value)} is no duration${inRow(row)}`,
    hint: 'for example 2s, 500ms or 1.5m',
  }),
  'bad-time': ({ value, row }) => ({
    message: `${quoted(value)} is no time${inRow(row)}`,
    hint: 'write date, time and zone, for example 2026-01-02T09:30:00Z',
  }),
  'bad-matcher': ({ path, value, problem, row }) => {
    const { message, hint } = matcherWords(problem)
    return { message: `${formatFieldPath(path)} is ${quoted(value)}${inRow(row)}: ${message}`, hint }
  },
  'pass-above-times': ({ pass, times }) => ({
    message: `repeat.pass is ${pass}, and the test is run ${count(times, 'time')}: it could never pass`,
    hint: `give at most ${times}`,
  }),
  'turns-for-caller': ({ hasCaller }) =>
    hasCaller
      ? {
          message: 'turns is a list, and caller speaks for the caller',
          hint: 'with caller, turns is a number: how many lines the caller says at most',
        }
      : {
          message: 'turns is a number, which only a simulated caller has',
          hint: 'add caller: { persona: …, goal: … }, or write the turns as a list',
        },
  'goal-without-caller': () => ({
    message: 'expect.goal is about the goal of a simulated caller, and the test has none',
    hint: 'add caller: { persona: …, goal: … }',
  }),
  'tool-predefined': ({ name }) => ({
    message: `${name} is a tool of the sandbox itself, which answers it`,
    hint: 'take it out; tools holds the answers of the project’s own tools',
  }),
  'tool-twice': ({ name, other }) => ({
    message: `${name} and ${other} are the same tool`,
    hint: 'give one of them, with a list of answers',
  }),
  'name-of-other-test': ({ name, other }) => ({
    message: `a test of ${other} is called ${quoted(name)} too`,
    hint: 'change one of the names: -t and reports tell tests apart by them',
  }),
  'id-of-other-test': ({ id, other }) => ({
    message: `this test is ${id}, as ${other} is: a test is called by its path without extension`,
    hint: 'rename one of the two files',
  }),
}

/** The words for a cassette that cannot be read or written. */
export const cassetteMessages: Messages<CassetteErrors> = {
  'cassette-too-large': ({ file, maxBytes }) => ({
    message: `${file} is larger than ${maxBytes / 1024 ** 2} MB`,
    hint: 'move some of its tests to another file: each test file has a cassette of its own',
  }),
  'cassette-unreadable': ({ file, reason }) => ({
    message: `${file} cannot be read: ${reason}`,
    hint: 'check its permissions, and that it is a file',
  }),
  'cassette-locked': ({ file }) => ({
    message: `${file} is held by another run of callwright`,
    hint: 'wait until it is done, and run callwright test -u again',
  }),
}

const writeAgain = 'callwright test -u writes the file again, and asks the model for what is lost'

/** The words for lines of a cassette that cannot be read. */
export const cassetteFindings: Messages<CassetteFindings> = {
  'torn-line': () => ({
    message: 'the last line is cut off: writing it was interrupted',
    hint: writeAgain,
  }),
  'merge-conflict': () => ({
    message: 'this marks a conflict that git could not merge',
    hint: 'remove the lines with the marks, and keep those of both sides: a cassette is the union of its lines',
  }),
  'long-conversation': () => ({
    message: 'the conversation of this line is longer than 10,000 messages',
    hint: 'run callwright test -u to record it again',
  }),
  'foreign-line': () => ({
    message: 'this is not a line of a cassette',
    hint: `remove it; or ${writeAgain}`,
  }),
  'other-version': () => ({
    message: 'this cassette has a version that this callwright does not know',
    hint: 'use the callwright that wrote it, or a newer one',
  }),
  'unused-cassette': () => ({
    message: 'no test uses this cassette',
    hint: 'callwright test -u removes it',
  }),
}

/** Why what is expected cannot be read. */
export function matcherWords(problem: MatcherProblem): Words {
  return byCase('code', problem, {
    'empty-text': () => ({ message: 'every text contains it', hint: 'write what is looked for' }),
    'text-too-long': ({ details: { max } }) => ({
      message: `it has more than ${max} characters`,
      hint: 'a part of it is enough',
    }),
    'unknown-flag': ({ details: { flag, allowed } }) => ({
      message: `the pattern has the flag ${flag}`,
      hint: `allowed: ${allowed.join(', ')}; to look for text that begins with / use a pattern: /\\/path/`,
    }),
    'broken-pattern': ({ details: { reason } }) => ({
      message: `the pattern cannot be used: ${reason}`,
      hint: 'patterns are written as for RE2, which has no look-around and no back-references',
    }),
    'no-comparison': ({ details: { unit, operators, examples } }) => ({
      message: 'this is no comparison',
      hint: `write ${unit === 'count' ? 'a number' : 'a duration'}, with ${operators.join(', ')} before it or without: ${examples.join(', ')}`,
    }),
    'nested-too-deep': ({ details: { max } }) => ({
      message: `it is nested deeper than ${max} levels`,
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
