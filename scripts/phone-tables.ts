// The table of what happens to phones, for docs/sandbox.md.
import type { PhoneOutcome } from '../src/interface/phone-number.ts'
import { testNumbers } from '../src/sandbox/engine/phone-outcome.ts'

interface Facts {
  /** After "the phone". */
  readonly does: string
  readonly phoneCallStatus: string
  readonly endedBy: string
}

const answered = { phoneCallStatus: 'completed', endedBy: 'user' }
const given = { endedBy: 'system' }

/** Final fields of a call to a phone with this outcome, unless the assistant ends it earlier. */
export const outcomeFacts: Readonly<Record<PhoneOutcome, Facts>> = {
  answered: { does: 'is answered', ...answered },
  busy: { does: 'is busy', phoneCallStatus: 'busy', ...given },
  'no-answer': { does: 'rings for 30 seconds', phoneCallStatus: 'no-answer', ...given },
  unreachable: { does: 'cannot be reached', phoneCallStatus: 'failed', ...given },
  voicemail: { does: 'is answered by voicemail', ...answered },
  'hang-up': { does: 'hangs up during the welcome', ...answered },
  dropped: { does: 'loses the line after 10 seconds', ...answered, endedBy: 'system' },
  silent: { does: 'says nothing at all', ...answered, endedBy: 'system' },
}

/** docs/sandbox.md with the table between `<!-- table: phones -->` and `<!-- end -->`. */
export function withPhoneTable(page: string): string {
  const all = (outcomes: readonly PhoneOutcome[], of: (facts: Facts) => string) =>
    outcomes.map(outcome => of(outcomeFacts[outcome])).join(', then ')
  const rows = testNumbers.map(({ number, outcomes }) => [
    code(spaced(number)),
    outcomes.map(code).join(', '),
    all(outcomes, ({ does }) => does),
    all(outcomes, ({ phoneCallStatus }) => code(phoneCallStatus)),
    all(outcomes, ({ endedBy }) => code(endedBy)),
  ])
  const headings = ['Number', '`outcome`', 'The phone', '`phoneCallStatus`', '`callEndTriggerBy`']
  const table = [headings, headings.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return page.replace(
    /(<!-- table: phones -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${table.join('\n')}\n${end}`,
  )
}

/** `+1 202 555 0181` */
function spaced(number: string): string {
  return number.replace(/^(\+1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4')
}

function code(text: string): string {
  return `\`${text}\``
}
