import { expect, test } from 'vitest'
import { messages } from '../../../src/cli/messages/messages.ts'
import { messageFor, withMessage } from '../../../src/cli/messages/with-words.ts'
import { failureDocument } from '../../../src/cli/shell/output/failure.ts'
import { CallyardError, defineErrors } from '../../../src/lib/error.ts'
import type { LockfileErrors } from '../../../src/project/lockfile/index.ts'

const lockfileError = defineErrors<LockfileErrors>()
const details = { target: 'live', recorded: 'https://calls.example.com/', baseUrl: 'https://example.com/' }

test('an error of a code is worded with its details, and keeps kind, code and details', async () => {
  const error = lockfileError('conflict', 'target-elsewhere', details)
  expect(error.message).toBe('target-elsewhere')
  expect(failureDocument(await withMessage(error))).toEqual({
    error: {
      kind: 'conflict',
      exitCode: 9,
      code: 'target-elsewhere',
      message:
        'target live is at https://calls.example.com/ in callyard.lock.yaml, not at https://example.com/; nothing was sent',
      hint: expect.stringContaining('--target <name>'),
      ...details,
    },
  })
})

test('the cause of an error is worded, too', async () => {
  const cause = lockfileError('conflict', 'target-elsewhere', details)
  const error = await withMessage(lockfileError('conflict', 'target-twice', details, cause))
  expect(failureDocument(error)).toMatchObject({
    error: { cause: { kind: 'conflict', code: 'target-elsewhere', ...details } },
  })
  expect(error.cause).toMatchObject({ message: expect.stringContaining('nothing was sent') })
})

test('an error without a code shows its message', async () => {
  const error = new CallyardError('usage', 'no base URL is set', { hint: 'give one' })
  expect(await withMessage(error)).toBe(error)
  expect(messageFor(new TypeError('x is undefined'), messages)).toEqual({ message: 'x is undefined' })
})
