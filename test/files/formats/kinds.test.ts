import { expect, test } from 'vitest'
import { kinds } from '../../../src/files/formats/kinds.ts'
import { check, formatFieldPath } from '../../../src/interface/check.ts'
import type { KindName } from '../../../src/interface/words.ts'
import { codesOf } from '../../helpers/errors.ts'

test('a list with more errors than zod can hold is one finding', () => {
  const findings = check(kinds['knowledge-base'].schema(), { faq: Array(300_000).fill(1) })
  expect(codesOf(findings)).toEqual(['too-many-findings'])
})

test('checks a long list to its end, and its other keys once', () => {
  const faq: unknown[] = Array.from({ length: 3500 }, (_, index) => ({ question: `q${index}`, answer: 'a' }))
  for (const index of [0, 999, 1000, 2001, 3499]) faq[index] = { question: 'q', answer: index, more: 1 }
  const findings = check(kinds['knowledge-base'].schema(), { faq, knowledgeBaseId: 1, other: [1] })
  expect(findings.map(({ code, path }) => [code, path.join('.')]).sort()).toEqual(
    [
      ['unknown-key', 'other'],
      ['wrong-type', 'knowledgeBaseId'],
      ...[0, 999, 1000, 2001, 3499].flatMap(index => [
        ['unknown-key', `faq.${index}.more`],
        ['wrong-type', `faq.${index}.answer`],
      ]),
    ].sort(),
  )
})

const findings = (kind: KindName, value: unknown) =>
  check(kinds[kind].schema({}), value).map(({ code, path }) => [code, formatFieldPath(path)].join(' '))

test.each<[KindName, unknown, string[]]>([
  [
    'tool',
    { type: 'function', messages: [{ type: 'request-start', content: 'x', own: 1 }], server: { a: 1 } },
    [],
  ],
  ['tool', {}, ['missing type']],
  ['tool', { type: 'other' }, ['not-allowed type']],
  ['tool', { type: 'function', async: 'yes' }, ['wrong-type async']],
  ['tool', { type: 'function', messages: [{ type: 'x' }] }, ['missing messages[0].content']],
  ['tool-update', { type: 'function' }, ['unknown-key type']],
  ['knowledge-base', {}, ['missing faq']],
  ['knowledge-base', { faq: [{ question: '', answer: 'a' }] }, ['out-of-range faq[0].question']],
  ['knowledge-base', { faq: [{ id: null, question: 'q', answer: 'a' }] }, []],
  ['knowledge-base', { faq: [{ question: 'q' }] }, ['missing faq[0].answer']],
  ['overrides', { welcomeMessageMode: 'loud' }, ['not-allowed welcomeMessageMode']],
  ['overrides', { dynamicVariables: { name: 1 } }, ['wrong-type dynamicVariables.name']],
  ['inline-assistant', {}, []],
  ['call-start', { userNumber: '+12025550101', assistantNumber: '+12025550102' }, []],
  [
    'call-start',
    { userNumber: 'a', assistantNumber: 'b', assistant: { idleTimeout: 4 } },
    ['out-of-range assistant.idleTimeout'],
  ],
  [
    'call-start',
    { userNumber: 'a', assistantNumber: 'b', assistant: { endCallMessage: 'x' } },
    ['needs assistant.endCallMessage'],
  ],
  [
    'call-connect',
    { direction: 'sideways', phoneNumberId: 'p', customer: {} },
    ['not-allowed direction', 'missing customer.number'],
  ],
  ['project', { vocabulary: { provider: 'x' } }, ['unknown-key vocabulary.provider']],
])('%s %j returns %j', (kind, value, expected) => {
  expect(findings(kind, value)).toEqual(expected)
})
