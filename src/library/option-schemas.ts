import * as z from 'zod/mini'
import { optional, someText, wholeNumber } from '../interface/fields.ts'
import { lazy } from '../lib/lazy.ts'

// Options of the library, from which the published types are made (scripts/resource-types.ts).

export const receiveOptionsSchema = lazy(() =>
  z.strictObject({
    port: optional(wholeNumber(0, 65_535), 'Default: a free one. It listens on 127.0.0.1 alone.'),
    path: optional(z.string().check(z.startsWith('/'), z.regex(/^[^?#\s]*$/)), 'Default: `/`.'),
    maxBodyBytes: optional(wholeNumber(1, 2 ** 30), 'A larger body is refused with 413. Default: 10 MiB.'),
    maxWaitingBytes: optional(
      wholeNumber(1, 2 ** 40),
      'Events that the test has not read are kept up to this size; further ones are refused with 503. Default: 64 MiB.',
    ),
  }),
)

/** Which events `next` waits for; every field that is given must fit. */
export const webhookFieldsSchema = lazy(() =>
  z.strictObject({
    type: optional(someText(), '`status-update`, `conversation-update`, or a type of your deployment.'),
    call: optional(someText(), 'Id of the call.'),
    status: optional(someText(), '`call.status` of the event: `queued`, `ongoing`, `finished`.'),
  }),
)

export const requestFilterSchema = lazy(() =>
  z.strictObject({
    path: optional(someText(), 'This path, and what is below it.'),
    method: z.optional(someText()),
    scope: z.optional(someText()),
    call: optional(someText(), 'Id of a call.'),
  }),
)
