import { createBatchView } from '../batch/batch-view.ts'
import type { OpenCall } from '../batch/live-calls.ts'
import { byId, element, setText } from '../dom.ts'
import { readAddress, writeAddress } from '../page-address.ts'
import {
  type CalledBatch,
  findPeople,
  listCalledBatches,
  noBatch,
  readBatchOfCall,
} from './called-batches.ts'
import type { SandboxCalls } from './sandbox-calls.ts'

interface BatchesViewOptions {
  readonly calls: SandboxCalls
  /** The reader changed what is to be drawn. */
  onChange(): void
  /** The sandbox's time in milliseconds since the epoch. */
  now(): number
  readonly openCall: OpenCall
}

/** The batches that calls belong to, one at a time. */
export function createBatchesView({ calls, onChange, now, openCall }: BatchesViewOptions) {
  const choice = byId('batch-choice', HTMLSelectElement)
  let currentBatch = noBatch
  let batches: readonly CalledBatch[] = []
  /** Version of the calls in `batches`. */
  let version: number | undefined
  let chosenName = readAddress().get('batch')
  const view = createBatchView({
    read: async query => findPeople(currentBatch.people, query),
    onChange,
    now,
    openCall,
    knowsOnlyCalls: true,
  })
  let listedNames = ''
  /** Options by index: a value is an attribute, which may contain no hostile name. */
  const drawChoice = () => {
    const names = batches.map(({ name }) => name)
    choice.hidden = names.length < 2
    if (JSON.stringify(names) !== listedNames)
      choice.replaceChildren(...names.map((name, index) => element('option', { value: String(index) }, name)))
    listedNames = JSON.stringify(names)
    choice.selectedIndex = names.indexOf(currentBatch.name)
  }
  choice.addEventListener('change', () => {
    chosenName = batches[choice.selectedIndex]?.name ?? null
    writeAddress({ batch: chosenName })
    view.filter(undefined)
  })
  byId('batch-note').hidden = false
  return {
    /** True if a call belongs to a batch. */
    hasBatches() {
      for (const { record } of calls.recorded())
        if (readBatchOfCall(record.metadata) !== undefined) return true
      return false
    },
    draw() {
      const isStale = version !== calls.version
      if (isStale) batches = listCalledBatches(calls.recorded())
      version = calls.version
      const next = batches.find(({ name }) => name === chosenName) ?? batches[0] ?? noBatch
      const isOther = next.name !== currentBatch.name
      currentBatch = next
      setText(byId('batch-note'), batches.length === 0 ? 'No calls of batches yet.' : callsOnly)
      drawChoice()
      if (isOther) view.reload()
      else if (isStale) view.changed()
      view.draw(next.batch)
    },
    /** Updates what changes with time alone. */
    tick: view.tick,
  }
}

const callsOnly = 'The sandbox knows calls, not lists: people appear when they are called.'
