import { expect, test } from 'vitest'
import { describeEvent } from '../../../../src/cli/commands/sandbox/open-service.ts'
import { paint } from '../../../../src/lib/text/text.ts'

const line = (event: Parameters<typeof describeEvent>[0]) => paint(describeEvent(event), { color: false })
const about = { callId: 'CC-1', type: 'status-update', url: 'http://127.0.0.1:1/hook' }

test('prints a receiver’s response on one line, escaped', () => {
  expect(
    line({ kind: 'wrong-answer', ...about, reason: 'responded 201 instead of 200', answer: 'a\n\u001b[2Jb' }),
  ).toBe(
    'wrong response: http://127.0.0.1:1/hook responded 201 instead of 200, to status-update of call CC-1; a receiver must respond 200 with {"message": "…"}. Its answer: a\\n\\x1b[2Jb',
  )
  expect(line({ kind: 'delivery-failed', ...about, reason: 'responded 500', answer: 'Oops\r\n' })).toBe(
    'not delivered: status-update of call CC-1 to http://127.0.0.1:1/hook: responded 500: Oops\\r\\n',
  )
  expect(
    line({ kind: 'wrong-answer', ...about, reason: 'responded 204 instead of 200', answer: '' }),
  ).toMatch(/Its answer is an empty text$/)
})
