import type { FaqRecord, StoredRecord } from '../../../files/formats/control-api.ts'
import { count } from '../../../lib/text/count.ts'
import { byId, chip, element, setText } from '../dom.ts'
import { jsonView } from '../json-view.ts'
import { matcher, type TextMatcher } from '../page-model.ts'
import { createRowList, openingRow } from '../row-list.ts'
import { type ControlApi, report } from './control-api.ts'

/** Assistants, tools and FAQ entries as the service holds them. They are asked for when they are looked at. */
export function createRecordsView(api: ControlApi, onChange: () => void) {
  const filter = byId('record-filter', HTMLInputElement)
  const kinds = [
    createKind('assistants', 'assistant'),
    createKind('tools', 'tool'),
    createKind('entries', 'entry', 'entries'),
  ]
  let isStale = true

  const load = async () => {
    await report(byId('records-notice'), async () => {
      const { assistants, tools, knowledgeBases } = await api.get<Records>('records')
      kinds[0]?.update(assistants.map(toRecordItem))
      kinds[1]?.update(tools.map(toRecordItem))
      kinds[2]?.update(knowledgeBases.flatMap(({ id, faq }) => faq.map(entry => entryItem(id, entry))))
    })
    onChange()
  }

  filter.addEventListener('input', onChange)
  return {
    /** Marks the records as out of date. */
    stale() {
      isStale = true
      onChange()
    },
    /** Draws the records, and fetches those that may have changed. */
    draw() {
      // Once for all that a project's files change, one after the other.
      if (isStale) window.setTimeout(() => void load(), 300)
      isStale = false
      const matches = matcher(filter.value)
      for (const kind of kinds) kind.draw(matches)
    },
  }
}

/** Records of the service. */
interface Records {
  readonly assistants: readonly StoredRecord[]
  readonly tools: readonly StoredRecord[]
  readonly knowledgeBases: readonly { readonly id: string; readonly faq: readonly FaqRecord[] }[]
}

interface RecordItem {
  readonly id: string
  readonly title: string
  /** The first one is shown beside the title. */
  readonly ids: readonly string[]
  readonly value: unknown
  /** Distinguishes it from its previous version. */
  readonly version: string
  /** Text that the filter matches. */
  readonly text: string
}

function createKind(id: string, one: string, many = `${one}s`) {
  const rows = createRowList<RecordItem>({
    id,
    others: `more ${many}`,
    keyOf: ({ version }) => version,
    createRow: item => ({ row: recordRow(item) }),
  })
  let items: readonly RecordItem[] = []
  return {
    update(next: readonly RecordItem[]) {
      items = next
    },
    draw(matches: TextMatcher) {
      const visibleItems = items.filter(({ text }) => matches(text))
      const of = visibleItems.length === items.length ? '' : ` of ${items.length}`
      setText(byId(`${id}-note`), `${count(visibleItems.length, one, many)}${of}`)
      rows.draw(visibleItems)
    },
  }
}

function recordRow({ id, ids, title, value }: RecordItem): HTMLElement {
  const open = () => {
    const chips = element('p', { class: 'ids' }, ...ids.map(recordId => chip(recordId)))
    return element('div', { class: 'panel' }, chips, jsonView(title, value))
  }
  // Tab reaches it in the row that is opened.
  const beside = [chip(ids[0] ?? '', { tabindex: '-1' })]
  return openingRow(`record-${id}`, [element('span', { class: 'type', dir: 'auto' }, title)], open, {
    beside,
  })
}

function toRecordItem(record: StoredRecord): RecordItem {
  const { _id: id, name, function: functionField, updatedAt } = record
  const title = typeof name === 'string' ? name : (nameIn(functionField) ?? id)
  return { id, title, ids: [id], value: record, version: `${id} ${updatedAt}`, text: `${id} ${title}` }
}

function nameIn(functionField: unknown): string | undefined {
  const name =
    typeof functionField === 'object' && functionField !== null && 'name' in functionField
      ? functionField.name
      : undefined
  return typeof name === 'string' ? name : undefined
}

function entryItem(base: string, entry: FaqRecord): RecordItem {
  const { id, question, answer } = entry
  const text = `${base} ${id} ${question} ${answer}`
  return { id, title: question, ids: [base, id], value: entry, version: text, text }
}
