import { expect, test } from 'vitest'
import { colors } from '../../../src/cli/output/colors.ts'
import { failureDocument, failureText } from '../../../src/cli/output/failure.ts'
import { CallwrightError } from '../../../src/lib/error.ts'
import { paint } from '../../../src/lib/text/text.ts'

const shown = (error: unknown) => paint(failureText(error, { debug: false }), { color: colors })
const red = '\u001b[31m'

test('who leaves, or says no, made no mistake: neither red nor called an error', () => {
  const left = new CallwrightError('cancelled', 'cancelled; nothing was sent', { hint: 'run again' })
  expect(shown(left)).toMatch(/^Cancelled; nothing was sent\n.*hint:.* run again$/)
  expect(shown(left)).not.toContain(red)
  expect(failureDocument(left)).toMatchObject({ error: { kind: 'cancelled', exitCode: 130 } })
})

test('everything else is', () => {
  expect(shown(new CallwrightError('usage', 'no base URL is set'))).toContain(`${red}error:`)
  expect(shown(new Error('x is undefined'))).toContain(`${red}error:`)
})
