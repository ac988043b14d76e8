import * as z from 'zod/mini'
import { eventSchema, objectList, optional, required, requiredList } from '../../../interface/fields.ts'
import { errorSchema } from '../failure-result.ts'
import { pathSchema, positionSchema } from '../results.ts'

const location = {
  file: z.string(),
  path: required(pathSchema, 'Keys and indices to the field'),
  position: z.optional(positionSchema),
}

const turn = optional(z.int(), 'Turn of the test; missing for the whole call')
const milliseconds = required(z.number(), 'Milliseconds from the start of the call')
const times = { from: milliseconds, until: optional(z.number(), 'Missing if the call ended before') }
const status = z.enum(['passed', 'failed', 'undecided', 'skipped', 'not-run'])

const turnSchema = z.object({
  caller: z.optional(z.object({ line: z.string(), ...times })),
  said: objectList({
    text: z.string(),
    heard: optional(z.string(), 'Part that was not cut off, if it was'),
    ...times,
    fallback: optional(z.literal(true), 'True if the sandbox said that it does not know'),
  }),
  tools: objectList({
    name: z.string(),
    arguments: required(z.unknown(), 'The parsed arguments; the text if it is not a JSON object'),
    content: required(z.string(), 'JSON text for the model'),
    failure: z.optional(z.string()),
    simulated: z.optional(z.boolean()),
    startedAt: optional(z.string(), 'In the time of the call', { format: 'date-time' }),
    endedAt: optional(z.string(), 'In the time of the call', { format: 'date-time' }),
    ...times,
  }),
  searches: objectList({
    question: z.string(),
    used: z.boolean(),
    hits: objectList({ question: z.string(), score: z.number() }),
  }),
  failures: z.optional(objectList({ part: z.enum(['model', 'tool', 'analysis']), message: z.string() })),
})

const attemptSchema = z.object({
  passed: z.boolean(),
  failures: objectList({
    code: z.string(),
    ...location,
    turn,
    message: z.string(),
    hint: z.optional(z.string()),
    expected: required(z.string(), 'What would have passed'),
    actual: required(z.string(), 'What happened instead'),
  }),
  undecided: objectList({ ...location, turn, reason: z.string() }),
  call: z.object({
    startedAt: required(z.string(), 'In the time of the call', { format: 'date-time' }),
    durationMs: z.number(),
    endedBy: z.optional(z.string()),
    analysis: z.optional(z.record(z.string(), z.unknown())),
  }),
  transcript: z.array(turnSchema),
})

const testSchema = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string(),
  row: optional(z.object(location), 'Row of each that made the test'),
  tags: z.array(z.string()),
  model: z.enum(['none', 'recorded', 'live']),
  status,
  reason: optional(z.enum(['stopped', 'no-model-server']), 'Why the test was not run'),
  skip: optional(z.string(), 'Why the test was skipped'),
  repeat: z.optional(z.object({ times: z.int(), pass: z.int() })),
  attempts: optional(z.array(attemptSchema), 'Missing for a test that was not run'),
})

const run = {
  tests: z.array(testSchema),
  summary: z.object({
    tests: z.int(),
    passed: z.int(),
    failed: z.int(),
    undecided: z.int(),
    skipped: z.int(),
    notRun: z.int(),
    byRules: required(z.int(), 'Passed tests with replies from rules, which test no prompts'),
  }),
  machine: required(
    z.object({
      durationMs: z.number(),
      tests: required(z.record(z.string(), z.number()), 'Milliseconds by the id of the test'),
    }),
    'The only part that differs between equal runs',
  ),
}

const coverageSchema = z.object({
  files: objectList({
    file: z.string(),
    kind: z.string(),
    covered: z.int(),
    total: z.int(),
    uncovered: objectList({
      kind: z.string(),
      name: required(z.string(), 'Tool, variable, question, phrase or target; may be empty'),
      path: pathSchema,
      position: z.optional(positionSchema),
    }),
  }),
  covered: z.int(),
  total: z.int(),
})

const cassetteSchema = z.object({
  file: z.string(),
  responses: objectList({
    row: z.optional(z.int()),
    turn: z.int(),
    role: z.enum(['assistant', 'analysis', 'judge', 'caller']),
    request: required(z.string(), 'Newest message, or the prompt of an analysis or a judge'),
    before: optional(z.string(), 'Missing if none was recorded for this turn'),
    after: z.string(),
  }),
  removed: required(z.int(), 'Entries that no test requests any more'),
  unreadable: required(z.int(), 'Lines that cannot be read'),
  isUnused: required(z.boolean(), 'True if no test uses the file'),
})

export const testResult = {
  document: z.union([
    z.object({
      ...run,
      coverage: optional(coverageSchema, 'With --coverage, --min-coverage or --report'),
      cassettes: optional(z.array(cassetteSchema), 'With --update'),
    }),
    z.object({ tests: z.array(testSchema), error: errorSchema }),
  ]),
  /** With --watch. */
  event: z.union([
    eventSchema('run', { changed: required(z.array(z.string()), 'Files'), ...run }),
    eventSchema('invalid', { error: errorSchema }),
  ]),
}

export const testRecordResult = {
  document: z.object({
    tests: objectList({
      callId: z.nullable(z.string()),
      file: z.optional(z.string()),
      test: optional(z.string(), 'YAML of the test, if it is not written to a file'),
      turns: z.int(),
      expectations: z.int(),
      proposed: required(z.int(), 'Number of expectations in comments'),
      notes: objectList({
        code: z.enum(['unknown-assistant', 'unknown-tool', 'unknown-answer']),
        id: z.optional(z.string()),
        name: z.optional(z.string()),
      }),
    }),
  }),
}

export const testGapsResult = {
  document: z.object({
    calls: required(z.int(), 'Number of calls that were read'),
    questions: required(z.int(), 'Number of questions without an answer'),
    groups: requiredList('Most frequent first', {
      question: z.string(),
      variants: z.array(z.string()),
      count: z.int(),
      calls: z.array(z.string()),
      reasons: z.object({
        fallback: z.optional(z.int()),
        success: z.optional(z.int()),
        data: z.optional(z.int()),
      }),
      nearest: optional(
        z.object({
          question: z.string(),
          file: z.string(),
          line: z.optional(z.int()),
          score: z.number(),
          share: required(z.number(), 'Share of the words of the question that match, 0 to 1'),
        }),
        'Entry of the project that is nearest',
      ),
    }),
    file: optional(z.string(), 'With --out: the file that was written'),
  }),
}
