import * as z from 'zod/mini'
import { assistantRecordSchema } from '../interface/assistant.ts'
import {
  callRecordSchema,
  followedRecordSchema,
  followedStartSchema,
  startedCallSchema,
} from '../interface/call.ts'
import { type EndpointName, endpoints } from '../interface/endpoints.ts'
import { type FaqEntry, faqAnswerSchema, type NewFaqEntry } from '../interface/faq.ts'
import { idText } from '../interface/fields.ts'
import { toolRecordSchema } from '../interface/tool.ts'
import { isObject, parseJson } from '../lib/json.ts'
import type { RawAnswer, RawRequest } from './api.ts'
import { pathSegment } from './base-url.ts'
import type { Exchange, Http, HttpRequest } from './http.ts'

/** Where the two ways of placing a call go, for a dry run too. */
export const callPaths = { start: endpoints.startCall.path, connect: endpoints.connectCall.path } as const
export type CallPath = (typeof callPaths)[keyof typeof callPaths]

/** What may have happened when the outcome is unknown. */
const effects: Readonly<Record<EndpointName | 'updateAssistant', string>> = {
  startCall: 'the call may have been placed',
  connectCall: 'the call may have been placed',
  createAssistant: 'the assistant may have been created',
  updateAssistant: 'the assistant may have been updated',
  createTool: 'the tool may have been created',
  updateTool: 'the tool may have been updated',
  insertFaq: 'the entries may have been inserted',
  updateFaq: 'the entries may have been updated',
}

type Body = Readonly<Record<string, unknown>>

interface PlaceOptions {
  /** The caller learns of the call by its events: an answer without an id, or an empty one, is no error. */
  readonly isFollowed?: boolean
}

/** The seven endpoints of interface.md 4, one function each, one that a project declares, and a raw one. Bodies are already in wire words. */
export type Endpoints = ReturnType<typeof createEndpoints>

/** Method, path, body and answer of each endpoint, and what may have happened when it fails. */
export function createEndpoints(http: Http) {
  return {
    startCall: (body: Body, { isFollowed = false }: PlaceOptions = {}) =>
      ask(http, requestTo('startCall', body), isFollowed ? followedStartSchema() : startedCallSchema()),
    connectCall: (body: Body, { isFollowed = false }: PlaceOptions = {}) =>
      ask(http, requestTo('connectCall', body), isFollowed ? followedRecordSchema() : callRecordSchema()),
    createAssistant: (body: Body) => ask(http, requestTo('createAssistant', body), assistantRecordSchema()),
    createTool: (body: Body) => ask(http, requestTo('createTool', body), toolRecordSchema()),
    updateTool: async (id: string, body: Body) => update(http, id, requestTo('updateTool', body, id)),
    /** By an endpoint that the project declares: its path holds `{id}`. */
    updateAssistant: async (id: string, endpoint: Pick<RawRequest, 'method' | 'path'>, body: Body) => {
      const path = pathOf(endpoint.path, id)
      return update(http, id, { ...endpoint, path, body, effect: effects.updateAssistant })
    },
    insertFaq: async (knowledgeBaseId: string, faq: readonly NewFaqEntry[]) =>
      ask(http, requestTo('insertFaq', { faq }, knowledgeBaseId), faqAnswerSchema()),
    updateFaq: async (knowledgeBaseId: string, faq: readonly FaqEntry[]) =>
      (await askForAny(http, requestTo('updateFaq', { faq }, knowledgeBaseId))).value,
    /** Any request. Answers of every status are returned, with their `failure`. */
    async request(request: RawRequest): Promise<RawAnswer> {
      const { answer, redact, failure } = await http.send({ ...request, effect: 'it may have taken effect' })
      const headers = Object.entries(answer.headers).map(([name, value]) => [
        name,
        redact.header(name, value),
      ])
      return {
        status: answer.status,
        headers: Object.fromEntries(headers),
        body: redact.text(answer.body),
        ...(isSuccess(answer) ? {} : { failure: failure() }),
      }
    },
  }
}

/** `id` stands where the path of the endpoint has one. */
function requestTo(name: EndpointName, body: unknown, id = ''): HttpRequest {
  const { method, path } = endpoints[name]
  return { method, path: pathOf(path, id), body, effect: effects[name] }
}

function pathOf(path: string, id: string): string {
  return path.replace('{id}', () => pathSegment(id))
}

/**
 * Sends, and parses the answer of 200. Extra and missing fields are kept; only the schema's id must be there. Where the schema needs none, a
 * body without an id, or none at all, will do.
 */
async function ask<Schema extends z.ZodMiniType>(
  http: Http,
  request: HttpRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const { value, unreadable } = await askForAny(http, request)
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  if (value === undefined) throw unreadable('an empty body')
  if (!isObject(value)) throw unreadable('JSON that is not an object')
  const path = parsed.error.issues[0]?.path.map(String) ?? []
  throw unreadable(
    Object.hasOwn(value, path[0] ?? '')
      ? `a ${path.join('.')} that cannot be read`
      : `no ${path.join('.')} in it`,
  )
}

const updatedSchema = z.looseObject({ _id: z.optional(z.unknown()) })

/**
 * Sends a change to a record whose id is known: any 2xx is a success, whether it is answered with the record, another
 * shape or nothing. Returns what was answered, with the id: the one of the request where the answer has none.
 */
async function update(http: Http, id: string, request: HttpRequest) {
  const { value } = await askForAny(http, request)
  const answered = updatedSchema.safeParse(value).data ?? {}
  const other = idText().safeParse(answered._id).data
  if (other !== undefined && other !== id)
    http.warn(`${request.method} of ${id} was answered with the record of ${other}`)
  return { ...answered, _id: other ?? id }
}

/** Sends, and reads the JSON of a 2xx; undefined where the body is empty. @throws CallwrightError for all else. */
async function askForAny(
  http: Http,
  request: HttpRequest,
): Promise<{ readonly value: unknown; readonly unreadable: Exchange['unreadable'] }> {
  const { answer, failure, unreadable } = await http.send(request)
  if (!isSuccess(answer)) throw failure()
  if (answer.body.trim() === '') return { value: undefined, unreadable }
  const value = parseJson(answer.body)
  if (value === undefined) throw unreadable(describeForeign(answer.headers['content-type']))
  return { value, unreadable }
}

function isSuccess({ status }: RawAnswer): boolean {
  return status >= 200 && status <= 299
}

function describeForeign(contentType: string | undefined): string {
  const type = contentType?.split(';')[0]?.trim()
  if (type === undefined || type === '') return 'something that is not JSON'
  return /json/i.test(type) ? 'broken JSON' : `${type}, not JSON`
}
