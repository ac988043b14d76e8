// The table of what happens to phones, for docs/sandbox.md and `callyard help sandbox`.
import type { PhoneOutcome } from '../src/interface/phone-number.ts'
import { testNumbers } from '../src/sandbox/engine/phone-outcome.ts'

interface Facts {
  /** After "the phone": at most 38 characters for a number, or the line of the help is too long. */
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
    spaced(number),
    outcomes.map(code).join(', '),
    all(outcomes, ({ does }) => does),
    all(outcomes, ({ phoneCallStatus }) => code(phoneCallStatus)),
    all(outcomes, ({ endedBy }) => code(endedBy)),
    all(outcomes, ({ phoneCallStatus }) => (phoneCallStatus === 'completed' ? '0' : '8')),
  ])
  const headings = [
    'Number',
    '`outcome`',
    'The phone',
    '`phoneCallStatus`',
    '`callEndTriggerBy`',
    '`--follow`',
  ]
  const table = [headings, headings.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
  return page.replace(
    /(<!-- table: phones -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${table.join('\n')}\n${end}`,
  )
}

/** The help topic with the numbers in the lines that name one. */
export function withPhoneLines(topic: string): string {
  const width = Math.max(...testNumbers.map(({ outcomes }) => outcomes.join(', ').length))
  const lines = testNumbers.map(({ number, outcomes }) => {
    const does = outcomes.map(outcome => outcomeFacts[outcome].does).join(', then ')
    return `    ${spaced(number)}  ${outcomes.join(', ').padEnd(width)}  ${does}\n`
  })
  return topic.replace(/(?: {4}\+1 202 555 018\d .*\n)+/, lines.join(''))
}

/** `+1 202 555 0181` */
function spaced(number: string): string {
  return number.replace(/^(\+1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4')
}

function code(text: string): string {
  return `\`${text}\``
}
