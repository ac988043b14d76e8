import type { Core } from '../core.ts'

export const expectations: Core = {
  about: 'what a test expects of a call, and what differs',
  sources: ['src/scenario/expect/*.ts'],
  tests: ['test/scenario/expect/*.test.ts'],
  equivalent: [
    {
      file: 'check.ts',
      becomes: ['const { caller, messages = ["Stryker was here"] } = call.turns[index] ?? {}'],
      why: 'only turns that were reached are looked at',
    },
    {
      file: 'check.ts',
      becomes: ["case 'goal':"],
      why: 'undefined is no failure either',
    },
    {
      file: 'check.ts',
      becomes: ['case "":'],
      was: "case 'judge':",
      why: 'undefined is no failure either',
    },
    {
      file: 'check.ts',
      becomes: ['case "":'],
      was: "case 'goal':",
      why: 'undefined is no failure either',
    },
    {
      file: 'check.ts',
      becomes: ['const isInTime = true && actual <= milliseconds'],
      why: 'undefined is not less than a number',
    },
    {
      file: 'calls.ts',
      becomes: [
        'called.length === calls.length && calls.every(({ tool }, index) => called[index].name === tool)',
      ],
      why: 'there are as many of both',
    },
    {
      file: 'text.ts',
      becomes: ["const plain = normalize(text, 'NFKC').replace(/\\p{Default_Ignorable_Code_Point}/gu, '')"],
      why: 'one after the other they are gone, too',
    },
    {
      file: 'text.ts',
      becomes: ['if (false) throw error'],
      why: 'the engine throws nothing else',
    },
    {
      file: 'text.ts',
      becomes: ['for (let start = 0; start <= text.length; start += maxPiece) {'],
      why: 'an empty piece has no words',
    },
    {
      file: 'value.ts',
      becomes: [
        'return true && compares(expected, number)',
        'if (true && amount >= 0) return { operator, amount }',
      ],
      why: 'undefined compares with no number',
    },
    {
      file: 'value.ts',
      becomes: ["case 'list':"],
      why: 'undefined is no match either',
    },
    {
      file: 'value.ts',
      becomes: ['case "":'],
      was: "case 'object':",
      why: 'undefined is no match either',
    },
    {
      file: 'value.ts',
      becomes: ['case "":'],
      was: "case 'list':",
      why: 'undefined is no match either',
    },
  ],
}
