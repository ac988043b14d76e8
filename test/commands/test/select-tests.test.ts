import { expect, test } from 'vitest'
import { createOutput } from '../../../src/cli/output/create-output.ts'
import { selectTests } from '../../../src/commands/test/read-tests.ts'
import type { Text } from '../../../src/lib/text/text.ts'
import { InvalidInput } from '../../../src/source/index.ts'
import { madeTest } from '../../scenario/made-results.ts'

const nowhere = { write: () => true }
const streams = { stdout: nowhere, stderr: nowhere, cwd: '/' }

const hours = madeTest({ id: 'hours', name: 'Opening hours', tags: ['faq'] })
const booking = madeTest({ id: 'sales/booking', name: 'A booking', tags: ['tools', 'slow'] })
const price = madeTest({ id: 'price[2]', name: 'Ｐrice  of a repair', tags: ['faq'] })
const tests = [hours, booking, price]
const warnings: string[] = []
const output = {
  ...createOutput(streams, { env: {} }),
  warn: (message: Text) => void warnings.push(String(message)),
}
const person = { env: {}, output }
const ci = { env: { CI: 'true' }, output }
const noCi = { ...person, env: { CI: 'false' } }

test('selects all without flags, and matches part of the name or id case-insensitively', () => {
  expect(selectTests(tests, {}, person)).toEqual(tests)
  expect(selectTests(tests, { name: 'HOURS' }, person)).toEqual([hours])
  expect(selectTests(tests, { name: 'sales/' }, person)).toEqual([booking])
  expect(selectTests(tests, { name: 'price of' }, person)).toEqual([price])
  expect(selectTests(tests, { name: 'price[2]' }, person)).toEqual([price])
})

test('one matching tag is enough; name and tags must both match', () => {
  expect(selectTests(tests, { tag: ['SLOW', 'faq'] }, person)).toEqual(tests)
  expect(selectTests(tests, { tag: ['faq'], name: 'hours' }, person)).toEqual([hours])
})

test.each([
  [{ name: 'openning' }, 'none of 3 tests has the name "openning"', 'did you mean Opening hours?'],
  [{ name: 'zzz' }, 'none of 3 tests has the name "zzz"', 'a part of the name or id is enough: hours'],
  [{ tag: ['tool'] }, 'none of 3 tests has the tag "tool"', 'did you mean tools?'],
  [{ tag: ['zzz'] }, 'none of 3 tests has the tag "zzz"', 'available: faq, tools, slow'],
  [
    { name: 'hours', tag: ['slow'] },
    'none of 3 tests has the name "hours" and the tag "slow"',
    'did you mean Opening hours?',
  ],
])('a selection without matches is an error that lists similar names: %j', (selection, message, hint) => {
  expect(() => selectTests(tests, selection, person)).toThrow(
    expect.objectContaining({ kind: 'invalid', message, hint }),
  )
})

test('no test at all is an error', () => {
  expect(() => selectTests([], {}, person)).toThrow(
    expect.objectContaining({ kind: 'invalid', message: 'no tests found' }),
  )
})

test('only runs those tests, and is rejected in CI at its line', () => {
  const file = 'tests/b.test.yaml'
  const place = { file, path: ['only'], position: { line: 3, column: 1 } }
  const alone = { ...booking, only: true, file, location: place }
  expect(selectTests([hours, alone], {}, person)).toEqual([alone])
  expect(warnings).toEqual(['only is set in tests/b.test.yaml, so 1 other test is not run'])
  expect(selectTests([hours, alone], { name: 'hours' }, ci)).toEqual([hours])
  expect(selectTests([hours, alone], {}, noCi)).toEqual([alone])
  const refused = () => selectTests([hours, alone], {}, ci)
  expect(refused).toThrow(InvalidInput)
  expect(refused).toThrow(
    expect.objectContaining({
      diagnostics: [expect.objectContaining({ code: 'only-in-ci', ...place })],
    }),
  )
})
