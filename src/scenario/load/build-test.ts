import { parseCallerLine } from '../../files/formats/caller-script.ts'
import type { ToolResultFile } from '../../files/formats/scenario.ts'
import { inlineAssistantSchema } from '../../interface/assistant.ts'
import { toWire } from '../../interface/vocabulary.ts'
import { isObject } from '../../lib/json.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { readMarked } from '../reference-mark.ts'
import type { CannedToolResult, SourceLocation, TestCase, TestTurn } from '../test-case.ts'
import { notFound, quoted } from './project-index.ts'
import { type RowContext, readDurationField, readExpectations } from './read-expectations.ts'
import type { ParsedTest } from './read-turns.ts'
import type { Row } from './rows.ts'

/** Default maximum of lines that a simulated caller says. */
const defaultLines = 12

/** Builds the test of a file or of one of its rows, and reports problems as findings. */
export async function buildTest(
  test: ParsedTest,
  reading: RowContext,
  placed: Row | undefined,
): Promise<TestCase> {
  const { file, locationOf, source } = test
  const { fill, facts } = reading
  const row = placed?.number
  const id = row === undefined ? test.id : `${test.id}[${row}]`
  const { dynamicVariables, ...overrides } = file.overrides ?? {}
  const variables = Object.entries({ ...dynamicVariables, ...file.variables })
  const { times = 1, pass = times } = file.repeat ?? {}
  const { persona = '', goal = '', knows = {} } = file.caller ?? {}
  return {
    id,
    name: file.name === undefined ? id : fill.text(file.name),
    file: source.file,
    path: source.path,
    row: placed?.location,
    location: placed?.location ?? locationOf(file.name === undefined ? [] : ['name']),
    project: facts?.folder,
    tags: typeof file.tags === 'string' ? [file.tags] : (file.tags ?? []),
    skip: file.skip === true ? '' : file.skip === false ? undefined : file.skip,
    only: file.only === true,
    model: file.model ?? 'none',
    assistant: readAssistant(test, reading),
    variables: Object.fromEntries(variables.map(([name, text]) => [name, fill.text(text)])),
    overrides: Object.keys(overrides).length === 0 ? undefined : toObject(fill.texts(overrides)),
    metadata: file.metadata && toObject(fill.value(file.metadata)),
    at: readTime(test, reading),
    tools: await readTools(test, reading),
    turns: await readTurns(test, reading),
    caller: file.caller && {
      persona: fill.text(persona),
      goal: fill.text(goal),
      knows: toObject(fill.value(knows)),
      turns: typeof file.turns === 'number' ? file.turns : defaultLines,
    },
    expect: await readExpectations(file.expect, test, reading),
    repeat: { times, pass },
  }
}

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function readAssistant(
  { file, locationOf, vocabulary }: ParsedTest,
  { fill, facts, findings }: RowContext,
): TestCase['assistant'] {
  const { assistant } = file
  if (typeof assistant !== 'string')
    return { inline: toObject(toWire(inlineAssistantSchema(vocabulary), fill.texts(assistant))) }
  const text = fill.text(assistant)
  const reference = readMarked(text)
  // The reference check has already looked for the file.
  if (reference !== undefined) return { name: reference.name }
  const location = locationOf(['assistant'])
  if (facts === undefined)
    findings.add(location, 'unknown-reference', {
      message: `the assistant ${text} is the name of a resource, but the test is not in a project`,
      hint: 'move the test into a project, or write the fields of the assistant here',
    })
  else if (!facts.assistants.includes(text)) {
    const names = facts.assistants
    const problem = notFound('assistant', text, { near: didYouMean(text, names), names })
    findings.add(location, 'unknown-reference', { ...problem, cell: fill.findCell(assistant) })
  }
  return { name: text }
}

function readTime({ file, locationOf }: ParsedTest, { fill, findings }: RowContext): number | undefined {
  if (file.at === undefined) return undefined
  const text = fill.text(file.at)
  const at = readDateTime(text)
  if (at === undefined)
    findings.add(locationOf(['at']), 'wrong-format', {
      message: `${quoted(text)} is not a time`,
      hint: 'use a date, time and zone such as 2026-01-02T09:30:00Z',
      cell: fill.findCell(file.at),
    })
  return at
}

/** The first turn is always the welcome, even if the file does not mention it. */
async function readTurns(
  { turns, locationOf }: ParsedTest,
  reading: RowContext,
): Promise<readonly TestTurn[]> {
  const testTurns: TestTurn[] = []
  if (turns[0]?.user !== undefined || turns.length === 0)
    testTurns.push({ location: locationOf(['turns'], 'key'), caller: undefined, expect: [] })
  for (const turn of turns) {
    const { user, expect, locationOf } = turn
    const caller = user === undefined ? undefined : readLine(user, locationOf(['user']), reading)
    testTurns.push({
      location: locationOf([]),
      caller,
      expect: await readExpectations(expect, turn, reading),
    })
  }
  return testTurns
}

function readLine(
  text: string,
  location: SourceLocation,
  { fill, findings }: RowContext,
): TestTurn['caller'] {
  const line = fill.text(text).trim()
  const cell = fill.findCell(text)
  if (line === '')
    findings.add(location, 'missing', {
      message: 'the line of the caller is blank',
      hint: 'for silence, write /say-nothing 5',
      cell,
    })
  const parsed = parseCallerLine(line)
  if ('turn' in parsed) return { line, turn: parsed.turn }
  findings.add(location, 'not-allowed', { message: parsed.problem, hint: parsed.hint, cell })
  return undefined
}

async function readTools({ file, locationOf }: ParsedTest, reading: RowContext): Promise<TestCase['tools']> {
  const { fill, facts, findings } = reading
  const tools = new Map<string, { readonly written: string; readonly answers: readonly CannedToolResult[] }>()
  for (const [written, answer] of Object.entries(file.tools ?? {})) {
    const path = ['tools', written]
    const location = locationOf(path, 'key')
    const match = (await facts?.findFunction(written)) ?? { name: written, isPredefined: false }
    if (!('name' in match)) {
      findings.add(location, 'unknown-reference', match)
      continue
    }
    if (match.isPredefined)
      findings.add(location, 'not-allowed', {
        message: `${written} is a predefined tool, which the sandbox simulates`,
        hint: 'remove it; tools contains responses only for the project’s own tools',
      })
    const other = tools.get(match.name)?.written
    if (other !== undefined)
      findings.add(location, 'duplicate', {
        message: `${written} and ${other} are the same tool`,
        hint: 'keep one of them, with a list of responses',
      })
    const readResult = ({ after = '0ms', ...answer }: ToolResultFile, index?: number): CannedToolResult => {
      const ofAnswer = locationOf([...path, ...(index === undefined ? [] : [index]), 'after'])
      return { after: readDurationField(ofAnswer, after, reading) ?? 0, ...toToolResult(answer, fill) }
    }
    const answers = Array.isArray(answer) ? answer.map(readResult) : [readResult(answer)]
    tools.set(match.name, { written, answers })
  }
  return Object.fromEntries([...tools].map(([name, { answers }]) => [name, answers]))
}

function toToolResult({ fails, passthrough, returns }: ToolResultFile, fill: RowContext['fill']) {
  if (passthrough === true) return { kind: 'passthrough' } as const
  if (fails !== undefined) return { kind: 'fails', reason: fill.text(fails) } as const
  return { kind: 'returns', value: fill.value(returns) } as const
}
