import { expect, test } from 'vitest'
import { everyCase } from '../helpers/every-case.ts'
import { type KillPoint, openFollowedBatch } from './followed-batch.ts'

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const sides = ['before the response', 'after the response'] as const

/** `npm run attack -- cases` kills at 200 points. */
const points: readonly KillPoint[] = everyCase
  ? [
      ...numbersTo(60).map(index => ({ file: 'journal', event: 1 + (index % 42) }) as const),
      ...numbersTo(50).map(index => ({ file: 'events', event: 1 + (index % 45) }) as const),
      ...numbersTo(12).map(index => ({ file: 'results', event: 1 + (index % 6) }) as const),
      ...numbersTo(10).map(index => ({ file: 'do-not-call', event: 1 + (index % 3) }) as const),
      ...sides.flatMap(at => numbersTo(14).map(request => ({ request, at }))),
      ...sides.flatMap(at => numbersTo(20).map(delivery => ({ delivery, at }))),
    ]
  : [
      { file: 'journal', event: 14 },
      { file: 'do-not-call', event: 1 },
      { request: 5, at: 'before the response' },
      { delivery: 9, at: 'after the response' },
    ]

const named = points.map(point => {
  if ('file' in point) return { point, name: `change ${point.event} of ${point.file}` }
  const index = 'request' in point ? `request ${point.request}` : `event ${point.delivery}`
  return { point, name: `${index} ${point.at}` }
})

test.each(named)(
  'after a kill at $name everybody is called as often as the outcomes say',
  async ({ point }) => {
    const batch = await openFollowedBatch()
    await batch.run({ point })
    await batch.expectFinished()
  },
)

test('without a kill', async () => {
  const batch = await openFollowedBatch()
  const { unsent } = await batch.expectFinished()
  expect(unsent).toBe(0)
})
