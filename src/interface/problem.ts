import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { describedSchema, looseSchema, optional, required } from './fields.ts'

/** Titles of error statuses in the sandbox (interface.md 7 shows none). */
export const problemTitles = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'The body does not pass',
  429: 'Too many requests',
  500: 'The sandbox failed',
  503: 'Service unavailable',
  507: 'The journal cannot be written',
} as const

export type ProblemStatus = keyof typeof problemTitles

/** RFC 9457: `application/problem+json`. */
export const problemSchema = lazy(() =>
  describedSchema('Problem', 'A refusal, as RFC 9457 writes it', {
    type: required(z.string(), 'Always about:blank'),
    title: required(z.string(), 'What the status means'),
    status: required(z.int(), 'Status of the response'),
    detail: required(z.string(), 'What is wrong with this request'),
    hint: optional(z.string(), 'What to do next'),
    errors: optional(
      z.array(
        looseSchema('FieldError', {
          path: required(z.string(), 'Field, for example config.speech.ttsData[0].vendor'),
          pointer: required(z.string(), 'The same as a JSON pointer in a URL fragment'),
          code: required(z.string(), 'Kind of error, for example wrong-type'),
          message: required(z.string(), 'What is wrong, and what is allowed'),
          hint: optional(z.string(), 'What to do next'),
        }),
      ),
      'What is wrong with the body, field by field',
    ),
    requestId: required(z.string(), 'Id of the request; the x-request-id header holds it too'),
  }),
)

export type ProblemBody = Infer<typeof problemSchema>
