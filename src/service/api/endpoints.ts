import { type EndpointName, endpoints } from '../../interface/endpoints.ts'
import type { FaqAnswer, FaqEntry, NewFaqEntry } from '../../interface/faq.ts'
import { groupBy } from '../../lib/group-by.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import type { RawRequest, RawResponse } from './api.ts'
import { pathSegment } from './base-url.ts'
import { findEntries, findRecord, readId } from './find-record.ts'
import type { Http, HttpRequest } from './http.ts'
import { type Difference, describeNotStored, findNotStored, findNotStoredOfEntries } from './not-stored.ts'
import type { NotStored } from './not-stored-schema.ts'
import { serviceMessage } from './service-message.ts'

/** Paths of the two ways to place a call, also used by dry runs. */
export const callPaths = { start: endpoints.startCall.path, connect: endpoints.connectCall.path } as const
/** Noun and id field of each created resource. */
const created = {
  startCall: ['call', 'sid'],
  connectCall: ['call', 'id'],
  createAssistant: ['assistant', '_id'],
  createTool: ['tool', '_id'],
} as const

/** Possible effects of requests with an unknown outcome. */
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

type Created = Body & { readonly _id: string }
/** The id is missing only in the response to a call that is followed. */
type Placed<Field extends string> = Body & { readonly [Id in Field]: string | undefined }

interface PlaceOptions {
  /** The call is known by its events: a response without an id, or an empty one, is not an error. */
  readonly isFollowed?: boolean
}

/** The seven endpoints of interface.md 4, one function each, one that a project declares, and a raw one. Bodies are already in wire words. */
export type Endpoints = ReturnType<typeof createEndpoints>

/** Creates a function for each endpoint: method, path, body, response, and possible effects of a failure. */
export function createEndpoints(http: Http) {
  return {
    async startCall(body: Body, { isFollowed = false }: PlaceOptions = {}): Promise<Placed<'sid'>> {
      const { id, fields } = await postCall(http, 'startCall', body, isFollowed)
      return { ...fields, sid: id }
    },
    async connectCall(body: Body, { isFollowed = false }: PlaceOptions = {}): Promise<Placed<'id'>> {
      const { id, fields } = await postCall(http, 'connectCall', body, isFollowed)
      return { ...fields, id }
    },
    async createAssistant(body: Body): Promise<Created> {
      const { id, fields } = await create(http, 'createAssistant', body)
      tellNotStored(http, { kind: 'assistant', id }, findNotStored(body, fields))
      return { ...fields, _id: id }
    },
    async createTool(body: Body): Promise<Created> {
      const { id, fields } = await create(http, 'createTool', body)
      tellNotStored(http, { kind: 'tool', id }, findNotStored(body, fields))
      return { ...fields, _id: id }
    },
    updateTool: async (id: string, body: Body) =>
      update(http, { kind: 'tool', id }, { ...requestTo('updateTool', body, id), body }),
    /** Updates an assistant through an endpoint that the project declares; its path contains `{id}`. */
    updateAssistant: async (id: string, endpoint: RawRequest, body: Body) => {
      const path = pathOf(endpoint.path, id)
      return update(
        http,
        { kind: 'assistant', id },
        { ...endpoint, path, body, effect: effects.updateAssistant },
      )
    },
    async insertFaq(knowledgeBaseId: string, faq: readonly NewFaqEntry[]): Promise<FaqAnswer> {
      const { value, withoutId } = await askForAny(http, requestTo('insertFaq', { faq }, knowledgeBaseId))
      const entries = findEntries(value)
      if (entries === undefined) throw withoutId('entry')
      const answers = groupBy(entries, ({ question }) => question)
      tellNotStored(
        http,
        { kind: 'knowledge-base', id: knowledgeBaseId },
        findNotStoredOfEntries(faq, ({ question }) => {
          const [answer, ...others] = answers.get(question) ?? []
          return others.length === 0 ? answer : undefined
        }),
      )
      return { faq: entries }
    },
    async updateFaq(knowledgeBaseId: string, faq: readonly FaqEntry[]) {
      const { value } = await askForAny(http, requestTo('updateFaq', { faq }, knowledgeBaseId))
      const answers = new Map(findEntries(value)?.map(entry => [entry.id, entry]))
      tellNotStored(
        http,
        { kind: 'knowledge-base', id: knowledgeBaseId },
        findNotStoredOfEntries(faq, ({ id }) => answers.get(id)),
      )
      return value
    },
    /** Sends any request. Returns responses of every status, with their `failure`. */
    async request(request: RawRequest): Promise<RawResponse> {
      const { answer, redact, failure } = await http.send({ ...request, effect: 'it may have taken effect' })
      const headers = Object.entries(answer.headers).map(([name, value]) => [
        name,
        redact.header(name, value),
      ])
      return {
        status: answer.status,
        headers: Object.fromEntries(headers),
        ...redactedBody(answer, redact.text),
        ...(isSuccess(answer) ? {} : { failure: failure() }),
      }
    },
  }
}

