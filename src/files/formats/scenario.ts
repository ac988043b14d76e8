import * as z from 'zod/mini'
import { inlineAssistantSchema, overridesSchema } from '../../interface/assistant.ts'
import {
  encodingText,
  formatText,
  optional,
  optionalObject,
  required,
  someText,
  textOrList,
  wholeNumber,
} from '../../interface/fields.ts'
import { perVocabulary } from '../../interface/vocabulary.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

/** `*.test.yaml`: a conversation that is checked (docs/testing-conversations.md). Not part of the service's interface. */
export const testSchema = perVocabulary(vocabulary =>
  z.strictObject(testFields(inlineAssistantSchema(vocabulary))),
)

const testFields = (assistant: z.ZodMiniType<Readonly<Record<string, unknown>>>) => ({
  name: optional(someText(), 'Name of the test; the file name by default'),
  description: optional(z.string(), 'Purpose of the test'),
  assistant: required(
    z.union([someText(), assistant]),
    'Assistant of the call: its name in the project, ${assistant:name}, or its fields',
  ),
  variables: optional(
    z.record(z.string(), z.string()),
    'Variable name → text that replaces {{name}} in prompt and messages',
  ),
  overrides: optional(overridesSchema(), 'assistantOverrides of the call; its variables stand in variables'),
  metadata: optional(z.record(z.string(), z.unknown()), 'Metadata of the call'),
  model: optional(
    z.enum(testModels),
    'Source of replies: the rules of the sandbox, recorded responses of a model, or the model itself',
    { default: 'none' },
  ),
  at: optional(
    patternText(time, 'a time such as 2026-01-02T09:30:00Z'),
    'When the call is placed; without it on Thursday 2026-01-01 at midnight UTC',
  ),
  tools: optional(
    z.record(z.string(), z.union([toolResult(), z.array(toolResult()).check(z.minLength(1))])),
    'Tool, by the name of its function or of its file → its result, or a list of results in order',
  ),
  turns: optional(
    z.union([turnsSchema(), wholeNumber(1, maxTurns)]),
    'Turns of the caller with expectations; with caller, the maximum number of its lines',
  ),
  caller: optional(callerSchema(), 'A model speaks for the caller'),
  expect: optional(callExpectSchema(), 'Expectations of the whole call'),
  repeat: optionalObject('Run it several times', () => ({
    times: required(wholeNumber(1, 1000), 'Number of runs'),
    pass: optional(wholeNumber(1, 1000), 'Number of runs that must pass; all by default'),
  })),
  each: optional(
    z.union([someText(), rowsSchema()]),
    'Rows of a table-driven test, whose columns replace {{column}}: a CSV file or a list',
  ),
  encoding: optional(
    encodingText(),
    'Encoding of the CSV file in each that is not in Unicode; by default the file suggests it',
  ),
  skip: optional(z.union([z.boolean(), someText()]), 'Do not run it; a text says why'),
  only: optional(z.boolean(), 'Run it alone, with others that say so; refused in CI'),
  tags: optional(textOrList(), 'Words by which a run selects tests'),
})

/** The rows of `each`: column → value. */
export const rowsSchema = lazy(() => z.array(z.record(z.string(), z.unknown())).check(z.minLength(1)))

export const testModels = ['none', 'recorded', 'live'] as const

/** Lines of one call at most, those of included files too. */
export const maxTurns = 10_000

export const turnsSchema = lazy(() =>
  z.array(
    z.strictObject({
      user: optional(
        someText(),
        'Line of the caller, or /interrupt <text>, /keys <keys>, /say-nothing <seconds>, /hangup',
      ),
      include: optional(
        someText(),
        'File with a list of turns that stand here; its path is relative to this file',
      ),
      expect: optional(turnExpectSchema(), 'Expectations until the next line of the caller'),
    }),
  ),
)

/** Value of a file that passed its check. */
export type TestFile = Infer<typeof testSchema>
export type Turns = Infer<typeof turnsSchema>
export type TurnExpect = Infer<typeof turnExpectSchema>
export type CallExpect = Infer<typeof callExpectSchema>
export type ToolResultFile = Infer<typeof toolResult>

const turnExpectSchema = lazy(() =>
  z.strictObject({
    ...conversationExpect(),
    within: optional(durationText(), 'The assistant begins to speak so soon after the caller'),
    words: optional(comparedNumber(), 'Number of words of the assistant'),
    silence: optional(comparedDuration(), 'The longest time in which neither side speaks'),
  }),
)

const callExpectSchema = lazy(() =>
  z.strictObject({
    ...conversationExpect(),
    analysis: optional(
      withFields(
        z.strictObject({
          summary: optional(z.unknown(), 'Expected summary'),
          successEvaluation: optional(z.unknown(), 'Expected evaluation, such as ">= 7"'),
          structuredData: optional(z.unknown(), 'Expected data; only the fields listed here are compared'),
        }),
      ),
      'Expected analysis of the call',
    ),
    duration: optional(comparedDuration(), 'Duration of the call'),
    interruptions: optional(comparedNumber(), 'Number of interruptions by the caller'),
    goal: optional(z.enum(testGoals), 'Whether the simulated caller reached its goal'),
  }),
)

