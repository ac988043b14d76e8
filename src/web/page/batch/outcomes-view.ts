import type { StatusCount } from '../../batch-wire.ts'
import { byId, element, setAttribute, setText } from '../dom.ts'
import { createRows } from '../row-list.ts'
import {
  describeOutcomes,
  formatCount,
  listOutcomes,
  type Outcome,
  type StatusLook,
  sumPeople,
} from './batch-model.ts'

/** The outcomes as a stacked bar, and as a table whose entries filter the people. */
export function createOutcomesView(onFilter: (status: string | undefined) => void) {
  const bar = byId('outcome-bar')
  const table = byId('outcomes', HTMLTableElement)
  const body = table.tBodies[0] ?? table.createTBody()
  const totalRow = outcomeRow('all', () => onFilter(undefined))
  const arrangeBar = createRows<Outcome>(bar, ({ status }) => status, createSegment)
  const arrangeRows = createRows<Outcome>(
    body,
    ({ status }) => status,
    ({ status }) => {
      const { row, draw } = outcomeRow(status, () => onFilter(status))
      return { row, update: outcome => draw(outcome, status === filter) }
    },
  )
  let filter: string | undefined

  return {
    draw(counts: readonly StatusCount[], chosenStatus: string | undefined) {
      filter = chosenStatus
      const outcomes = listOutcomes(counts)
      const people = sumPeople(counts)
      bar.hidden = people === 0
      setAttribute(bar, 'aria-label', `Outcomes: ${describeOutcomes(outcomes)}`)
      arrangeBar(outcomes.filter(outcome => outcome.people > 0))
      arrangeRows(outcomes)
      totalRow.draw({ people, share: people === 0 ? '0 %' : '100 %' }, chosenStatus === undefined)
      if (totalRow.row !== body.lastElementChild) body.append(totalRow.row)
      table.hidden = counts.length === 0
    },
  }
}

function createSegment() {
  const row = element('span', { class: 'segment' })
  const update = ({ status, people, tone, pattern, share }: Outcome) => {
    setAttribute(row, 'data-tone', tone)
    setAttribute(row, 'data-pattern', String(pattern))
    setAttribute(row, 'title', `${status}: ${formatCount(people)} (${share})`)
    // The policy of the page forbids style attributes.
    row.style.flexGrow = String(people)
  }
  return { row, update }
}

interface Figures extends Partial<StatusLook> {
  readonly people: number
  readonly share: string
}

function outcomeRow(name: string, onClick: () => void) {
  const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' })
  const button = element(
    'button',
    { type: 'button', value: name, 'aria-pressed': 'false' },
    swatch,
    element('bdi', {}, name),
  )
  const people = element('td', { class: 'number' })
  const share = element('td', { class: 'number faint' })
  const row = element('tr', {}, element('th', { scope: 'row' }, button), people, share)
  button.addEventListener('click', onClick)
  return {
    row,
    draw(figures: Figures, isChosen: boolean) {
      const { tone, pattern = 0 } = figures
      if (tone !== undefined) setAttribute(swatch, 'data-tone', tone)
      setAttribute(swatch, 'data-pattern', String(pattern))
      setAttribute(button, 'aria-pressed', String(isChosen))
      setText(people, formatCount(figures.people))
      setText(share, figures.share)
    },
  }
}
