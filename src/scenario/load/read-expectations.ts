import type { CallExpect, TurnExpect } from '../../files/formats/scenario.ts'
import { formatFieldPath } from '../../interface/check.ts'
import type { FieldPath } from '../../interface/finding.ts'
import { isObject } from '../../lib/json.ts'
import { readDuration } from '../../lib/text/date-time.ts'
import { MatcherError } from '../errors.ts'
import { readTextMatcher } from '../expect/text.ts'
import { readComparison, readValueMatcher } from '../expect/value.ts'
import type { Expectation, ExpectedCall, SourceLocation } from '../test-case.ts'
import type { FileLocator, Findings } from './findings.ts'
import { type NameNotFound, type ProjectNames, quoted } from './project-index.ts'
import type { RowFiller } from './rows.ts'

export interface RowContext {
  readonly fill: RowFiller
  /** Undefined if the test is outside any project. */
  readonly facts: ProjectNames | undefined
  readonly findings: Findings
}

/**
 * Reads the expectations of a turn or a call in file order, with row placeholders filled. `holder` is the turn or test.
 */
export async function readExpectations(
  value: (TurnExpect & CallExpect) | undefined,
  holder: FileLocator,
  reading: RowContext,
): Promise<readonly Expectation[]> {
  if (value === undefined) return []
  const locationOf: FileLocator['locationOf'] = (path, at) => holder.locationOf(['expect', ...path], at)
  const expectations: Expectation[] = []
  const add = (expectation: Expectation) => void expectations.push(expectation)
  const at: ExpectContext = { value, locationOf, add, ...reading }
  await readTexts(at)
  await readCalls(at)
  await readNumbers(at)
  const matcher = value.analysis && (await readValue(['analysis'], value.analysis, at))
  if (matcher !== undefined) add({ location: locationOf(['analysis']), kind: 'analysis', matcher })
  if (value.ends !== undefined) add({ location: locationOf(['ends']), kind: 'ends', by: value.ends })
  if (value.goal !== undefined)
    add({ location: locationOf(['goal']), kind: 'goal', reached: value.goal === 'reached' })
  // Validation changes the order of fields, so it is that of the source.
  const { path } = locationOf([])
  const fields = fieldsAt(holder.source.value, path)
  const indexOf = ({ location }: Expectation) => fields.indexOf(String(location.path[path.length]))
  return expectations.sort((one, other) => indexOf(one) - indexOf(other))
}

function fieldsAt(value: unknown, path: FieldPath): readonly string[] {
  const holder = path.reduce<unknown>(
    (parent, key) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, key) : undefined),
    value,
  )
  return isObject(holder) ? Object.keys(holder) : []
}

interface ExpectContext extends RowContext {
  readonly locationOf: FileLocator['locationOf']
  readonly value: TurnExpect & CallExpect
  add(expectation: Expectation): void
}

async function readTexts(at: ExpectContext): Promise<void> {
  const { add, fill, facts, value, locationOf } = at
  for (const kind of ['says', 'not', 'heard'] as const) {
    for (const [path, written] of listTexts(kind, at)) {
      const text = await readOrReport(path, written, fill.text(written), readTextMatcher, at)
      if (text !== undefined) add({ location: locationOf(path), kind, text })
    }
  }
  if (value.exactly !== undefined)
    add({ location: locationOf(['exactly']), kind: 'exactly', text: fill.text(value.exactly) })
  for (const [path, written] of listTexts('judge', at))
    add({ location: locationOf(path), kind: 'judge', sentence: fill.text(written) })
  for (const [path, written] of listTexts('knows', at)) {
    const location = locationOf(path)
    const question = await readName(written, location, facts?.findQuestion, at)
    if (question !== undefined) add({ location, kind: 'knows', question })
  }
}

/** Returns a single text or each text of a list, with its path. */
function listTexts(
  field: 'says' | 'not' | 'heard' | 'knows' | 'judge',
  { value }: ExpectContext,
): (readonly [FieldPath, string])[] {
  const fieldValue = value[field] ?? []
  if (typeof fieldValue === 'string') return [[[field], fieldValue]]
  return fieldValue.map((text, index) => [[field, index], text])
}

