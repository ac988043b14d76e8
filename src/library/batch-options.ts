import * as z from 'zod/mini'
import { batchSchema } from '../interface/batch.ts'
import { refusedFields, someText, wholeNumber } from '../interface/fields.ts'
import { projectSchema } from '../interface/project.ts'
import { isObject } from '../lib/json.ts'
import { lazy } from '../lib/lazy.ts'

/** The settings of a batch file that need no files. */
const settingFields = lazy(() => {
  const { from, columns, defaultCountry, variables, window, until, concurrency, rate } = batchSchema().shape
  const { retry, callback, optOut, first, stopWhen, limit, metadata } = batchSchema().shape
  return {
    ...{ from, columns, defaultCountry, variables, window, until, concurrency, rate },
    ...{ retry, callback, optOut, first, stopWhen, limit, metadata },
  }
})

/** Settings of a batch, without other options. */
export const settingsSchema = lazy(() => z.object(settingFields()))

const peopleFields = lazy(() => ({
  ...settingFields(),
  // Rows that are not objects are findings, as those of a file are.
  people: z.array(z.unknown()),
  doNotCall: z.optional(z.array(z.string())),
  usedVariables: z.optional(z.array(someText())),
}))

const fileSettings = {
  list: 'list is a setting of batch files; pass the rows as people',
  assistant: 'assistant is a setting of batch files; call decides about the assistant',
  results: 'results is a setting of batch files; the run returns its results',
}

export const planSchema = lazy(() =>
  z
    .strictObject({ ...peopleFields(), now: z.optional(matching('a Date', isDate)) })
    .register(refusedFields, { ...fileSettings, check: 'check is an option of runBatch' }),
)

const functionValue = () => matching('a function', value => typeof value === 'function')

export const runSchema = lazy(() =>
  z
    .strictObject({
      ...peopleFields(),
      folder: someText(),
      service: someText(),
      call: functionValue(),
      events: z.optional(
        matching('an async iterable, such as a receiver of receiveWebhooks', isAsyncIterable),
      ),
      outcomes: projectSchema().shape.outcomes,
      check: z.optional(functionValue()),
      onOptOut: z.optional(functionValue()),
      onEvent: z.optional(functionValue()),
      signal: z.optional(matching('an AbortSignal', value => value instanceof AbortSignal)),
      resume: z.optional(z.boolean()),
      resendUnknown: z.optional(z.boolean()),
      drainMs: z.optional(wholeNumber(0, 2 ** 31 - 1)),
      outcomeTimeoutMs: z.optional(wholeNumber(1, 2 ** 31 - 1)),
    })
    .register(refusedFields, fileSettings),
)

/** A value that JSON does not have. */
function matching(allowed: string, isValid: (value: unknown) => boolean) {
  return z.unknown().check(
    z.superRefine((value, { addIssue }) => {
      const params = { code: value === undefined ? 'missing' : 'wrong-type', allowed }
      if (!isValid(value)) addIssue({ code: 'custom', input: value, path: [], params })
    }),
  )
}

function isDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

function isAsyncIterable(value: unknown): boolean {
  return isObject(value) && Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function'
}
