import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assistantSchema } from '../../../src/interface/assistant.ts'
import { toolUpdateSchema } from '../../../src/interface/tool.ts'
import { changedFields, changesSince, listFields, withUpdate } from '../../../src/project/plan/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { body } from '../apply/arbitrary.ts'

const server = { url: 'https://a.example.com', headers: { a: '1' } }

test('an update holds each changed field whole, and nothing else', () => {
  const before = { body: { async: true, server, function: { name: 'a' } } }
  const after = { ...before.body, server: { ...server, headers: { a: '2', b: '3' } } }
  const changes = changesSince(before, { body: after })
  expect(changes.map(({ path }) => path.join('.'))).toEqual(['server.headers.a', 'server.headers.b'])
  expect(changedFields(after, changes, toolUpdateSchema())).toEqual({ server: after.server })
})

test('sends a tool that is no longer asynchronous', () => {
  const changes = changesSince({ body: { async: true, server } }, { body: { server } })
  expect(changedFields({ server }, changes, toolUpdateSchema())).toEqual({ async: false })
})

test('an update of a part of a field holds the whole field', () => {
  const changes = changesSince({ body: { server } }, { body: { server: {} } })
  expect(changedFields({ server: {} }, changes, toolUpdateSchema())).toEqual({ server: {} })
})

test('of an assistant restores the interface’s defaults of fields', () => {
  const before = { body: { name: 'A', welcomeMessage: 'Hello', idleTimeout: 60 } }
  const changes = changesSince(before, { body: { name: 'A' } })
  expect(changedFields({ name: 'A' }, changes, assistantSchema())).toEqual({
    welcomeMessage: 'hi',
    idleTimeout: 30,
  })
})

test('the next update restores the file’s state, whichever body an update without a response left', () => {
  const small = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.constantFrom<unknown>(1, 2, { x: 1 }, { x: 2 }, []),
    {
      noNullPrototype: true,
    },
  )
  const property = fc.property(small, small, small, (recorded, updating, now) => {
    const changes = changesSince({ body: recorded, updating: { body: updating } }, { body: now })
    const fields = listFields(changes)
    for (const field of ['a', 'b', 'c']) {
      const possible = [recorded[field], updating[field]].map(value => JSON.stringify(value))
      const certain = possible.every(value => value === JSON.stringify(now[field]))
      expect(fields.includes(field), field).toBe(!certain)
    }
  })
  fc.assert(property, { numRuns: runs(1000) })
})

test('an update on its way is written down beside what was applied', () => {
  const recorded = { id: 't', body: { a: 1 } }
  const snapshot = { body: { a: 2 }, env: { A: 'hash' } }
  expect(withUpdate(recorded, snapshot)).toEqual({ ...recorded, updating: snapshot })
})

test('forgets what an update without a response may have changed once the next one sends it', () => {
  const recorded = {
    id: 't',
    body: { a: 1, b: 1, c: 1, gone: 1 },
    updating: { body: { a: 2, b: 2, c: 1, new: 1 } },
  }
  const snapshot = { body: { a: 1, b: 3, c: 1, gone: 1 } }
  expect(withUpdate(recorded, snapshot)).toEqual({
    id: 't',
    body: { b: 1, c: 1 },
    updating: { body: { a: 1, b: 3, c: 1, gone: 1, new: 1 } },
  })
})

test('lists no field twice for any difference', () => {
  const property = fc.property(body, body, body, (recorded, updating, now) => {
    const fields = listFields(changesSince({ body: recorded, updating: { body: updating } }, { body: now }))
    expect(new Set(fields).size).toBe(fields.length)
  })
  fc.assert(property)
})
