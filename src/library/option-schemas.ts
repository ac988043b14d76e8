import * as z from 'zod/mini'
import { named, optional, someText, wholeNumber } from '../interface/fields.ts'
import { vocabularySchema } from '../interface/vocabulary.ts'
import { kindNames } from '../interface/words.ts'
import { lazy } from '../lib/lazy.ts'

// Options of `callyard`. The published types are made from them (scripts/resource-types.ts).

export const kindNameSchema = lazy(() => named('KindName', z.enum(kindNames), 'The kinds of file'))

/** Variables of an environment. A record would refuse `process.env`, which is not a plain object. JSON Schema has no undefined values. */
export const environmentSchema = lazy(() =>
  z.catchall(
    z.object({}),
    z.optional(z.string()).register(z.globalRegistry, { tsType: 'string | undefined' }),
  ),
)

export const validateOptionsSchema = lazy(() =>
  z.strictObject({
    cwd: optional(z.string(), 'Base of relative paths. Default: the working directory'),
    env: optional(
      environmentSchema(),
      "Variables that `${env:NAME}` reads. Default: `process.env` without callyard's own variables",
    ),
    kind: optional(
      kindNameSchema(),
      'Kind of all files, such as `assistant`. Default: derived from the folder of each file',
    ),
    vocabulary: optional(
      vocabularySchema(),
      'Placeholder of the interface → the real word. Default: that of the callyard.yaml around the first path',
    ),
    allowUnknown: optional(z.boolean(), 'Ignores unknown keys'),
  }),
)

export const jsonSchemaOptionsSchema = lazy(() =>
  z.strictObject({
    vocabulary: optional(vocabularySchema(), 'Placeholder of the interface → the real word'),
  }),
)

export const receiveOptionsSchema = lazy(() =>
  z.strictObject({
    port: optional(wholeNumber(0, 65_535), 'Default: a free one. It listens on 127.0.0.1 alone'),
    path: optional(z.string().check(z.startsWith('/'), z.regex(/^[^?#\s]*$/)), 'Default: `/`'),
    maxBodyBytes: optional(wholeNumber(1, 2 ** 30), 'A larger body is refused with 413. Default: 10 MiB'),
    maxWaitingBytes: optional(
      wholeNumber(1, 2 ** 40),
      'Events that the test has not read are kept up to this size; further ones are refused with 503. Default: 64 MiB',
    ),
  }),
)

/** Which events `next` waits for; every field that is given must fit. */
export const webhookFieldsSchema = lazy(() =>
  z.strictObject({
    type: optional(someText(), '`status-update`, `conversation-update`, or a type of your deployment'),
    call: optional(someText(), 'Id of the call'),
    status: optional(someText(), '`call.status` of the event: `queued`, `ongoing`, `finished`'),
  }),
)

export const nextOptionsSchema = lazy(() =>
  z.strictObject({ timeoutMs: optional(wholeNumber(0, 2 ** 31 - 1), 'Default: 5,000') }),
)