async function readCalls(at: ExpectContext): Promise<void> {
  const { add, locationOf, value } = at
  const { calls = {} } = value
  if (!Array.isArray(calls)) {
    for (const [name, expectedArgs] of Object.entries(calls)) {
      const path = ['calls', name]
      const tool = await readTool(name, path, at)
      if (tool === undefined) continue
      const matcher = expectedArgs === 'never' ? undefined : await readValue(path, expectedArgs, at)
      if (expectedArgs === 'never') add({ location: locationOf(path), kind: 'never-calls', tool })
      else if (matcher !== undefined)
        add({ location: locationOf(path), kind: 'calls', tool, arguments: matcher })
    }
    return
  }
  const inOrder: ExpectedCall[] = []
  for (const [index, call] of calls.entries()) {
    const [name = '', expectedArgs = 'any'] =
      typeof call === 'string' ? [call] : (Object.entries(call)[0] ?? [])
    const path = typeof call === 'string' ? ['calls', index] : ['calls', index, name]
    const tool = await readTool(name, path, at)
    const matcher = await readValue(path, expectedArgs, at)
    if (tool !== undefined && matcher !== undefined) inOrder.push({ tool, arguments: matcher })
  }
  add({ location: locationOf(['calls']), kind: 'calls-in-order', calls: inOrder })
}

function readTool(written: string, path: FieldPath, at: ExpectContext) {
  return readName(written, at.locationOf(path, 'key'), at.facts?.findFunction, at)
}

/** Resolves a name in the project. Returns undefined and adds a finding if it does not exist. */
async function readName(
  written: string,
  location: SourceLocation,
  find: ((name: string) => Promise<{ readonly name: string } | NameNotFound>) | undefined,
  { fill, findings }: ExpectContext,
): Promise<string | undefined> {
  const name = fill.text(written)
  const match = (await find?.(name)) ?? { name }
  if ('name' in match) return match.name
  findings.add(location, 'unknown-reference', { ...match, cell: fill.findCell(written) })
  return undefined
}

async function readNumbers(at: ExpectContext): Promise<void> {
  const { add, locationOf, fill, value } = at
  for (const [kind, path, written] of [
    ['within', ['within'], value.within],
    ['answers', ['answers', 'within'], value.answers?.within],
  ] as const) {
    if (written === undefined) continue
    const location = locationOf(path)
    const milliseconds = readDurationField(location, written, at)
    if (milliseconds !== undefined) add({ location, kind, milliseconds })
  }
  for (const kind of ['words', 'silence', 'duration', 'interruptions'] as const) {
    const writtenLimit = value[kind]
    if (writtenLimit === undefined) continue
    const filled = typeof writtenLimit === 'string' ? fill.text(writtenLimit) : writtenLimit
    const unit = kind === 'silence' || kind === 'duration' ? 'duration' : 'count'
    const comparison = await readOrReport(
      [kind],
      writtenLimit,
      filled,
      text => readComparison(text, unit),
      at,
    )
    if (comparison !== undefined) add({ location: locationOf([kind]), kind, comparison })
  }
}

/** Parses a duration to milliseconds. Returns undefined and adds a finding if it is invalid. */
export function readDurationField(
  location: SourceLocation,
  written: string,
  { fill, findings }: RowContext,
): number | undefined {
  const value = fill.text(written)
  const milliseconds = readDuration(value)
  if (milliseconds === undefined)
    findings.add(location, 'wrong-format', {
      message: `${quoted(value)} is not a duration`,
      hint: 'use a duration such as 2s, 500ms or 1.5m',
      cell: fill.findCell(written),
    })
  return milliseconds
}

function readValue(path: FieldPath, written: unknown, at: ExpectContext) {
  return readOrReport(path, written, at.fill.value(written), value => readValueMatcher(value), at)
}

/** Reads a filled value. Returns undefined and adds a finding if it is invalid. */
async function readOrReport<Value, Matcher>(
  path: FieldPath,
  written: unknown,
  value: Value,
  read: (value: Value) => Matcher | Promise<Matcher>,
  { fill, findings, locationOf }: ExpectContext,
): Promise<Matcher | undefined> {
  try {
    return await read(value)
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error
    const location = locationOf([...path, ...error.path])
    const message = `${formatFieldPath(location.path)} is ${quoted(value)}: ${error.message}`
    findings.add(location, 'wrong-format', { message, hint: error.hint, cell: fill.findCell(written) })
    return undefined
  }
}
