import type { FieldPath } from '../../interface/finding.ts'
import type { CallExpect, TurnExpect } from '../../interface/scenario.ts'
import { readDuration } from '../../lib/text/date-time.ts'
import { readComparison } from '../expect/comparison.ts'
import type { MatcherProblem } from '../expect/problem.ts'
import { readTextMatcher } from '../expect/text.ts'
import { readValueMatcher } from '../expect/value.ts'
import type { Expectation, ExpectedCall, ValueMatcher } from '../test-case.ts'
import type { Fill } from './fill.ts'
import type { Findings, Located } from './findings.ts'
import type { ProjectFacts } from './project-facts.ts'

export interface ReadingRow {
  readonly fill: Fill
  /** Undefined: the test is in no project. */
  readonly facts: ProjectFacts | undefined
  readonly findings: Findings
}

/** What a turn or the call is expected to be, as the file has it. */
export interface WrittenExpect extends Pick<Located, 'placeOf'> {
  readonly value: TurnExpect & CallExpect
}

/** What a turn or a call is expected to be, in the order of the file, with the columns of a row. */
export async function readExpectations(
  { value, placeOf }: WrittenExpect,
  reading: ReadingRow,
): Promise<readonly Expectation[]> {
  const expectations: Expectation[] = []
  const add = (expectation: Expectation) => void expectations.push(expectation)
  const at: At = { value, placeOf, add, ...reading }
  readTexts(at)
  await readQuestions(at)
  await readCalls(at)
  readNumbers(at)
  if (value.analysis !== undefined) {
    const matcher = readValue(['analysis'], value.analysis, at)
    if (matcher !== undefined) add({ place: placeOf(['analysis']), kind: 'analysis', matcher })
  }
  if (value.ends !== undefined) add({ place: placeOf(['ends']), kind: 'ends', by: value.ends })
  if (value.goal !== undefined)
    add({ place: placeOf(['goal']), kind: 'goal', reached: value.goal === 'reached' })
  return expectations.sort(({ place: { position: one } }, { place: { position: other } }) =>
    one === undefined || other === undefined ? 0 : one.line - other.line || one.column - other.column,
  )
}

interface At extends WrittenExpect, ReadingRow {
  add(expectation: Expectation): void
}

function readTexts(at: At): void {
  const { add, fill, value, placeOf } = at
  for (const kind of ['says', 'not', 'heard'] as const) {
    for (const { text, path, row } of textsOf(kind, at)) {
      const read = readTextMatcher(text)
      if ('problem' in read) bad(path, text, read.problem, row, at)
      else add({ place: placeOf(path), kind, text: read.matcher })
    }
  }
  if (value.exactly !== undefined)
    add({ place: placeOf(['exactly']), kind: 'exactly', text: fill.text(value.exactly) })
  for (const { text: sentence, path } of textsOf('judge', at))
    add({ place: placeOf(path), kind: 'judge', sentence })
}

async function readQuestions(at: At): Promise<void> {
  const { add, placeOf, facts, findings } = at
  for (const { text, path, row } of textsOf('knows', at)) {
    const found = (await facts?.questionOf(text)) ?? { name: text }
    if ('name' in found) add({ place: placeOf(path), kind: 'knows', question: found.name })
    else {
      const { near } = found
      findings.add(placeOf(path), 'unknown-reference', 'unknown-question', { name: text, near, row })
    }
  }
}

async function readCalls(at: At): Promise<void> {
  const { add, placeOf, value } = at
  const { calls } = value
  if (calls === undefined) return
  if (!Array.isArray(calls)) {
    for (const [name, given] of Object.entries(calls)) {
      const path = ['calls', name]
      const tool = await readTool(name, path, at)
      if (tool === undefined) continue
      if (given === 'never') add({ place: placeOf(path), kind: 'never-calls', tool })
      else {
        const matcher = readValue(path, given, at)
        if (matcher !== undefined) add({ place: placeOf(path), kind: 'calls', tool, arguments: matcher })
      }
    }
    return
  }
  const inOrder: ExpectedCall[] = []
  for (const [index, call] of calls.entries()) {
    const [name = '', given = 'any'] = typeof call === 'string' ? [call] : (Object.entries(call)[0] ?? [])
    const path = typeof call === 'string' ? ['calls', index] : ['calls', index, name]
    const tool = await readTool(name, path, at)
    const matcher = readValue(path, given, at)
    if (tool !== undefined && matcher !== undefined) inOrder.push({ tool, arguments: matcher })
  }
  add({ place: placeOf(['calls']), kind: 'calls-in-order', calls: inOrder })
}

async function readTool(written: string, path: FieldPath, { facts, fill, findings, placeOf }: At) {
  const name = fill.text(written)
  const found = (await facts?.functionOf(name)) ?? { name }
  if ('name' in found) return found.name
  findings.add(placeOf(path, 'key'), 'unknown-reference', 'unknown-tool', {
    name,
    row: fill.rowOf(written),
    ...found,
  })
  return undefined
}

function readNumbers(at: At): void {
  const { add, placeOf, fill, value } = at
  if (value.within !== undefined) {
    const text = fill.text(value.within)
    const milliseconds = readDuration(text)
    if (milliseconds === undefined)
      at.findings.add(placeOf(['within']), 'wrong-format', 'bad-duration', {
        value: text,
        row: fill.rowOf(value.within),
      })
    else add({ place: placeOf(['within']), kind: 'within', milliseconds })
  }
  for (const kind of ['words', 'silence', 'duration', 'interruptions'] as const) {
    const given = value[kind]
    if (given === undefined) continue
    const filled = typeof given === 'string' ? fill.text(given) : given
    const unit = kind === 'silence' || kind === 'duration' ? 'duration' : 'count'
    const read = readComparison(filled, unit)
    if ('problem' in read) bad([kind], filled, read.problem, fill.rowOf(given), at)
    else add({ place: placeOf([kind]), kind, comparison: read.matcher })
  }
}

function readValue(path: FieldPath, given: unknown, at: At): ValueMatcher | undefined {
  const filled = at.fill.value(given)
  const read = readValueMatcher(filled)
  if ('matcher' in read) return read.matcher
  bad(path, filled, read.problem, at.fill.rowOf(given), at)
  return undefined
}

/** A text, or each of a list. */
function textsOf(field: 'says' | 'not' | 'heard' | 'knows' | 'judge', { value, fill }: At) {
  const given = value[field]
  if (given === undefined) return []
  if (typeof given === 'string') return [{ text: fill.text(given), path: [field], row: fill.rowOf(given) }]
  return given.map((text, index) => ({ text: fill.text(text), path: [field, index], row: fill.rowOf(text) }))
}

function bad(
  path: FieldPath,
  value: unknown,
  problem: MatcherProblem,
  row: number | undefined,
  { findings, placeOf }: At,
): void {
  const place = placeOf([...path, ...problem.path])
  findings.add(place, 'wrong-format', 'bad-matcher', { path: place.path, value, problem, row })
}
