import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KindName } from '../../../src/interface/words.ts'
import { valuesOf } from '../../interface/odd-values.ts'
import { startTestSandbox } from '../start-test-sandbox.ts'

test.each<[string, string, KindName]>([
  ['POST', '/assistants/v1/assistants', 'assistant'],
  ['POST', '/assistants/v1/tools', 'tool'],
  ['PATCH', '/assistants/v1/tools/t1', 'tool-update'],
  ['POST', '/kb/v1/knowledge-bases/desk/faq-template', 'knowledge-base'],
  ['PUT', '/kb/v1/knowledge-bases/desk/faq-template', 'knowledge-base'],
  ['POST', '/calls/v1/conversations', 'call-start'],
  ['POST', '/calls/v1/conversations/connect', 'call-connect'],
])(
  '%s %s answers no body with a failure of its own',
  async (method, path, kind) => {
    const sandbox = await startTestSandbox({
      caller: 'live',
      entries: [
        { kind: 'tool', record: { _id: 't1', type: 'function' } },
        { kind: 'assistant', record: { _id: 'a1', name: 'Desk' } },
        { kind: 'faq', knowledgeBaseId: 'desk', entries: [{ id: 'f1', question: 'Q', answer: 'A' }] },
      ],
    })
    const bodies = fc.oneof({ weight: 4, arbitrary: valuesOf(kind).map(withoutBaseId) }, fc.jsonValue())
    let taken = 0
    await fc.assert(
      fc.asyncProperty(bodies, async body => {
        const { status, body: answer } = await sandbox.send(method, path, JSON.stringify(body))
        expect(status, JSON.stringify([body, answer])).toBeLessThan(500)
        expect([200, 404, 422]).toContain(status)
        if (status === 200) taken += 1
      }),
      { numRuns: 100 },
    )
    expect(taken).toBeGreaterThan(0)
    await sandbox.close()
    expect(sandbox.events.filter(({ kind: event }) => event === 'warning')).not.toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/^the call broke|\n +at /) }),
    )
  },
  60_000,
)

/** What a file has besides the body of its requests. */
function withoutBaseId(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('knowledgeBaseId' in value)) return value
  const { knowledgeBaseId: _, ...body } = value
  return body
}
