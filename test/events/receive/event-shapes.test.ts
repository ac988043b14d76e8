import { describe, expect, test } from 'vitest'
import { createPrinter } from '../../../src/cli/commands/webhook/print-events.ts'
import { createOutput } from '../../../src/cli/shell/output/create-output.ts'
import {
  type AppliedEvent,
  countConversationEvents,
  createConversationTracker,
} from '../../../src/events/conversation/index.ts'
import { jsonDocument, renderDocument } from '../../../src/events/transcript/index.ts'
import { readEvent } from '../../helpers/events.ts'
import { readTranscripts, recorded, stream } from '../../helpers/recordings.ts'
import { wellFormed } from '../../helpers/well-formed.ts'
import { type EventShape, eventShapes, triggeredShapes } from './event-shapes.ts'

const named = eventShapes.map(shape => [shape.name, shape] as const)

test('has enough shapes, each once', () => {
  const names = [...eventShapes, ...triggeredShapes].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(eventShapes.length).toBeGreaterThanOrEqual(60)
})

describe('webhook tail prints', () => {
  test.each(named)('%s', async (_, shape) => {
    const lines = await printed(shape, { json: true })
    const events = lines
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
    expectWords(JSON.stringify(events), shape)
    const texts = events.filter(({ kind }) => kind === 'message' || kind === 'edit').map(({ text }) => text)
    for (const text of shape.said.flat()) expect(texts).toContain(wellFormed(text))
    // No end is reported twice.
    expect(events.filter(({ ended }) => ended === true).length).toBeLessThanOrEqual(1)
  })

  test.each(named)('%s as a person reads it', async (_, shape) => {
    const text = await printed(shape, { json: false })
    for (const words of shape.seen.filter(word => / is (?!.*\{)/.test(word))) expect(text).toContain(words)
    for (const said of shape.said.flat().filter(said => /^[\w ?.']{1,60}$/.test(said)))
      expect(text).toContain(said)
    expect(text.trim()).not.toBe('')
  })
})

describe('webhook show has', () => {
  test.each(named)('%s', async (_, shape) => {
    const { calls, unreadable } = await readTranscripts(stream(recorded(...shape.bodies)))
    expect(unreadable).toBe(0)
    const said = calls
      .map(({ messages }) => messages.map(({ text }) => text))
      .filter(({ length }) => length > 0)
    expect(said.map(texts => texts.map(wellFormed))).toEqual(shape.said)
    expect(calls.some(({ ended }) => ended)).toBe(shape.ends)
    const document = JSON.stringify(jsonDocument(calls))
    expectWords(document, shape)
    for (const format of ['text', 'markdown', 'html'] as const)
      expect(renderDocument(calls, { format, width: 80 })).not.toBe('')
  })
})

test.each(named)('%s, sent again: nothing of a call is new', (_, shape) => {
  const again = take({ ...shape, bodies: [...shape.bodies, ...shape.bodies.slice(-1)] }).at(-1)
  const kinds = again?.changes.map(({ kind }) => kind) ?? []
  expect(kinds.filter(kind => kind !== 'event')).toEqual([])
  expect(again?.endsCall).toBe(false)
})

test.each(triggeredShapes.map(({ name, bodies }) => [name, bodies] as const))('%s is read', (_, bodies) => {
  const taken = take({ bodies })
  expect(taken.flatMap(({ changes }) => changes)).not.toEqual([])
  expect(taken).toHaveLength(bodies.length)
})

function take({ bodies }: Pick<EventShape, 'bodies'>): AppliedEvent[] {
  const tally = createConversationTracker()
  return bodies.map(body => tally.apply(readEvent(body)))
}

async function printed(shape: EventShape, { json }: { readonly json: boolean }): Promise<string> {
  let text = ''
  const stdout = { isTTY: false, columns: 10_000, write: (piece: string) => (text += piece) }
  const output = createOutput({ stdout, stderr: { write: () => undefined }, cwd: '/' }, { json, env: {} })
  const print = await createPrinter(output, { now: () => 0 })
  for (const event of take(shape).flatMap(countConversationEvents)) print(event)
  return text
}

function expectWords(text: string, { seen }: EventShape): void {
  for (const words of seen) expect(text).toContain(words)
}
