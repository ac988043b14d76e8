import { expect, test } from 'vitest'
import type { Vocabulary } from '../../../src/interface/vocabulary.ts'
import { readNumbers } from '../../../src/sandbox/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

const customer = { number: '+12025550101' }

async function read(text: string, vocabulary: Vocabulary = {}) {
  const cwd = await temporaryFolder({ 'numbers.yaml': text })
  return readNumbers('numbers.yaml', { cwd, vocabulary })
}

test('accepts only the numbers of a list, each with its own assistant', async () => {
  const assistants = { id: 'nobody' }
  const sandbox = await startTestSandbox({
    newId: () => assistants.id,
    numbers: [
      { id: 'p1', number: '+1 (202) 555-0102', assistantId: 'a1' },
      { id: 'p2', number: '+12025550103' },
      { id: 'p3', number: '+12025550104', assistantId: 'gone' },
    ],
  })
  assistants.id = 'a1'
  await sandbox.send('POST', '/assistants/v1/assistants', { name: 'First' })
  assistants.id = 'a2'
  await sandbox.send('POST', '/assistants/v1/assistants', { name: 'Second' })
  assistants.id = 'call'
  const connect = (phoneNumberId: string) =>
    sandbox.send('POST', '/calls/v1/conversations/connect', {
      direction: 'outbound',
      phoneNumberId,
      customer,
    })
  expect((await connect('p1')).body).toMatchObject({
    assistantId: 'a1',
    phoneNumberId: 'p1',
    phoneVendorDetails: { from: '+1 (202) 555-0102', to: customer.number },
  })
  expect(await connect('p2')).toMatchObject({
    status: 422,
    body: { hint: expect.stringContaining('assistantId') },
  })
  expect(await connect('p3')).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('gone') },
  })
  expect(await connect('p4')).toMatchObject({
    status: 404,
    body: { hint: expect.stringContaining('p1, p2, p3') },
  })
  const start = (assistantNumber: string) =>
    sandbox.send('POST', '/calls/v1/conversations', { userNumber: customer.number, assistantNumber })
  expect((await start('+12025550102')).status).toBe(200)
  expect(await start('+12025550199')).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'assistantNumber', code: 'not-allowed' }] },
  })
})

test('the vendor of a number is one of two, and the deployment may have its own word for it', async () => {
  const file = (vendor: string) => `- id: p1\n  number: "+12025550102"\n  phoneVendor: ${vendor}\n`
  const vocabulary = { '<phone_vendor_2>': 'acme' }
  expect(await read(file('<phone_vendor_2>'))).toMatchObject([{ phoneVendor: '<phone_vendor_2>' }])
  expect(await read(file('<phone_vendor_2>'), vocabulary)).toMatchObject([{ phoneVendor: 'acme' }])
  expect(await read(file('acme'), vocabulary)).toMatchObject([{ phoneVendor: 'acme' }])
  await expect(read(file('other'))).rejects.toMatchObject({ diagnostics: [{ code: 'not-allowed' }] })
})

test('suggests quotes for a number without quotes', async () => {
  await expect(read('- id: 7\n  number: +12025550102\n')).rejects.toMatchObject({
    diagnostics: [{ hint: 'put it in quotes: "7"' }, { hint: 'put it in quotes: "+12025550102"' }],
  })
})

test('a file of numbers is read', async () => {
  expect(await read('- id: p1\n  number: "+12025550102"\n  assistantId: a1\n')).toEqual([
    { id: 'p1', number: '+12025550102', assistantId: 'a1' },
  ])
})

test.each([
  ['- id: p1\n  nmber: "+12025550102"\n', ['missing', 'unknown-key']],
  ['- id: p1\n  number: 12025550102\n', ['wrong-type']],
  ['id: p1\n', ['wrong-type']],
  ['- {id: p1, number: "1"}\n- {id: p1, number: "2"}\n- {id: p3, number: "1"}\n', ['duplicate', 'duplicate']],
  ['- {id: p1\n', ['broken-yaml']],
])('reports %j with its position', async (text, codes) => {
  const error = await read(text).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ kind: 'invalid' })
  const { diagnostics } = error as { diagnostics: { code: string; file: string; position?: object }[] }
  expect(diagnostics.map(({ code }) => code).sort()).toEqual(codes)
  for (const { file, position } of diagnostics)
    expect([file, position]).toEqual(['numbers.yaml', expect.anything()])
})

test('outcomes of a number are one word or a list; a number that is only called needs no id', async () => {
  const file = [
    '- { number: "+1 202 555 0190", outcome: busy }',
    '- { id: p1, number: "+12025550102", outcome: [no-answer, answered] }',
    '',
  ].join('\n')
  expect(await read(file)).toEqual([
    { number: '+1 202 555 0190', outcome: 'busy' },
    { id: 'p1', number: '+12025550102', outcome: ['no-answer', 'answered'] },
  ])
})

test.each([
  ['bussy', 1, 38, 'did you mean busy?', '[0].outcome is "bussy"; allowed: one of answered, busy,'],
  ['[busy, no-answr]', 1, 45, 'did you mean no-answer?', '[0].outcome[1] is "no-answr"'],
  ['[]', 1, 38, undefined, '[0].outcome is an empty list'],
  ['7', 1, 38, undefined, 'voicemail, hang-up, dropped, silent, or a list of these'],
  ['{ busy: 1 }', 1, 38, undefined, '[0].outcome is a mapping; allowed: '],
  ['[[busy]]', 1, 39, undefined, '[0].outcome[0] is a list'],
])('outcome: rejects %s at its position', async (outcome, line, column, hint, message) => {
  const error = await read(`- { number: "+12025550190", outcome: ${outcome} }\n`).catch(
    (thrown: unknown) => thrown,
  )
  const { diagnostics } = error as { diagnostics: Record<string, unknown>[] }
  expect(diagnostics).toMatchObject([
    { file: 'numbers.yaml', position: { line, column }, message: expect.stringContaining(message) },
  ])
  if (hint !== undefined) expect(diagnostics[0]).toMatchObject({ hint })
})

test.each([
  ['- { number: "+12025550190" }', 'the number "+12025550190" has no id'],
  ['- { number: "+12025550190", assistantId: a1, outcome: busy }', 'the number "+12025550190" has no id'],
  [
    '- { number: "+12025550190", outcome: busy }\n- { number: "+1 (202) 555-0190", outcome: silent }',
    'number "+1 (202) 555-0190" is there twice',
  ],
])('rejects %j', async (file, message) => {
  await expect(read(`${file}\n`)).rejects.toMatchObject({ diagnostics: [{ message }] })
})

test('a list of phone outcomes keeps every assistant number available', async () => {
  const assistantless = { userNumber: '+12025550190', assistant: { name: 'Desk' } }
  const send = async (numbers: NonNullable<Parameters<typeof startTestSandbox>[0]>['numbers']) => {
    const sandbox = await startTestSandbox({ numbers })
    const body = { ...assistantless, assistantNumber: '+12025550102' }
    return (await sandbox.send('POST', '/calls/v1/conversations', body)).status
  }
  expect(await send([{ number: '+12025550190', outcome: 'busy' }])).toBe(200)
  expect(
    await send([
      { number: '+12025550190', outcome: 'busy' },
      { id: 'p1', number: '+12025550103' },
    ]),
  ).toBe(422)
  expect(await send([])).toBe(422)
  // The number of a phone that is called is none of an assistant.
  expect(
    await send([
      { number: '+12025550102', outcome: 'busy' },
      { id: 'p1', number: '+12025550103' },
    ]),
  ).toBe(422)
})
