import * as z from 'zod/mini'
import { inlineAssistantSchema, overridesSchema } from '../interface/assistant.ts'
import { componentOf, optional, required, someText, webUrl, wholeNumber } from '../interface/fields.ts'
import { phoneNumbersSchema } from '../interface/phone-number.ts'
import { perVocabulary, type Vocabulary, vocabularySchema } from '../interface/vocabulary.ts'
import { lazy } from '../lib/lazy.ts'
import { environmentSchema } from './option-schemas.ts'

// Options of `callyard/sandbox`. The published types are made from them (scripts/resource-types.ts).

/** Fields of the options of a world; `schemaOfGiven` builds those that are given. */
export const worldFields = {
  pace: () =>
    optional(
      z.number().check(z.minimum(0)),
      'Speed of calls relative to real time. Default: 0, which does not wait',
    ),
  frozen: () => optional(z.boolean(), 'Time passes by `advance` alone'),
  seed: () =>
    optional(
      wholeNumber(0, 2 ** 32 - 1),
      'The same seed gives the same ids, times and faults for the same requests. Default: 0 at pace 0, else a random one',
    ),
  apiKey: () => optional(someText(), 'Default: a new one'),
}

export const sandboxFields = {
  ...worldFields,
  project: () =>
    optional(someText(), 'Folder that holds a callyard.yaml, relative to `cwd`. Default: nothing is created'),
  cwd: () => optional(someText(), 'Default: the working directory'),
  env: () =>
    optional(
      environmentSchema(),
      "Variables that `${env:NAME}` in the project's files can read. Default: `process.env`",
    ),
  vocabulary: () =>
    optional(
      vocabularySchema(),
      "Placeholder of the interface → the real word, if the project's callyard.yaml defines none",
    ),
  numbers: (vocabulary: Vocabulary = {}) =>
    optional(
      phoneNumbersSchema(vocabulary),
      'The phone numbers of the service. Default: any number is taken',
    ),
  llm: () =>
    optional(
      z.strictObject({
        url: required(webUrl(), 'Up to the part that `/chat/completions` is appended to'),
        model: optional(someText(), "Instead of the assistant's own model"),
        apiKey: optional(someText(), 'Sent to this server alone'),
      }),
      'An OpenAI-compatible server that makes the replies. Default: they are made by rule, from the FAQ',
    ),
  port: () => optional(wholeNumber(0, 65_535), 'Default: a free one'),
  allowHosts: () =>
    optional(
      z.array(someText()),
      'Hosts other than this machine that may receive webhooks and tool requests, such as `hooks.example.com`',
    ),
}

export const callOptionsSchema = perVocabulary(vocabulary =>
  z.strictObject({
    assistant: optional(
      z.union([someText(), uncheckedObject(inlineAssistantSchema(vocabulary))]),
      'A name in the project (`front-desk`), an id, or the fields of an assistant. Default: that of the number',
    ),
    caller: optional(
      z.union([z.string(), z.array(z.string())]),
      'Lines that the caller says, or directions: `/say-nothing 10`, `/interrupt Wait`, `/keys 12#`, `/hangup`. Default: a caller who asks a question from the FAQ',
    ),
    variables: optional(z.record(z.string(), z.string()), "Values of `{{name}}` in the assistant's texts"),
    overrides: optional(
      uncheckedObject(overridesSchema()),
      'Fields that this call overrides (interface.md 2.6)',
    ),
    metadata: optional(jsonObject(), "Free-form data, which the call's record carries"),
    to: optional(someText(), 'Number to call. Default: +12025550123'),
    from: optional(someText(), "The assistant's number. Default: +12025550100"),
  }),
)

const jsonObject = () => z.record(z.string(), z.unknown())

/** Any mapping, as the place of fields that are checked when the call is placed. Published with the type of these fields. */
function uncheckedObject<Fields extends z.ZodMiniType>(fields: Fields) {
  const schema: z.ZodMiniType<z.infer<Fields> | Readonly<Record<string, unknown>>> = jsonObject()
  return schema.register(z.globalRegistry, { tsType: `${componentOf(fields)?.name} | JsonObject` })
}

export const requestFilterSchema = lazy(() =>
  z.strictObject({
    path: optional(someText(), 'This path, and what is below it'),
    method: z.optional(someText()),
    scope: z.optional(someText()),
    call: optional(someText(), 'Id of a call'),
  }),
)
