import { byId, element, setText, textBlock } from '../dom.ts'
import { createRowList, openingRow } from '../row-list.ts'
import type { CallWork } from './shown-record.ts'

/** Draws what tools were asked and answered in a call, and what did not work, in the place of a tail's raw events. */
export function createCallWorks(): (key: number, works: readonly CallWork[]) => void {
  let shown: number | undefined
  setText(byId('events-title'), 'Tools and failures')
  byId('event-type', HTMLSelectElement).hidden = true
  const rows = createRowList<CallWork>({
    id: 'events',
    others: 'more',
    keyOf: ({ number, state }) => `${number} ${state}`,
    rowOf: ({ number, title, state, value }) =>
      openingRow(
        `work-${number}`,
        [
          element('span', { class: 'type' }, title),
          element('span', { class: state === 'failed' ? 'mark' : 'number' }, state),
        ],
        () => element('div', { class: 'panel' }, textBlock(title, value)),
      ),
  })
  return (key, works) => {
    if (key !== shown) rows.clear()
    shown = key
    rows.draw(works)
    const note = byId('events-note')
    setText(note, works.length === 0 ? 'None yet.' : '')
    note.hidden = works.length > 0
  }
}
