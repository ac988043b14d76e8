import { expect, test } from 'vitest'
import { outcomeFacts, withPhoneTable } from '../../scripts/phone-tables.ts'
import { phoneOutcomes } from '../../src/interface/phone-number.ts'
import { testNumbers } from '../../src/sandbox/engine/phone-outcome.ts'
import { placeCall, recordOf, startTestSandbox } from '../helpers/test-sandbox.ts'
import { webhookSink } from '../helpers/webhook-sink.ts'
import { textOf } from './markdown.ts'

test('the guide has the table of the one list', async () => {
  const page = await textOf('docs/sandbox.md')
  expect(withPhoneTable(page) === page, 'docs/sandbox.md is stale; run: npm run docs').toBe(true)
  for (const { number, outcomes } of testNumbers) {
    const written = number.replace(/^(\+1)(...)(...)(....)$/, '$1 $2 $3 $4')
    expect(page).toContain(`| \`${written}\` | ${outcomes.map(outcome => `\`${outcome}\``).join(', ')} |`)
  }
})

test.each(phoneOutcomes)('the table describes what the sandbox does with %s', async outcome => {
  const sink = await webhookSink()
  const sandbox = await startTestSandbox({ numbers: [{ number: '+12025550190', outcome }] })
  const id = await placeCall(sandbox, {
    userNumber: '+12025550190',
    assistant: { assistantServer: { url: sink.url }, maxCallDuration: 2 },
    metadata: { caller: ['Are you open?'] },
  })
  const { phoneCallStatus, endedBy } = outcomeFacts[outcome]
  expect(sink.of(id).at(-1)?.call).toMatchObject({ phoneCallStatus, callEndTriggerBy: endedBy })
  const { startAt } = await recordOf(sandbox, id)
  expect(startAt === undefined).toBe(phoneCallStatus !== 'completed')
})
