import { expect, test } from 'vitest'
import { toolsOfCall } from './call-tools.ts'
import { toldBy, useTool } from './use-tool.ts'

const sales = { name: 'Sales', phoneNumber: '+12025550101' }
const repairs = { name: 'Repairs', phoneNumber: '+12025550102', extension: '7' }
const unnamed = { phoneNumber: '+12025550103', extension: '9' }

test('end_call ends the call with its message', async () => {
  const { tool } = toolsOfCall({
    switches: { endCall: true },
    endCallMessage: 'Goodbye!',
    endCallToolDescription: 'Hang up politely',
  })
  expect(tool('end_call')?.description).toBe('Hang up politely')
  expect(await useTool(tool('end_call')).outcome).toEqual({
    content: '{"status":"ending"}',
    ending: { kind: 'end-call', message: 'Goodbye!' },
  })
  const plain = toolsOfCall({ switches: { endCall: true }, endCallToolDescription: ' ' })
  expect(plain.tool('end_call')?.description).toContain('Ends the call')
})

const forward = (...forwardTargets: Parameters<typeof toolsOfCall>[0]['forwardTargets'] & object) =>
  toolsOfCall({ switches: { callForward: true }, forwardTargets }).tool('forward_call')

test('forward_call connects to the only target', async () => {
  const tool = forward({ name: 'Nobody' }, sales)
  expect(tool?.parameters).toEqual({ type: 'object', properties: {} })
  expect((await useTool(tool).outcome).ending).toEqual({
    kind: 'forward',
    target: sales,
    message: 'One moment, I am putting you through to Sales.',
  })
  expect((await useTool(tool, { name: 'sales' }).outcome).ending).toMatchObject({ target: sales })
})

test('forward_call lets the model choose a target by name or number', async () => {
  const tool = forward(sales, repairs, unnamed, { name: 'Sales', phoneNumber: '+12025550104' })
  expect(tool?.parameters).toMatchObject({
    properties: { name: { enum: ['Sales', 'Repairs', '+12025550103, extension 9'] } },
    required: ['name'],
  })
  expect((await useTool(tool, { name: ' repairs' }).outcome).ending).toMatchObject({ target: repairs })
  expect((await useTool(tool, { name: 'Sales' }).outcome).ending).toMatchObject({ target: sales })
  expect((await useTool(tool, { name: '+12025550103, extension 9' }).outcome).ending).toEqual({
    kind: 'forward',
    target: unnamed,
    message: 'One moment, I am putting you through to +12025550103, extension 9.',
  })
})

test.each([
  [{}, 'name is missing: use one of "Sales", "Repairs"'],
  [{ name: '' }, 'name is missing: use one of "Sales", "Repairs"'],
  [{ name: 'Billing' }, 'no target is called "Billing": use one of "Sales", "Repairs"'],
])('forward_call with %j lists the targets', async (given, error) => {
  const used = useTool(forward(sales, repairs), given)
  expect(await toldBy(used)).toEqual({ error })
  const { ending, failure } = await used.outcome
  expect({ ending, failure }).toEqual({ ending: undefined, failure: undefined })
})

test.each([[[]], [[{ name: 'Sales' }]], [[{ phoneNumber: ' ' }]]])(
  'forward_call fails with callForwardData %j',
  async targets => {
    const used = useTool(forward(...targets), { name: 'Sales' })
    expect(await toldBy(used)).toEqual({ error: 'there is no number to forward the caller to' })
    expect(await used.outcome).toMatchObject({ failure: expect.stringContaining('callForwardData') })
    expect((await used.outcome).ending).toBeUndefined()
  },
)
