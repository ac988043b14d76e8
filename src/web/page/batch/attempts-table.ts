import { duration } from '../../../lib/text/date-time.ts'
import { chip, dateTimeElement, element, setAttribute, setText } from '../dom.ts'
import { createRows } from '../row-list.ts'
import { formatCallTime, type ShownAttempt, type ShownPerson } from './batch-model.ts'
import type { OpenCall } from './live-calls.ts'

export type AttemptsTable = ReturnType<typeof createAttemptsTable>

/** The calls to one person, as a table. */
export function createAttemptsTable(name: string, openCall?: OpenCall) {
  const numbers = element('p', { class: 'faint' })
  const none = element('p', { class: 'note' }, 'Not called yet.')
  // The layout of a narrow page would remove the roles of a table.
  const body = element('tbody', { role: 'rowgroup' })
  const heads = columns.map(column => element('th', { role: 'columnheader', scope: 'col' }, column))
  const head = element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...heads))
  const label = { class: 'attempts', role: 'table', 'aria-label': `Calls to ${name}` }
  const table = element('table', label, head, body)
  const arrange = createRows<Numbered>(
    body,
    ({ attempt, index }) => `${index} ${JSON.stringify(attempt)}`,
    ({ attempt }) => ({ row: attemptRow(attempt, openCall) }),
  )
  return {
    element: element('div', { class: 'panel' }, numbers, table, none),
    draw({ numbers: allNumbers, nextAt, attempts }: ShownPerson, now: number) {
      const facts = [
        ...(allNumbers.length > 1 ? [`Numbers: ${allNumbers.join(', ')}.`] : []),
        ...(nextAt === null ? [] : [`Next call: ${formatCallTime(nextAt, now)}.`]),
      ]
      setText(numbers, facts.join(' '))
      numbers.hidden = facts.length === 0
      table.hidden = attempts.length === 0
      none.hidden = attempts.length > 0
      setAttribute(table, 'data-kinds', String(attempts.some(({ kind }) => kind !== null)))
      arrange(attempts.map((attempt, index) => ({ attempt, index })))
    },
  }
}

const columns = ['Time', 'Kind', 'Number', 'Outcome', 'Length', 'Ended by', 'Details']

interface Numbered {
  readonly attempt: ShownAttempt
  readonly index: number
}

function attemptRow(attempt: ShownAttempt, openCall: OpenCall | undefined): HTMLElement {
  const { at, kind, number, from, outcome, seconds, endedBy, call, reason, summary } = attempt
  const details = element(
    'div',
    { class: 'attempt-details' },
    element('span', { class: 'faint' }, `from ${from}`),
    ...(call === null ? [] : [callChip(call, openCall)]),
    ...[reason, summary].flatMap(text => (text === null ? [] : [element('p', { dir: 'auto' }, text)])),
  )
  const cells: readonly (readonly [string, string | Node])[] = [
    ['Time', dateTimeElement(at)],
    ['Kind', kind ?? '–'],
    ['Number', number],
    ['Outcome', outcome],
    ['Length', seconds === null ? '–' : duration(seconds * 1000)],
    ['Ended by', endedBy ?? '–'],
    ['Details', details],
  ]
  return element(
    'tr',
    { role: 'row' },
    ...cells.map(([label, value]) => element('td', { role: 'cell', 'data-label': label }, value)),
  )
}

/** The id of a call: a button that opens it, or copies the id where calls are not shown. */
function callChip(call: string, openCall: OpenCall | undefined): HTMLElement {
  if (openCall === undefined) return chip(call)
  const open = element('button', { type: 'button', class: 'chip', 'aria-label': `Open call ${call}` }, call)
  open.addEventListener('click', () => openCall(call))
  return open
}
