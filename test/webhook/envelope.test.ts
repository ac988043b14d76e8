import fc from 'fast-check'
import { expect, test } from 'vitest'
import { webhookEventSchema } from '../../src/interface/webhook.ts'
import { isWebhookEvent } from '../../src/interface/webhook-envelope.ts'

const json = fc.jsonValue({ maxDepth: 2 })
const field = (...likely: fc.Arbitrary<unknown>[]) => fc.option(fc.oneof(...likely, json), { nil: undefined })
const nearMiss = fc
  .record(
    {
      type: field(fc.constant('status-update')),
      call: field(fc.record({ id: field(fc.string()), status: field(fc.string()) })),
      assistant: field(fc.record({})),
      customer: field(fc.record({ number: field(fc.string()), name: field(fc.string()) })),
      analysis: field(fc.record({ summary: fc.string() })),
      messages: field(fc.array(json)),
      more: json,
    },
    { requiredKeys: [] },
  )
  .map(message => ({ message }))

test('the hand-written check and the schema agree on every JSON value', () => {
  fc.assert(
    fc.property(fc.oneof(nearMiss, json), value => {
      const parsed: unknown = JSON.parse(JSON.stringify(value))
      expect(isWebhookEvent(parsed)).toBe(webhookEventSchema.safeParse(parsed).success)
    }),
    { numRuns: 3000 },
  )
})
