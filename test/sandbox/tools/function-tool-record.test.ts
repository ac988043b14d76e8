import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFunctionTool, readToolMessages } from '../../../src/sandbox/tools/function-tool-record.ts'

test.each([
  [{ _id: 't1' }, 'the tool with the id t1 is not offered: it has no function.name'],
  [{ _id: 't1', function: 'book' }, 'the tool with the id t1 is not offered: it has no function.name'],
  [{ function: { name: 7 } }, 'a tool without an id is not offered: its function.name 7 is not 1 to 64'],
  [
    { _id: 't1', function: { name: 'book it' } },
    'the tool with the id t1 is not offered: its function.name "book it" is not 1 to 64 letters, digits, _ and -',
  ],
])('%j is not offered', (record, problem) => {
  const read = readFunctionTool(record)
  expect(read.tool).toBeUndefined()
  expect(read.problems).toEqual([expect.stringContaining(problem)])
})

test('requires only a name', () => {
  expect(readFunctionTool({ function: { name: 'ping' } })).toEqual({
    tool: {
      name: 'ping',
      description: '',
      parameters: { type: 'object', properties: {} },
      async: false,
      messages: { start: undefined, complete: undefined, failed: undefined, delayed: [], problems: [] },
      target: { fault: 'has no server.url', missing: true },
    },
    problems: [],
  })
})

test('lists what it omits', () => {
  const { tool, problems } = readFunctionTool({
    function: { name: 'ping', parameters: ['day'] },
    messages: [{ type: 'request-progress', content: 'Hm.' }, { type: 'request-start' }],
  })
  expect(tool?.parameters).toEqual({ type: 'object', properties: {} })
  expect(problems).toEqual([
    'tool ping: its function.parameters are no object and are left out',
    expect.stringContaining('tool ping: the message of type "request-progress" is not spoken'),
    'tool ping: a message without type and content is not spoken',
  ])
})

test.each([
  [undefined, 'has no server.url'],
  [{ headers: {} }, 'has no server.url'],
  [{ url: 'ftp://x/' }, 'has a server.url that is no http:// or https:// URL'],
  [{ url: 'http://127.0.0.1:1/', headers: { day: 1 } }, 'has server.headers that are no object of texts'],
  [
    { url: 'http://127.0.0.1:1/', timeoutSeconds: 0 },
    'has a server.timeoutSeconds that is no positive number',
  ],
])('the server %j %s', (server, fault) => {
  expect(readFunctionTool({ function: { name: 'ping' }, server }).tool?.target).toMatchObject({ fault })
})

test.each([
  ['request-start', 'start'],
  ['START', 'start'],
  ['request-complete', 'complete'],
  ['completed', 'complete'],
  ['request-failed', 'failed'],
  ['on_failure', 'failed'],
] as const)('a message of type %s is for %s', (type, kind) => {
  const blank = { type, content: ' ' }
  const found = readToolMessages([blank, { type, content: 'A {{b}}' }, { type, content: 'C' }], text =>
    text.replace('{{b}}', 'B'),
  )
  expect(found[kind]).toBe('A B')
})

test.each([
  [1500, 1500],
  [undefined, 3000],
  [0, 3000],
  [-5, 3000],
  ['soon', 3000],
])('a delay of %j milliseconds is one of %d', (timingMilliseconds, after) => {
  const message = { type: 'request-response-delayed', content: 'Still looking.', timingMilliseconds }
  expect(readToolMessages([message]).delayed).toEqual([{ text: 'Still looking.', afterMs: after }])
})

test('reads any stored tool, or says why not', () => {
  const value = fc.anything({ withNullPrototype: false })
  const record = fc.record(
    {
      _id: value,
      async: value,
      function: fc.oneof(value, fc.record({ name: value, description: value, parameters: value })),
      messages: fc.oneof(value, fc.array(fc.oneof(value, fc.record({ type: value, content: value })))),
      server: fc.oneof(value, fc.record({ url: value, headers: value, timeoutSeconds: value })),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(record, stored => {
      const { tool, problems } = readFunctionTool(stored)
      if (tool === undefined) expect(problems).not.toEqual([])
      else expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }),
  )
})
