import { buildLegend, drawTimeline } from '../../events/transcript/timeline-drawing.ts'
import { truncate } from '../../lib/text/truncate.ts'
import { byId, element, renderVNode } from './dom.ts'
import { buildTimeline, isActivity, type SelectedCall, type TranscriptItem } from './page-model.ts'
import { followArrows, setStop } from './row-list.ts'

/** The timeline above the transcript. `onSelect` is called with the index of the item that the reader chose. */
export function createTimelineBox(onSelect: (index: number) => void) {
  const box = byId('timeline')
  let drawnKey = ''

  const stopsNow = () => [...box.querySelectorAll<SVGElement>('[data-index]')]
  const choose = (target: EventTarget | null) => {
    const stop = target instanceof Element ? target.closest<SVGElement>('[data-index]') : null
    if (stop === null) return false
    setStop(stopsNow(), stop)
    onSelect(Number(stop.dataset.index))
    return true
  }
  box.addEventListener('click', ({ target }) => void choose(target))
  box.addEventListener('keydown', event => {
    if ((event.key === 'Enter' || event.key === ' ') && choose(event.target)) event.preventDefault()
  })
  followArrows(box, stopsNow, choose)

  return {
    draw(call: SelectedCall, items: readonly TranscriptItem[]) {
      const timeline = buildTimeline(call, items)
      box.hidden = timeline === undefined
      if (timeline === undefined) return
      // An edited text changes a length that is only estimated.
      const { durationMs, segments } = timeline
      const marked = segments.filter(({ interrupted, failed }) => interrupted === true || failed === true)
      const drawingKey = [call.key, durationMs, segments.length, segments.at(-1)?.until, marked.length].join(
        ' ',
      )
      if (drawingKey === drawnKey) return
      drawnKey = drawingKey
      const focused = box.contains(document.activeElement)
        ? document.activeElement?.getAttribute('data-index')
        : undefined
      const drawing = drawTimeline(timeline, {
        nameOf: index => nameOf(items[index]),
        linkTo: index => ({ role: 'button', tabindex: '-1', 'data-index': String(index) }),
      })
      const legend = buildLegend(timeline).map(({ lane, words }) => element('span', { class: lane }, words))
      box.replaceChildren(renderVNode(drawing), element('p', { class: 'timeline-legend' }, ...legend))
      const stops = stopsNow()
      const stop = stops.find(({ dataset }) => dataset.index === focused)
      setStop(stops, stop ?? stops[0])
      stop?.focus()
    },
  }
}

function nameOf(item: TranscriptItem | undefined): string {
  if (item === undefined) return ''
  if (isActivity(item)) return `${item.kind} ${item.title}`
  const { role, text } = item
  return `${role}: ${truncate(text, maxNameLength)}`
}

const maxNameLength = 80
