import * as z from 'zod/mini'
import { failedParts, toolResultSchema } from '../../files/formats/call-observation.ts'
import { testModels } from '../../files/formats/scenario.ts'
import { positionSchema } from '../../files/source/diagnostic-schema.ts'
import { fieldPath, objectList, optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'
import { testStatuses } from '../verdict.ts'

const location = { file: z.string(), path: fieldPath(), position: z.optional(positionSchema) }
const turn = optional(z.int(), 'Turn of the test; missing for the whole call')
const milliseconds = required(z.number(), 'Milliseconds from the start of the call')
const times = { from: milliseconds, until: optional(z.number(), 'Missing if the call ended before') }

const turnSchema = z.object({
  caller: z.optional(z.object({ line: z.string(), ...times })),
  said: objectList({
    text: z.string(),
    heard: optional(z.string(), 'Part that was not cut off, if it was'),
    ...times,
    fallback: optional(z.literal(true), 'True if the sandbox said that it does not know'),
  }),
  tools: z.array(z.extend(z.omit(toolResultSchema, { id: true }), times)),
  searches: objectList({
    question: z.string(),
    used: z.boolean(),
    hits: objectList({ question: z.string(), score: z.number() }),
  }),
  failures: z.optional(objectList({ part: z.enum(failedParts), message: z.string() })),
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

const testEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string(),
  row: optional(z.object(location), 'Row of each that made the test'),
  tags: z.array(z.string()),
  model: z.enum(testModels),
  status: z.enum([...testStatuses, 'not-run']),
  reason: optional(z.enum(['stopped', 'no-model-server']), 'Why the test was not run'),
  skip: optional(z.string(), 'Why the test was skipped'),
  repeat: z.optional(z.object({ times: z.int(), pass: z.int() })),
  attempts: optional(z.array(attemptSchema), 'Missing for a test that was not run'),
})
export type TestEntry = Immutable<z.infer<typeof testEntrySchema>>

/**
 * A run of tests, as --json prints it. Two runs of the same tests differ in `machine` alone: the times of a transcript are milliseconds
 * of the call, which begins where its test says.
 */
export const testRunSchema = z.object({
  tests: z.array(testEntrySchema),
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
})
export type TestRunDocument = Immutable<z.infer<typeof testRunSchema>>
