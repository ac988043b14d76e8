import { byId, element, setAttribute, setText } from '../dom.ts'
import { createRowList, openingRow } from '../row-list.ts'
import { type AttemptsTable, createAttemptsTable } from './attempts-table.ts'
import {
  countOf,
  formatCallTime,
  formatCount,
  formatPersonNumber,
  getLook,
  type ShownPerson,
} from './batch-model.ts'
import type { OpenCall } from './live-calls.ts'
import {
  createPeopleLoader,
  lastPage,
  type PeopleChange,
  type PeoplePage,
  type PeopleQuery,
  pageSize,
} from './people-loader.ts'

interface PeopleOptions {
  read(query: PeopleQuery): Promise<PeoplePage>
  /** The filter or the people shown are different. */
  onChange(): void
  /** Milliseconds since the epoch. */
  now(): number
  readonly openCall?: OpenCall | undefined
}

/** The people of a batch, a page at a time; each opens to the calls made to them. */
export function createPeopleView({ read, onChange, now, openCall }: PeopleOptions) {
  const list = byId('people')
  const search = byId('people-search', HTMLInputElement)
  const later = (run: () => void) => void window.setTimeout(run, refreshMs)
  const people = createPeopleLoader({ read, onLoaded: onChange, later })
  const rows = createRowList<ShownPerson>({
    id: 'people',
    others: 'more',
    keyOf: ({ id }) => id,
    createRow: person => personRow(person, now, openCall),
  })
  const ask = (change: PeopleChange) => {
    people.ask(change)
    onChange()
  }
  const turn = (id: string, target: () => number) =>
    byId(id).addEventListener('click', () => {
      if (byId(id).ariaDisabled === 'true') return
      ask({ from: target() })
      list.scrollIntoView({ block: 'nearest' })
    })

  search.addEventListener('input', () => ask({ search: search.value.trim() }))
  search.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || search.value === '') return
    event.preventDefault()
    search.value = ''
    ask({ search: '' })
  })
  byId('clear-people').addEventListener('click', () => {
    search.value = ''
    ask({ search: '', status: undefined })
    search.focus()
  })
  turn('first-people', () => 0)
  turn('previous-people', () => Math.max(0, people.query.from - pageSize))
  turn('next-people', () => people.query.from + pageSize)
  turn('last-people', () => lastPage(people.currentPage?.total ?? 0))

  return {
    changed: people.changed,
    reload: people.reload,
    /** Shows people with this status alone, or all. */
    filter: (status: string | undefined) => ask({ status }),
    get status() {
      return people.query.status
    },
    draw() {
      const { currentPage, query } = people
      drawFilter(query, currentPage?.query === query ? currentPage.total : undefined)
      if (currentPage === undefined) return
      const hadFocus = list.contains(document.activeElement)
      rows.draw(currentPage.rows)
      if (hadFocus && !list.contains(document.activeElement))
        (list.querySelector<HTMLElement>('[tabindex="0"]') ?? search).focus()
      setText(byId('people-count'), formatCount(currentPage.total))
      drawPages(currentPage.total, currentPage.query.from, currentPage.rows.length)
    },
  }
}

/** Between two readings of data that changes. */
const refreshMs = 1000

/** Draws what limits the list, and why it is empty. */
function drawFilter({ status, search }: PeopleQuery, total: number | undefined): void {
  const isLimited = status !== undefined || search !== ''
  const parts = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(search === '' ? [] : [`id or number containing "${search}"`]),
  ]
  byId('people-filter').hidden = !isLimited
  if (isLimited)
    setText(byId('people-filter-text'), `${total === 0 ? 'Nobody with' : 'Only'} ${parts.join(' and ')}.`)
  setText(byId('people-note'), total === 0 && !isLimited ? 'No people.' : '')
}

function drawPages(total: number, from: number, count: number): void {
  byId('people-pages').hidden = total <= pageSize
  setText(
    byId('people-range'),
    `${formatCount(from + 1)}–${formatCount(from + count)} of ${formatCount(total)}`,
  )
  const isFirst = from === 0
  const isLast = from + count >= total
  for (const id of ['first-people', 'previous-people']) setDisabled(id, isFirst)
  for (const id of ['next-people', 'last-people']) setDisabled(id, isLast)
}

/** A disabled button keeps the focus that a click gave it. */
function setDisabled(id: string, isDisabled: boolean): void {
  setAttribute(byId(id), 'aria-disabled', String(isDisabled))
}

function setSwatch(swatch: HTMLElement, status: string): void {
  const { tone, pattern } = getLook(status)
  setAttribute(swatch, 'data-tone', tone)
  setAttribute(swatch, 'data-pattern', String(pattern))
}

let panels = 0

function personRow(first: ShownPerson, now: () => number, openCall: OpenCall | undefined) {
  let person = first
  let table: AttemptsTable | undefined
  const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' })
  const status = element('span', { class: 'person-status' })
  const number = element('span', { class: 'number' })
  const calls = element('span', { class: 'number' })
  const next = element('span', { class: 'number' })
  const line = element('div', { class: 'person-line faint' }, number, calls, next)
  const name = element('span', { class: 'type' }, element('bdi', {}, person.id))
  const row = openingRow(
    `person-calls-${++panels}`,
    [name, swatch, status],
    () => {
      table = createAttemptsTable(person.id, openCall)
      table.draw(person, now())
      return table.element
    },
    { beside: [line] },
  )
  row.classList.add('person')
  const update = (changed: ShownPerson) => {
    person = changed
    setText(status, person.status)
    setSwatch(swatch, person.status)
    setText(number, formatPersonNumber(person.id, person.numbers))
    setText(calls, person.attempts.length === 0 ? '' : countOf(person.attempts.length, 'call'))
    setText(next, person.nextAt === null ? '' : `next ${formatCallTime(person.nextAt, now())}`)
    table?.draw(person, now())
  }
  return { row, update }
}
