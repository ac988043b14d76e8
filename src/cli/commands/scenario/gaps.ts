import { callName } from '../../../events/conversation/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { openKnowledge } from '../../../sandbox/index.ts'
import { MatcherError, readTextMatcher, type TextMatcher } from '../../../scenario/index.ts'
import {
  createFallbackTest,
  findGaps,
  type Gap,
  groupQuestions,
  type QuestionGroup,
  renderGaps,
  toReplayableCall,
  type UnansweredQuestion,
} from '../../../scenario/record/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, forceFlag } from '../../shell/flags/flag.ts'
import { collect, integerParser } from '../../shell/flags/option-parsers.ts'
import { outFlag } from '../../shell/flags/out-flag.ts'
import { gapNotes } from '../../shell/render/draft-notes.ts'
import { writeOut } from '../document-format.ts'
import { filesOfProject, readBases, roundScore } from '../faq/bases.ts'
import { withModeline } from '../project-schemas.ts'
import {
  assertNew,
  isRedacted,
  openRecording,
  openRecordingsInGroups,
  redactedCourses,
} from './open-recording.ts'
import { withRedactFlags } from './redact-flags.ts'

export const testGapsCommand = defineCommand({
  description: 'Draft FAQ entries for questions that got no answer',
  examples: [
    'callyard test gaps calls.ndjson --out gaps.yaml',
    "callyard test gaps calls.ndjson --fallback '/connect you|colleague/i' --json | jq '.groups[0]'",
  ],
  topics: ['testing', 'recording'],
  effect: 'none',
  flags: command =>
    withRedactFlags(
      command
        .argument('<recording>', 'Recording made by webhook tail --record (- for stdin)')
        .addOption(
          new Flag(
            '--fallback <text>',
            'Text or /pattern/ of a fallback reply (default: common phrases)',
          ).repeatable(collect),
        )
        .option('--limit <n>', 'Maximum number of entries (default: 50)', integerParser(1, 100_000))
        .addOption(
          outFlag('Write the draft to a new file (.yaml; default: stdout)', ['yaml'], {
            createsFolder: true,
          }),
        )
        .addOption(forceFlag('Overwrite the file of --out')),
    ),
  needs: { out: ['force'] },
  async result({ z, optional, required }) {
    const { gapSchema } = await import('../../../scenario/record/gap-schema.ts')
    return {
      document: z.object({
        calls: required(z.int(), 'Number of calls that were read'),
        questions: required(z.int(), 'Number of questions without an answer'),
        groups: required(z.array(gapSchema), 'Most frequent first'),
        file: optional(z.string(), 'With --out: the file that was written'),
      }),
    }
  },
  /**
   * `test gaps`: prints grouped questions that recorded calls left open, with the nearest FAQ entry of the project. @throws
   * CallyardError `usage` for an invalid --fallback, or an existing file
   */
  async run(options, context, [file]) {
    const { force = false, limit = defaultLimit } = options
    const out = options.out?.file
    const isFallback = createFallbackTest(
      options.fallback && (await Promise.all(options.fallback.map(readFallback))),
    )
    if (out !== undefined) await assertNew(out, { force }, context)
    let callCount = 0
    const unanswered: UnansweredQuestion[] = []
    // Placeholders are numbered across all calls.
    const groupsOfCalls = isRedacted(options)
      ? [await openRecording(file, context)]
      : openRecordingsInGroups([file], context)
    for await (const calls of groupsOfCalls) {
      callCount += calls.length
      const courses = redactedCourses(
        calls.map(call => toReplayableCall(call, undefined)),
        options,
      )
      for (const [index, course] of courses.entries()) {
        const transcript = calls[index]?.transcript
        const name = transcript === undefined ? '' : callName(transcript)
        unanswered.push(...findGaps(course, name, isFallback))
      }
    }
    const questionGroups = groupQuestions(unanswered)
    const groups = await withNearest(questionGroups, context)
    const questions = questionGroups.reduce((sum, group) => sum + group.count, 0)
    const summary = { calls: callCount, questions, groups }
    const { output } = context
    const totals = `${count(questions, 'question')} without an answer in ${count(callCount, 'call')}`
    if (groups.length === 0 && !output.json) {
      output.note(totals)
      return
    }
    const draft = renderGaps(
      groups.slice(0, limit).map(group => ({
        question: group.question,
        notes: gapNotes(group, { namesCalls: !isRedacted(options) }),
      })),
      [`${totals}. Write the answers, and copy the entries into a knowledge base.`],
    )
    const left = groups.length - limit
    if (left > 0)
      output.note(`${count(left, 'group')} more; draft them with --limit, or list all with --json`)
    if (out === undefined && !output.json) {
      output.data(draft)
      return
    }
    if (out !== undefined) {
      const content = await withModeline(draft, out, 'knowledge-base', context)
      await writeOut(out, content, { force }, context)
    }
    output.result(out === undefined ? summary : { ...summary, file: out }, () => {
      return text`Wrote ${bold(out ?? '')}: ${count(Math.min(groups.length, limit), 'entry', 'entries')} for ${totals}`
    })
  },
})

const defaultLimit = 50

async function readFallback(written: string): Promise<TextMatcher> {
  try {
    return await readTextMatcher(written)
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error
    const { message, hint } = error
    throw new CallyardError('usage', `--fallback ${JSON.stringify(written)}: ${message}`, { hint })
  }
}

async function withNearest(groups: readonly QuestionGroup[], context: Context): Promise<Gap[]> {
  const files = groups.length === 0 ? [] : ((await filesOfProject(context)) ?? [])
  if (files.length === 0) return [...groups]
  const bases = await readBases(files, {}, context)
  const find = openKnowledge(bases.all)
  const gaps: Gap[] = []
  for (const group of groups) {
    const [hit] = await find(group.question, 1)
    const nearest = hit && {
      question: hit.entry.question,
      ...bases.locationOf(hit.entry),
      score: roundScore(hit.score),
      share: roundScore(hit.share),
    }
    gaps.push(nearest === undefined ? group : { ...group, nearest })
  }
  return gaps
}