export const testGoals = ['reached', 'missed'] as const

const conversationExpect = () => ({
  says: optional(textOrList(), 'Text, or /pattern/, that the assistant says; of a list each'),
  not: optional(textOrList(), 'Text, or /pattern/, that the assistant does not say; of a list none'),
  exactly: optional(someText(), 'A message of the assistant, to the letter'),
  heard: optional(
    textOrList(),
    'Text or /pattern/ that the assistant says without being cut off; each item of a list',
  ),
  calls: optional(
    z.union([
      withFields(z.record(z.string(), z.union([z.enum(['any', 'never']), toolArguments()]))),
      z.array(z.union([someText(), oneCall()])),
    ]),
    'Tools that are called: a mapping of each to its arguments, any or never; or a list of all of them in their order',
  ),
  knows: optional(textOrList(), 'Question of the FAQ entry that is used; each item of a list'),
  answers: optional(
    z.strictObject({
      within: required(
        durationText(),
        'Maximum time after the last word of the caller; messages while a tool runs do not count',
      ),
    }),
    'How soon the assistant answers',
  ),
  ends: optional(z.enum(testEnds), 'The call ends here, and by whom'),
  judge: optional(
    textOrList(),
    'Sentence about the assistant that a model judges to be true; of a list each',
  ),
})

export const testEnds = ['assistant', 'user', 'system', 'forward'] as const

const callerSchema = lazy(() =>
  z.strictObject({
    persona: required(someText(), 'Description of the caller and the style of speaking'),
    goal: required(someText(), 'Goal of the caller'),
    knows: optional(z.record(z.string(), z.unknown()), 'Facts that the caller can give when asked'),
  }),
)

const toolArguments = () => z.record(z.string(), z.unknown())

/** `{ book-appointment: { day: 2026-01-02 } }`: one tool with its arguments. */
const oneCall = () => withFields(z.record(z.string(), z.union([z.enum(['any']), toolArguments()])), 1)

/** A mapping that is not empty, and has at most this many fields. */
function withFields<Schema extends z.ZodMiniType<object>>(schema: Schema, most = Number.POSITIVE_INFINITY) {
  const checked = schema.check(
    z.superRefine((value, { addIssue }) => {
      const { length } = Object.keys(value)
      if (length >= 1 && length <= most) return
      const allowed = `a mapping with ${most === 1 ? 'one field' : 'at least one field'}`
      addIssue({ code: 'custom', input: value, path: [], params: { code: 'out-of-range', allowed } })
    }),
  )
  const maximum = Number.isFinite(most) ? { maxProperties: most } : {}
  z.globalRegistry.add(checked, { minProperties: 1, ...maximum })
  return checked
}

const answerKinds = ['returns', 'fails', 'passthrough'] as const

/** Result of a tool in a test, in one of three forms. */
const toolResult = lazy(() => {
  const schema = z
    .strictObject({
      returns: optional(z.unknown(), 'Response of the tool'),
      fails: optional(someText(), 'Failure of the tool'),
      passthrough: optional(z.literal(true), 'Call the server of the tool'),
      after: optional(durationText(), 'Duration of the tool call'),
    })
    .check(
      z.superRefine(
        (answer, { addIssue }) => {
          if (typeof answer !== 'object' || answer === null) return
          const givenKinds = answerKinds.filter(kind => Object.hasOwn(answer, kind))
          if (givenKinds.length === 1) return
          const message = `a response of a tool has one of ${answerKinds.join(', ')}; this one has ${givenKinds.length === 0 ? 'none' : givenKinds.join(' and ')}`
          addIssue({ code: 'custom', input: answer, path: [], message })
        },
        { when: () => true },
      ),
    )
  const oneOf = answerKinds.map(kind => ({ type: 'object', required: [kind], properties: { [kind]: {} } }))
  return schema.register(z.globalRegistry, { oneOf })
})

const amount = '\\d{1,15}(?:\\.\\d{1,9})?'
const compared = '(?:(?:<=|>=|<|>|=)\\s*)?'
const duration = `${amount}(?:ms|[smhdw])`
const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)'

const durationText = () => patternText(duration, 'a duration such as 2s or 500ms')
const comparedDuration = () =>
  patternText(compared + duration, 'a duration or a comparison of one, such as <= 2s')
const comparedNumber = () =>
  z.union([
    z.number().check(z.minimum(0)),
    patternText(compared + amount, 'a number or a comparison such as <= 40'),
  ])

/** A string with a pattern, or with a column of `each`, which is checked row by row. */
function patternText(form: string, allowed: string) {
  return formatText(`^\\s*${form}\\s*$|\\{\\{`, allowed)
}
