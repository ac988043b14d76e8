import * as z from 'zod/mini'
import { changeSchemas } from '../../events/conversation/change-schemas.ts'
import { summarySchema } from '../../events/receive/index.ts'
import { accessSchema } from '../../files/access/access-schema.ts'
import { storedRecordSchema } from '../../files/formats/control-api.ts'
import { diagnosticSchema } from '../../files/source/diagnostic-schema.ts'
import { eventSchema, objectList, optional, required, requiredList } from '../../interface/fields.ts'
import { appliedSchema } from '../../project/apply/index.ts'
import { planSchema } from '../../project/plan/plan-schema.ts'
import { conversationChangesSchema } from '../../scenario/replay/index.ts'
import { notStoredSchema } from '../../service/api/index.ts'
import { effects } from '../shell/cli-command.ts'

// Results of the top-level commands. See defineCommand.

export const initResult = {
  document: z.object({
    folder: required(z.string(), 'Absolute path of the project'),
    written: required(z.array(z.string()), 'Files that were written, relative to the folder'),
    kept: required(z.array(z.string()), 'Files that existed and were kept'),
  }),
}

export const planResult = {
  document: z.extend(planSchema, {
    access: accessSchema,
    conversations: optional(
      conversationChangesSchema,
      'With --calls: how recorded calls would go differently',
    ),
  }),
}

export const applyResult = { document: appliedSchema }

/** `assistant create` and `tool create`: the record as the service returned it. */
export const createdResult = { document: z.extend(storedRecordSchema(), { notStored: notStoredSchema }) }

export const validateResult = {
  document: z.object({
    files: required(z.int(), 'Number of files that were checked'),
    errors: z.int(),
    warnings: z.int(),
    diagnostics: z.array(diagnosticSchema),
    skipped: required(z.array(z.string()), 'Files of an unknown kind'),
    access: accessSchema,
    withoutEffect: requiredList('Assistants with fields that the sandbox, chats and tests ignore', {
      file: z.string(),
      fields: z.array(z.string()),
    }),
  }),
}

export const schemaResult = {
  document: z.union([
    z.object({
      written: required(z.array(z.string()), 'With --write: schemas that were written'),
      unchanged: required(z.array(z.string()), 'With --write: schemas that were up to date'),
    }),
    required(z.record(z.string(), z.unknown()), 'JSON Schema or OpenAPI document'),
  ]),
}

export const demoResult = {
  event: z.union([
    eventSchema('step', {
      command: required(z.string(), 'Command line that was run'),
      result: required(z.unknown(), 'Its result'),
    }),
    ...changeSchemas,
    summarySchema,
    eventSchema('next', {
      commands: objectList({ command: z.string(), why: z.string() }),
    }),
  ]),
}

export const apiResult = { document: required(z.unknown(), 'The response of the service') }

export const versionResult = { document: z.object({ version: z.string() }) }

const commandFactsSchema = z.object({
  command: required(z.string(), 'Command line up to its arguments, such as callyard call start'),
  description: z.string(),
  usage: z.string(),
  effect: required(
    z.enum(effects),
    'changes: changes the service, deletes records or decides which service is used; calls: places or controls calls',
  ),
  forPerson: required(z.boolean(), 'True if a coding agent must leave the command to a person'),
  arguments: z.array(z.looseObject({ name: z.string(), required: z.boolean() })),
  flags: required(z.array(z.looseObject({ flags: z.string() })), 'Each with the JSON Schema of its value'),
  examples: z.array(z.string()),
  topics: z.array(z.string()),
  result: optional(z.record(z.string(), z.unknown()), 'JSON Schema of the --json output'),
})

export const helpResult = {
  document: z.union([
    z.object({ topics: required(z.record(z.string(), z.string()), 'Descriptions by name') }),
    z.object({ topic: z.string(), text: z.string() }),
    z.object({
      matches: objectList({
        command: optional(z.string(), 'Command that prints a page or topic that has the word'),
        guide: optional(z.string(), 'Guide in the package that has the word'),
        description: z.string(),
      }),
    }),
    required(z.object({ commands: z.array(commandFactsSchema) }), 'The commands that were named'),
    required(
      z.object({
        version: z.string(),
        description: z.string(),
        commands: z.array(commandFactsSchema),
        flags: required(z.array(z.looseObject({ flags: z.string() })), 'Flags of every command'),
        exitCodes: objectList({ exitCode: z.int(), kind: z.optional(z.string()), meaning: z.string() }),
        topics: objectList({ name: z.string(), description: z.string() }),
        error: required(z.record(z.string(), z.unknown()), 'JSON Schema of a failure'),
      }),
      'The whole command line',
    ),
    z.object({ skill: required(z.string(), 'SKILL.md for this version') }),
  ]),
}

export const doctorResult = {
  document: z.object({
    version: z.string(),
    checks: objectList({
      check: required(z.string(), 'What was checked: Node, Settings, Service, …'),
      status: required(
        z.enum(['ok', 'warning', 'problem', 'skipped']),
        'The command exits with 8 if any is a problem; skipped: not used here, or impossible because of a problem',
      ),
      message: z.string(),
      remedy: optional(z.string(), 'What to do about it'),
    }),
    report: optional(z.string(), 'With --report: text for a bug report'),
  }),
}

export const completionResult = { document: z.object({ shell: z.string(), script: z.string() }) }

export const completeResult = {
  document: z.object({
    offers: objectList({ value: z.string(), description: z.optional(z.string()) }),
    alsoTakes: z.enum(['words', 'files', 'folders']),
    noSpace: required(z.boolean(), 'True if no space follows an offer'),
  }),
}
