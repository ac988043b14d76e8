import { duration } from '../../../lib/text/date-time.ts'
import type { ShownBatch } from '../../wire.ts'
import { byId, element, setAttribute, setText } from '../dom.ts'
import { describeRun, formatCount, listProgress } from './batch-model.ts'
import { createLiveCalls, type OpenCall } from './live-calls.ts'
import { createOutcomesView } from './outcomes-view.ts'
import type { PeoplePage, PeopleQuery } from './people-loader.ts'
import { createPeopleView } from './people-view.ts'

interface BatchViewOptions {
  read(query: PeopleQuery): Promise<PeoplePage>
  /** The reader changed what is to be drawn. */
  onChange(): void
  /** The time by which calls last, in milliseconds since the epoch. */
  now(): number
  /** Opens a call where calls are shown. */
  readonly openCall?: OpenCall
  /** True if people without a call are not known, as on the page of a sandbox. */
  readonly knowsOnlyCalls?: boolean
}

/** One batch: progress, outcomes, live calls and people, on the page of a batch and on that of a sandbox. */
export function createBatchView(options: BatchViewOptions) {
  const { read, onChange, now, openCall, knowsOnlyCalls = false } = options
  const people = createPeopleView({ read, onChange, now, openCall })
  const outcomes = createOutcomesView(people.filter)
  const live = createLiveCalls(openCall)
  let drawnBatch: ShownBatch | undefined

  const drawHead = (batch: ShownBatch) => {
    setText(byId('batch-title'), batch.name)
    byId('batch-sandbox').hidden = !batch.isSandbox
    drawFacts(
      knowsOnlyCalls
        ? callFacts(batch)
        : [...listProgress(batch), ['Service', batch.service], ['Assistant', batch.assistant]],
    )
    if (knowsOnlyCalls) return
    const { state, text, detail } = describeRun(batch.pause, now())
    const line = byId('batch-state')
    line.hidden = false
    setAttribute(line, 'data-state', state)
    setText(line, text)
    byId('batch-detail').hidden = detail === ''
    setText(byId('batch-detail'), detail)
    drawProgress(batch)
  }

  return {
    /** Data of the people may have changed. */
    changed: people.changed,
    /** Reads the people again at once. */
    reload: people.reload,
    filter: people.filter,
    draw(batch: ShownBatch) {
      drawHead(batch)
      outcomes.draw(batch.counts, people.status)
      setText(byId('outcomes-note'), batch.people === 0 ? 'No people.' : '')
      live.draw(batch.live, batch.liveTotal, now())
      people.draw()
      drawnBatch = batch
    },
    /** Updates what changes with time alone. */
    tick() {
      if (drawnBatch !== undefined) live.draw(drawnBatch.live, drawnBatch.liveTotal, now())
    },
  }
}

function drawProgress({ done, people }: ShownBatch): void {
  const progress = byId('batch-progress')
  progress.hidden = people === 0
  setAttribute(progress, 'aria-valuemax', String(people))
  setAttribute(progress, 'aria-valuenow', String(done))
  setAttribute(progress, 'aria-valuetext', `${formatCount(done)} of ${formatCount(people)} people done`)
  const progressBar = progress.firstElementChild
  if (progressBar instanceof HTMLElement)
    progressBar.style.width = `${people === 0 ? 0 : (100 * done) / people}%`
}

function callFacts({ people, calls, seconds }: ShownBatch): [string, string][] {
  return [
    ['People called so far', formatCount(people)],
    ['Calls', formatCount(calls)],
    ['Time talked', duration(seconds * 1000)],
  ]
}

function drawFacts(facts: readonly (readonly [label: string, value: string])[]): void {
  const list = byId('batch-facts')
  const isSame = facts.length === list.childElementCount
  if (!isSame)
    list.replaceChildren(
      ...facts.map(([label]) => element('div', {}, element('dt', {}, label), element('dd'))),
    )
  for (const [index, [, value]] of facts.entries()) {
    const valueElement = list.children[index]?.lastElementChild
    if (valueElement != null) setText(valueElement, value)
  }
}
