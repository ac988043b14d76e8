import { dirname, join } from 'node:path'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { callName, type RecordedCall } from '../../../events/conversation/index.ts'
import { getCallDuration } from '../../../events/transcript/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { duration } from '../../../lib/text/date-time.ts'
import { shortIds } from '../../../lib/text/did-you-mean.ts'
import { table } from '../../../lib/text/table.ts'
import { bold, join as joinTexts, text } from '../../../lib/text/text.ts'
import {
  type DraftNote,
  draftTest,
  expectationKinds,
  type Proposal,
  type RecordedTest,
  type ReplayableCall,
  readProjectNames,
  renderTest,
  selectActive,
  type TestDraft,
  toReplayableCall,
} from '../../../scenario/record/index.ts'
import { assertExclusive, defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, forceFlag, type OptionsOf } from '../../shell/flags/flag.ts'
import { type OutputFile, outFlag } from '../../shell/flags/out-flag.ts'
import { draftNotes, noteWords, proposalWords } from '../../shell/render/draft-notes.ts'
import { writeOut } from '../document-format.ts'
import { withModeline } from '../project-schemas.ts'
import { chosenCalls } from '../webhook/choose-calls.ts'
import { collectId } from '../webhook/flags.ts'
import { assertNew, isRedacted, openRecording, redactedCourses } from './open-recording.ts'
import { withRedactFlags } from './redact-flags.ts'

const expectations = [...expectationKinds, 'all'] as const

export const testRecordCommand = defineCommand({
  description: 'Create a test from a recorded call',
  examples: [
    'callyard test record calls.ndjson --call CC-7d3f2c1e --out tests/booking.test.yaml',
    'callyard test record calls.ndjson --last --redact --expect all',
  ],
  topics: ['testing', 'recording'],
  effect: 'none',
  flags: withFlags,
  needs: { out: ['force'] },
  async result({ z }) {
    const { recordedTestSchema } = await import('../../../scenario/record/recorded-test-schema.ts')
    return { document: z.object({ tests: z.array(recordedTestSchema) }) }
  },
  /**
   * `test record`: converts recorded calls to test files.
   * @throws CallyardError `usage` if the call is ambiguous or a file exists
   */
  async run(options, context, [file]) {
    const { output } = context
    const { out, force = false } = options
    assertFlags(options)
    const calls = chooseCalls(
      await openRecording(file, context, { calls: options.call, last: options.last }),
      options,
      file,
      context,
    )
    const { project } = await context.settings()
    const names =
      project === undefined ? undefined : await readProjectNames(dirname(project.file), context.cwd)
    const courses = redactedCourses(
      calls.map(call => toReplayableCall(call, names)),
      options,
    )
    const files = fileNames(courses, out)
    for (const outputFile of files)
      if (outputFile !== undefined) await assertNew(outputFile, { force }, context)
    const tests: RecordedTest[] = []
    const contents = new Map<string, string>()
    const openNotes: DraftNote[] = []
    for (const [index, course] of courses.entries()) {
      const transcript = calls[index]?.transcript
      if (transcript === undefined) continue
      const draft = draftTest(course, names)
      if (draft.turns.length === 0)
        throw new CallyardError('invalid', `nothing was said in the call ${callName(transcript)}`, {
          hint: 'choose another call; a test repeats what was said',
        })
      const { active, withOthers } = await chooseExpectations(draft, options, context)
      const { callId } = transcript
      const notes = draftNotes(draft, {
        callId: isRedacted(options) ? undefined : callId,
        hasOthers: withOthers,
      })
      const test = renderTest(draft, { active, withOthers, notes })
      const path = files[index]
      if (path !== undefined) contents.set(path, await withModeline(test, path, 'test', context))
      tests.push({
        callId,
        ...(path === undefined ? { test } : { file: path }),
        turns: draft.turns.length,
        expectations: active.size,
        proposed: draft.proposals.length - active.size,
        notes: draft.notes,
      })
      openNotes.push(...draft.notes)
    }
    for (const [path, content] of contents) await writeOut(path, content, { force }, context)
    report(tests, context)
    for (const note of openNotes) {
      const { message, hint } = noteWords(note)
      output.warn(message, hint)
    }
  },
})

function withFlags(command: Command) {
  return withRedactFlags(
    command
      .argument('<recording>', 'Recording made by webhook tail --record (- for stdin)')
      .addOption(new Flag('--call <id>', 'Call to use, by id or unique prefix').repeatable(collectId))
      .option('--last', 'Use the latest call')
      .addOption(
        outFlag('Write a test (.yaml), or each into a folder (default: stdout)', ['yaml', 'folder'], {
          createsFolder: true,
        }),
      )
      .addOption(forceFlag('Overwrite existing files'))
      .addOption(expectFlag()),
  )
}

function expectFlag() {
  const flag = new Flag('--expect <what>', 'Expectations to write uncommented (default: ends)')
  flag.choices(expectations)
  return flag.repeatable(collectExpectation)
}

function collectExpectation(
  text: string,
  collected: readonly (typeof expectations)[number][] = [],
): (typeof expectations)[number][] {
  const word = expectations.find(candidate => candidate === text)
  if (word === undefined) throw new InvalidArgumentError(`Use one of ${expectations.join(', ')}.`)
  return [...collected, word]
}

