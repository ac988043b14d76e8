import { expect, test } from 'vitest'
import { countRetries } from '../../../src/cli/commands/count-retries.ts'
import type { RetryListener } from '../../../src/cli/shell/context.ts'
import { testContext } from '../../helpers/test-context.ts'

test('says how many wait while a person sees it, and how many were retried at the end', () => {
  let onRetry: RetryListener | undefined
  const notes: unknown[] = []
  const shown: string[] = []
  const base = testContext()
  const context = base.with({
    output: { ...base.output, note: message => void notes.push(message) },
    onRetries(listener) {
      onRetry = listener
      return () => {
        onRetry = undefined
      }
    },
  })
  const retries = countRetries(context, {
    isShown: () => true,
    show: () => shown.push(retries.waitingText()),
  })
  const limited = { reason: 'the service responded 429', isRateLimited: true, attemptCount: 1, waitMs: 1000 }
  const ends = [
    onRetry?.(limited),
    onRetry?.({ ...limited, attemptCount: 2 }),
    onRetry?.({ reason: 'connection refused', isRateLimited: false, attemptCount: 1, waitMs: 1000 }),
  ]
  for (const end of ends) end?.()
  expect(shown).toEqual([
    '1 waiting: rate limited',
    '2 waiting: rate limited',
    '2 waiting: rate limited; 1 waiting: connection refused',
    '1 waiting: rate limited; 1 waiting: connection refused',
    '1 waiting: connection refused',
    '',
  ])
  expect(notes).toEqual([])
  retries.end()
  retries.end()
  expect(notes).toEqual(['1 request was retried: rate limited; 1 request was retried: connection refused'])
  expect(onRetry).toBeUndefined()
})
