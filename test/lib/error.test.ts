import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { describeFileError } from '../../src/lib/error.ts'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

test('shows the message of a file system error without code, call and path', async () => {
  expect(describeFileError(await errorOf(readFile('/no/such/file')))).toBe('no such file or directory')
  expect(describeFileError(await errorOf(readFile('/')))).toBe('illegal operation on a directory')
})

test('the reason of any other error is its message', () => {
  expect(describeFileError(new Error('EACCES: as somebody wrote it, open'))).toBe(
    'EACCES: as somebody wrote it, open',
  )
  expect(describeFileError('text')).toBe('text')
})
