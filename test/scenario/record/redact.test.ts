import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  draftTest,
  expectationKinds,
  type ReplayableCall,
  redactCalls,
  renderTest,
  selectActive,
  toReplayableCall,
} from '../../../src/scenario/record/index.ts'
import type { Said, SampleCall } from '../../helpers/events.ts'
import { readCall } from './recordings.ts'

function textOf(course: ReplayableCall): string {
  const draft = draftTest(course, undefined)
  return renderTest(draft, { active: selectActive(draft, expectationKinds), withOthers: true, notes: [] })
}

async function redacted(samples: readonly SampleCall[], words: readonly string[] = []): Promise<string[]> {
  const courses: ReplayableCall[] = []
  for (const sample of samples) courses.push(toReplayableCall(await readCall(sample), undefined))
  return redactCalls(courses, words).map(textOf)
}

async function linesOf(...said: Said[]): Promise<string[]> {
  const [text = ''] = await redacted([{ said }])
  return [...text.matchAll(/(?:user|says): (.*)/g)].map(([, line = '']) => line)
}

test('replaces a name and its parts everywhere, including tools, variables and analysis', async () => {
  const [text = ''] = await redacted([
    {
      customer: { name: 'Ada Lovelace', number: '+12025550143' },
      assistant: { assistantOverrides: { dynamicVariables: { name: 'Ada', shop: 'Spoke' } } },
      said: [
        ['assistant', "Hello Ada, is this LOVELACE's bicycle?"],
        ['user', 'Yes, it is. Book it for Lovelace, and call +1 (202) 555-0143 or 202 555 0143'],
        {
          tool: {
            id: 't',
            name: 'book',
            arguments: { who: 'ada lovelace', phone: 12025550143, day: '2026-01-02' },
            result: { for: 'Ada' },
          },
        },
      ],
      analysis: { structuredData: { customer: 'Ada Lovelace' } },
    },
  ])
  expect(text).not.toMatch(/ada|lovelace|0143/i)
  expect(text).toContain('Book it for Person2, and call +12025550100 or +12025550100')
  expect(text).toContain('who: Person1 Person2')
  expect(text).toContain('phone: 12025550100')
  expect(text).toContain('day: 2026-01-02')
  expect(text).toContain('shop: Spoke')
})

test.each([
  ['My name is Ada Lovelace, please', 'My name is Person1 Person2, please'],
  ['my name is ada', 'my name is Person1'],
  ["I'm Grace and I am late", "I'm Person1 and I am late"],
  ['Can I speak with Mr. Smith-Jones?', 'Can I speak with Mr. Person1?'],
  ['my name is Ada. A-D-A', 'my name is Person1. Person1'],
  ['mail me at ada.l@mail.example.org', 'mail me at person1@example.com'],
  ['it is ada at example dot com', 'it is person1@example.com'],
  ['my card is 4111 1111 1111 1111', 'my card is 9000000000000001'],
  ['order 12345-67', 'order 9000001'],
  ['DE89 3704 0044 0532 0130 00 is the account', 'XX00000000000001 is the account'],
  ['call two oh two triple five oh one double four', 'call +12025550100'],
  ['it is 7f0c1de2-5f4b-4c3a-9d8e-0123456789ab', 'it is 00000000-0000-4000-8000-000000000001'],
  [
    'On 2026-01-02 at 10:40, or 02.01.2026, for 80 euros',
    'On 2026-01-02 at 10:40, or 02.01.2026, for 80 euros',
  ],
  ['This is the front desk. Hello, how are you?', 'This is the front desk. Hello, how are you?'],
  ['my number is 202 555 0143, ending in 0143', 'my number is +12025550100, ending in 0100'],
])('%j becomes %j', async (line, expected) => {
  expect(await linesOf(['user', line])).toEqual([expected])
})

test('key presses stay key presses', async () => {
  expect(await linesOf(['user', '2025550143#'])).toEqual(['/keys 12025550100#'])
})

test('a person has one placeholder in all calls, which no call contains', async () => {
  const [one = '', two = ''] = await redacted([
    { said: [['user', 'My name is Ada, not Person1. Call 202 555 0143 or +12025550100']] },
    {
      said: [
        ['user', 'My name is Grace'],
        ['assistant', 'Hello Grace.'],
        ['user', 'Ada sent me, at 12025550143'],
      ],
    },
  ])
  expect(one).toContain('My name is Person2, not Person1. Call +12025550101 or +12025550102')
  expect(two).toContain('My name is Person3')
  expect(two).toContain('Person2 sent me, at +12025550101')
})

test('replaces custom words', async () => {
  const [text = ''] = await redacted(
    [{ said: [['user', 'The Spoke and Chain in Bath']] }],
    ['bath', 'Spoke and Chain'],
  )
  expect(text).not.toMatch(/bath|spoke|chain/i)
})

const name = fc.constantFrom('Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Émilie', 'Ørjan', 'Nguyễn')
const digits = fc.stringMatching(/^[1-9]\d{4,15}$/)
const separated = digits.chain(number =>
  fc
    .constantFrom(' ', '-', '.', '', ' - ')
    .map(separator => number.replace(/(\d{3})(?=\d)/g, `$1${separator}`)),
)

test('leaves no trace of replaced values in any field or format', async () => {
  await fc.assert(
    fc.asyncProperty(name, name, separated, digits, async (first, last, number, account) => {
      const [text = ''] = await redacted([
        {
          customer: { name: `${first} ${last}`, number },
          said: [
            ['assistant', `Hello ${first}! Is ${number} right, ${last}?`],
            [
              'user',
              `yes ${first.toLowerCase()} ${last.toUpperCase()}, account ${account}, ${first}@mail.example.org`,
            ],
            {
              tool: {
                id: 't',
                name: 'look',
                arguments: { a: [`x ${number} y`], [first]: Number(account) },
                error: `${last}?`,
              },
            },
          ],
          call: { assistantOverrides: { dynamicVariables: { anything: `for ${last}` } } },
          analysis: { successEvaluation: first, structuredData: { deep: { er: account } } },
        },
      ])
      const folded = text.toLowerCase()
      for (const original of [first, last, number, account, number.replace(/\D/g, '')])
        expect(folded).not.toContain(original.toLowerCase())
      expect(folded).not.toContain('mail.example.org')
    }),
  )
})
