import * as z from 'zod/mini'
import { differenceCategories } from '../../files/formats/differences.ts'
import { fieldPath, objectList, optional, required, requiredList } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

const category = z.enum(differenceCategories)
const counts = z.object({ 'tool-calls': z.int(), ending: z.int(), replies: z.int(), analysis: z.int() })
const turn = optional(
  z.int(),
  'Turn from 0, which precedes the first line of the caller; missing for the whole call',
)

const laneSchema = z.object({
  said: required(z.array(z.string()), 'Messages of the assistant in this turn'),
  tools: requiredList('Tool calls in this turn', { name: z.string(), arguments: z.unknown() }),
  turns: required(z.int(), 'Number of turns of the whole call'),
  endedBy: optional(z.string(), 'Side that ended the call, if known'),
  analysis: required(z.record(z.string(), z.unknown()), 'Analysis of the whole call'),
})

const changeLocationSchema = z.object({
  address: required(z.string(), 'Resource of the change'),
  file: required(z.string(), 'File of the change: that of the resource, or one that it includes'),
  path: fieldPath(),
  line: optional(z.int(), 'From 1; missing for a field that was removed'),
  column: optional(z.int(), 'From 1'),
  question: optional(z.string(), 'Question of a FAQ entry'),
})

const differenceGroupSchema = z.object({
  category,
  code: required(z.string(), 'Kind of difference: tool-dropped, ends-earlier, answer-changed, …'),
  text: required(z.string(), 'The difference in words, after the number of calls'),
  details: required(
    z.record(z.string(), z.unknown()),
    'What the kind is about: tool, question, before, after, fields',
  ),
  calls: objectList({
    id: z.string(),
    turn,
    isDrift: required(
      z.boolean(),
      'True if the replay on the deployed files already differs from the recording there',
    ),
  }),
  example: z.object({
    id: required(z.string(), 'Call that is shown, one without drift if possible'),
    turn,
    line: optional(z.string(), 'Line of the caller'),
    recorded: laneSchema,
    deployed: laneSchema,
    planned: laneSchema,
  }),
  cause: optional(
    changeLocationSchema,
    'Change with which the difference appears; missing if it was not searched',
  ),
  record: required(z.string(), 'Command that creates a test from the example'),
})

/** Differences between replays of recorded calls on two versions of a project. */
export const conversationChangesSchema = z.object({
  recordings: z.array(z.string()),
  model: required(
    z.enum(['none', 'recorded']),
    'Source of replies: rules, or a model with recorded responses',
  ),
  calls: required(z.int(), 'Number of calls in the recordings'),
  compared: required(z.int(), 'Number of calls that were replayed on both versions'),
  changed: required(z.int(), 'Number of these with a difference'),
  changes: required(counts, 'Number of calls with a difference, by category'),
  drift: required(
    counts,
    'Number of calls whose replay on the deployed files differs from the recording, by category',
  ),
  groups: required(
    z.array(differenceGroupSchema),
    'Differences, the most frequent first; a call may be in several',
  ),
  notReplayed: objectList({
    code: z.string(),
    reason: z.string(),
    calls: required(z.array(z.string()), 'Ids or names'),
  }),
  unseen: required(
    z.array(changeLocationSchema),
    'Changes that only affect a model, and are not seen in replies by rule',
  ),
  unknown: required(z.array(z.string()), 'Deployed values that the lockfile does not contain'),
})

export type ConversationChanges = Immutable<z.infer<typeof conversationChangesSchema>>
