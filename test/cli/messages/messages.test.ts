import { expect, test } from 'vitest'
import { messages, worded, wordsOf } from '../../../src/cli/messages/messages.ts'
import { projectMessages } from '../../../src/cli/messages/project.ts'
import { failureDocument } from '../../../src/cli/output/failure.ts'
import { CallwrightError } from '../../../src/lib/error.ts'
import { projectError } from '../../../src/project/errors.ts'

const details = { target: 'live', recorded: 'https://calls.example.com/', baseUrl: 'https://example.com/' }

test('an error of a code is worded with its details, and keeps kind, code and details', () => {
  const error = projectError('conflict', 'target-elsewhere', details)
  expect(error.message).toBe('target-elsewhere')
  expect(failureDocument(worded(error))).toEqual({
    error: {
      kind: 'conflict',
      exitCode: 9,
      code: 'target-elsewhere',
      message:
        'target live is at https://calls.example.com/ in callwright.lock.yaml, and this is https://example.com/; nothing was sent',
      hint: expect.stringContaining('--target <name>'),
      ...details,
    },
  })
})

test('the cause of an error is worded, too', () => {
  const cause = projectError('conflict', 'target-elsewhere', details)
  const error = worded(projectError('conflict', 'target-twice', details, cause))
  expect(error.details.cause).toMatchObject({ kind: 'conflict', code: 'target-elsewhere', ...details })
  expect(wordsOf(error.cause).message).toContain('nothing was sent')
})

test('an error without a code says what it says', () => {
  const error = new CallwrightError('usage', 'no base URL is set', { hint: 'give one' })
  expect(worded(error)).toBe(error)
  expect(wordsOf(new TypeError('x is undefined'))).toEqual({ message: 'x is undefined' })
})

test('no two modules have a code in common', () => {
  const all = [projectMessages].flatMap(each => Object.keys(each))
  expect(all.sort()).toEqual(Object.keys(messages).sort())
})
