import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ApprovableAction, actionSchema, argvOf } from '../../../src/calls/approval/index.ts'

const text = fc.string({ minLength: 1, maxLength: 30 })
const actions: fc.Arbitrary<ApprovableAction> = fc.oneof(
  fc.record({ action: fc.constant('apply' as const), target: text }),
  fc.record({
    action: fc.constant('call' as const),
    from: text,
    to: text,
    assistant: text,
    variables: fc.dictionary(fc.stringMatching(/^[^=\n]+$/), fc.string()),
  }),
  fc.record({ action: fc.constant('batch' as const), batch: text, maxCalls: fc.integer({ min: 1 }) }),
)

test('no value of an action becomes a flag or a command', () => {
  const words = ['apply', 'call', 'start', 'connect', 'batch', 'run']
  const flags = /^--(target|from|phone-number-id|to|assistant|var|max-calls)=/s
  fc.assert(
    fc.property(actions, action => {
      const argv = argvOf(actionSchema().parse(action))
      const end = argv.indexOf('--')
      const before = end === -1 ? argv : argv.slice(0, end)
      expect(before.filter(word => !words.includes(word) && !flags.test(word))).toEqual([])
      expect(argv.slice(before.length)).toEqual(action.action === 'batch' ? ['--', action.batch] : [])
    }),
  )
})