function redactedBody({ body, bytes }: RawResponse, redact: (text: string) => string) {
  const text = redact(body)
  return text === body ? { body, bytes } : { body: text, bytes: Buffer.from(text) }
}

/** `id` replaces `{id}` in the path of the endpoint. */
function requestTo(name: EndpointName, body: unknown, id = ''): HttpRequest {
  const { method, path } = endpoints[name]
  return { method, path: pathOf(path, id), body, effect: effects[name] }
}

function pathOf(path: string, id: string): string {
  return path.replace('{id}', () => pathSegment(id))
}

/** @throws CallyardError `partial` when the service accepted the request and its response has no id. */
async function create(http: Http, name: keyof typeof created, body: Body) {
  const [noun, field] = created[name]
  const { value, withoutId } = await askForAny(http, requestTo(name, body))
  const record = findRecord(value, field, noun)
  if (record === undefined) throw withoutId(noun)
  return record
}

/** Like `create`, but a followed call may have no id or body. */
async function postCall(http: Http, name: 'startCall' | 'connectCall', body: Body, isFollowed: boolean) {
  if (!isFollowed) return create(http, name, body)
  const [noun, field] = created[name]
  const { value } = await askForAny(http, requestTo(name, body))
  return findRecord(value, field, noun) ?? { id: undefined, fields: isObject(value) ? value : {} }
}

/**
 * Sends a change to a record whose id is known: any 2xx is a success, whether the response is the record, another shape or nothing.
 * Returns the response with its id, or the id of the request if it has none.
 */
async function update(
  http: Http,
  { kind, id }: { readonly kind: 'assistant' | 'tool'; readonly id: string },
  request: HttpRequest & { readonly body: Body },
): Promise<Created> {
  const { value } = await askForAny(http, request)
  const record = isObject(value) ? value : {}
  tellNotStored(
    http,
    { kind, id },
    findNotStored(request.body, findRecord(value, '_id', kind)?.fields ?? record),
  )
  const other = readId(record._id)
  if (other !== undefined && other !== id)
    http.warn(`${request.method} of ${id} returned the record of ${other}`)
  return { ...record, _id: other ?? id }
}

function tellNotStored(
  { onNotStored }: Http,
  resource: { readonly kind: NotStored['kind']; readonly id: string },
  differences: readonly Difference[],
): void {
  for (const difference of differences) {
    const field = { ...resource, ...difference }
    onNotStored?.(field, describeNotStored(field))
  }
}

/**
 * Sends a request and parses the JSON of a 2xx; undefined for an empty body or a word such as `OK`.
 * @throws CallyardError otherwise
 */
async function askForAny(http: Http, request: HttpRequest) {
  const { answer, redact, failure, unreadable, withoutId } = await http.send(request)
  if (!isSuccess(answer)) throw failure()
  // Invalid bytes become U+FFFD, which no id may contain.
  const text = answer.isGuess === true ? Buffer.from(answer.bytes).toString('utf8') : answer.body
  const value = parseJson(text)
  if (value === undefined && answer.isGuess === true) throw unreadable('bytes that are not UTF-8')
  if (value === undefined && !isWord(answer.body))
    throw unreadable(describeForeign(answer.headers['content-type']))
  if (isObject(value) && (value.success === false || value.ok === false)) {
    const message = serviceMessage(answer.body, answer.headers['content-type'] ?? '', redact)?.text
    http.warn(
      `${request.method} ${request.path} returned ${answer.status}, but the response reports a failure${message === undefined ? '' : `: ${message}`}`,
    )
  }
  return { value, withoutId }
}

const maxWordLength = 200

/** True for `OK` and the like, and for an empty body; false for a page, and for JSON that is cut off. */
function isWord(body: string): boolean {
  return body.length <= maxWordLength && !/^\s*[<{["]/.test(body)
}

function isSuccess({ status }: RawResponse): boolean {
  return status >= 200 && status <= 299
}

function describeForeign(contentType: string | undefined): string {
  const type = contentType?.split(';')[0]?.trim()
  if (type === undefined || type === '') return 'something that is not JSON'
  return /json/i.test(type) ? 'broken JSON' : `${type}, not JSON`
}