type RecordOptions = OptionsOf<typeof withFlags>

function assertFlags({ out, call, last }: RecordOptions): void {
  assertExclusive({ '--call': call, '--last': last })
  if (call !== undefined && call.length > 1 && out?.format !== 'folder') {
    throw new CallyardError('usage', `several calls cannot be written to ${out?.file ?? 'stdout'}`, {
      hint: 'pass a folder: --out tests',
    })
  }
}

function chooseCalls(
  calls: readonly RecordedCall[],
  { call: callArgs = [], last }: RecordOptions,
  file: string,
  { output }: Context,
): RecordedCall[] {
  const transcripts = calls.map(({ transcript }) => transcript)
  const selections = callArgs.length === 0 ? [{ last }] : callArgs.map(call => ({ call }))
  const matchingCalls = selections.flatMap(selection => {
    const some = chosenCalls(transcripts, { ...selection, file })
    if (some === undefined) throw severalCalls(calls, file, output)
    return calls.filter(({ transcript }) => some.includes(transcript))
  })
  return [...new Set(matchingCalls)]
}

/** Lists the calls on stderr with time, duration and the first words of the caller. */
function severalCalls(
  calls: readonly RecordedCall[],
  file: string,
  output: Context['output'],
): CallyardError {
  const ids = shortIds(calls.map(({ transcript }) => callName(transcript)))
  const rows = calls.map(call => {
    const { transcript } = call
    const length = getCallDuration(transcript)
    return {
      name: callName(transcript),
      details: {
        callId: transcript.callId,
        began: transcript.startAt ?? transcript.firstAt,
        length: length === null ? '' : duration(length),
        first: firstLineOf(toReplayableCall(call, undefined)),
      },
    }
  })
  output.note(
    table(
      rows,
      [
        {
          heading: 'CALL',
          cell: ({ name }) => ids.get(name) ?? name,
          min: 11,
          cut: 'beginning',
          style: bold,
        },
        { heading: 'BEGAN', cell: ({ details }) => details.began, min: 16 },
        { heading: 'LENGTH', cell: ({ details }) => details.length, min: 4, align: 'right' },
        { heading: 'FIRST LINE', cell: ({ details }) => details.first, min: 12 },
      ],
      output.width,
    ),
  )
  return new CallyardError('usage', `${file} holds ${calls.length} calls`, {
    hint: 'choose with --call <id>, or --last',
    details: { calls: rows.map(({ details }) => details) },
  })
}

function firstLineOf({ steps }: ReplayableCall): string {
  return steps.find(step => step.kind === 'caller')?.line ?? ''
}

/** In a folder, a test is named after the caller's first message. */
function fileNames(courses: readonly ReplayableCall[], out: OutputFile | undefined): (string | undefined)[] {
  if (out?.format !== 'folder') return courses.map(() => out?.file)
  const usedNames = new Set<string>()
  return courses.map(course => {
    const line = firstLineOf(course).normalize('NFKD').toLowerCase()
    const words = line.match(/[a-z0-9]+/g) ?? ['call']
    const name = words.slice(0, 6).join('-').slice(0, 60)
    let whole = name
    for (let number = 2; usedNames.has(whole); number++) whole = `${name}-${number}`
    usedNames.add(whole)
    return join(out.file, `${whole}.test.yaml`)
  })
}

/** On a terminal a person chooses; otherwise --expect selects the kinds, and the rest are comments. */
async function chooseExpectations(
  draft: TestDraft,
  { expect }: RecordOptions,
  { prompts }: Context,
): Promise<{ readonly active: ReadonlySet<Proposal>; readonly withOthers: boolean }> {
  const { proposals } = draft
  if (expect === undefined && prompts.available) {
    const indices = await prompts.choose({
      message: 'What should the test expect?',
      flag: '--expect',
      choices: proposals.map(proposal => ({
        name: proposalWords(proposal, draft),
        checked: proposal.kind !== 'analysis' && proposal.kind !== 'interruptions',
      })),
    })
    if (indices.length > 0)
      return { active: new Set(proposals.filter((_, index) => indices.includes(index))), withOthers: false }
  }
  const expectArgs = expect ?? ['ends']
  const kinds = expectationKinds.filter(kind => expectArgs.includes('all') || expectArgs.includes(kind))
  const active = selectActive(draft, kinds)
  return { active, withOthers: active.size < proposals.length }
}

function report(tests: readonly RecordedTest[], { output }: Context): void {
  const [only] = tests
  if (only?.test !== undefined && !output.json) {
    output.data(only.test)
    return
  }
  output.result({ tests }, () =>
    joinTexts(
      tests.map(({ file = '', turns, expectations, proposed }) => {
        const more = proposed === 0 ? '' : `, ${proposed} more in comments`
        return text`Wrote ${bold(file)}: ${count(turns, 'turn')}, ${count(expectations, 'expectation')}${more}`
      }),
    ),
  )
  for (const { file } of tests) if (file !== undefined) output.note(text`Run it: callyard test ${file}`)
}
