import fc from 'fast-check'
import { Client } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoints } from '../../../src/interface/endpoints.ts'
import { mapSchemas, type Schema } from '../../../src/interface/json-schema.ts'
import { isObject } from '../../../src/lib/json.ts'
import type { RecordEntry } from '../../../src/sandbox/index.ts'
import { findNotStored } from '../../../src/service/api/not-stored.ts'
import { runs } from '../../helpers/every-case.ts'
import { type DocumentOperation, type ReadDocument, readOpenApi } from '../../helpers/openapi.ts'
import { changedValuesOf, valuesOf } from '../../helpers/schema-values.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

/** Rejections of the sandbox that the document cannot express: the code of a finding, or the status. */
const beyondDocument = new Map([
  ['404', 'a call names an assistant that does not exist'],
  ['not-found', 'an assistant names a tool, or an update an FAQ entry, that does not exist'],
  ['duplicate', 'an update lists an FAQ entry twice'],
  ['wrong-format', 'no pattern tells whether the host and port of a URL can be read'],
  ['409', 'a call is over; another world has the key or the team id'],
  ['missing', 'a change of the clock changes nothing; a rule of faults names none'],
  ['not-allowed', 'a rule of faults has a scope that is none of theirs'],
  ['out-of-range', 'the clock would be advanced beyond the year 9999'],
  ['unknown-key', 'an object of any fields has one that is called __proto__'],
])

/** An operation takes up to about forty rules, and a changed body breaks one: each is broken once in two runs on average. */
const examples = runs(20)
const time = '2026-01-12T09:30:00Z'
const made = { teamId: 'team-1', createdAt: time, updatedAt: time }
const ids = ['x', 'y']
const entries: readonly RecordEntry[] = [
  ...ids.map(_id => ({ kind: 'tool' as const, record: { _id, type: 'function', ...made } })),
  { kind: 'assistant', record: { _id: 'x', name: 'Desk', ...made } },
  {
    kind: 'faq',
    knowledgeBaseId: 'x',
    entries: ids.map(entry => ({ id: entry, question: 'Q', answer: 'A' })),
  },
]

test.each([
  ...Object.keys(endpoints).map(id => [id, '/openapi.json'] as const),
  ...['controlCallOfWorld', 'changeClock', 'addFault', 'restore', 'openWorld'].map(
    id => [id, '/__sandbox/openapi.json'] as const,
  ),
])(
  `%s accepts ${examples} bodies that match the document, rejects mutated ones, and never fails`,
  async (id, path) => {
    const sandbox = await startTestSandbox({ entries })
    const token = path === '/openapi.json' ? sandbox.apiKey : sandbox.controlToken
    const headers = { authorization: `Bearer ${token}` }
    const document = readOpenApi((await sandbox.send('GET', path, undefined, headers)).body)
    const operation = document.operations.find(one => one.id === id)
    if (operation?.body === undefined) throw new Error(`${id} has no body in the document`)
    const values = valuesOf(operation.body.schema, ref =>
      mapSchemas(document.schemas[ref.split('/').at(-1) ?? ''] ?? {}, withKnownIds),
    )
    const send = sender(sandbox.baseUrl, operation, headers)
    const stores = ['createAssistant', 'createTool', 'updateTool'].includes(id)
    const { check, counts } = checker(document, operation, stores)
    const run = (bodies: fc.Arbitrary<unknown>) =>
      fc.assert(
        fc.asyncProperty(bodies, async body => check(body, await send(body))),
        { numRuns: examples },
      )
    await run(values)
    expect(counts).toMatchObject({ unfit: 0 })
    // There is no call to be controlled.
    if (id !== 'controlCallOfWorld') expect(counts.taken).toBeGreaterThan(examples / 10)
    await run(changedValuesOf(values))
    expect(counts.unfit).toBeGreaterThan(examples / 10)
    await sandbox.idle()
    expect(sandbox.events.filter(({ kind }) => kind === 'warning')).not.toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^the call broke|\n +at /) }),
    )
  },
)

/** Most ids in a body exist. */
function withKnownIds(schema: Schema): Record<string, unknown> {
  const { properties } = schema
  if (!isObject(properties)) return { ...schema }
  const id = { enum: [...ids, 'gone'] }
  const own = Object.keys(properties).map((name): [string, unknown] => {
    if (name === 'id' || name === 'assistantId') return [name, id]
    return [name, name === 'assistantToolIds' ? { type: 'array', items: id } : properties[name]]
  })
  return { ...schema, properties: Object.fromEntries(own) }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const problemSchema = z.looseObject({ errors: z.optional(z.array(z.looseObject({ code: z.string() }))) })

/** `check` throws if the sandbox and its document disagree about a body, or the response does not match the document. */
function checker(
  { validator }: ReadDocument,
  { body: asked, answer: answered }: DocumentOperation,
  stores: boolean,
) {
  const fits = validator(asked?.schema ?? {})
  const isAnswer = validator(answered?.schema ?? {})
  const isProblem = validator({ $ref: '#/components/schemas/Problem' })
  const counts = { taken: 0, beyond: 0, unfit: 0 }
  const check = (body: unknown, { status, body: answer }: Answer) => {
    const isFit = fits(body)
    const told = JSON.stringify({ status, answer, flaws: fits.errors })
    expect(status, told).toBeLessThan(500)
    expect(status === 200 ? isAnswer(answer) : isProblem(answer), told).toBe(true)
    if (status === 200) {
      expect(isFit, told).toBe(true)
      if (stores && isObject(body) && isObject(answer)) expect(findNotStored(body, answer), told).toEqual([])
      counts.taken += 1
    } else if (isFit) {
      const { errors = [] } = problemSchema.parse(answer)
      const codes = errors.length === 0 ? [String(status)] : errors.map(({ code }) => code)
      expect(
        codes.filter(code => !beyondDocument.has(code)),
        told,
      ).toEqual([])
      counts.beyond += 1
    } else counts.unfit += 1
  }
  return { check, counts }
}

/** Posts a body; rejects without a response. */
function sender(baseUrl: string, { method, path }: DocumentOperation, headers: Record<string, string>) {
  const client = new Client(baseUrl, { headersTimeout: 30_000 })
  onTestFinished(() => client.destroy())
  return async (body: unknown): Promise<Answer> => {
    const answer = await client.request({
      method,
      path: path.replace('{id}', 'x'),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.statusCode, body: await answer.body.json() }
  }
}
