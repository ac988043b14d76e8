import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { ExplainedOutcome } from '../../../src/cli/messages/outcome.ts'
import { renderOutcome, renderOutcomes } from '../../../src/cli/render/outcome.ts'
import { paint } from '../../../src/lib/text/text.ts'

const created: ExplainedOutcome = {
  address: 'tool/book',
  action: 'create',
  status: 'done',
  file: 'tools/book.yaml',
  id: 't1',
  summary: 'created',
}
const updated: ExplainedOutcome = { ...created, action: 'update', summary: 'updated async and server' }
const pushed: ExplainedOutcome = {
  ...created,
  address: 'kb/faq',
  action: 'update',
  summary: '2 entries inserted',
}
const failed: ExplainedOutcome = {
  address: 'assistant/desk',
  action: 'create',
  status: 'failed',
  file: 'assistants/desk.yaml',
  reason: 'the service refused it (422)\nname is taken',
  hint: 'choose another name',
}
const skipped: ExplainedOutcome = {
  ...failed,
  status: 'skipped',
  reason: 'needs tool/book',
  address: 'assistant/b',
}
const blocked: ExplainedOutcome = { ...failed, action: 'blocked', status: 'blocked', reason: 'no update' }

test('one line for each, while an apply goes on', () => {
  expect([created, updated, pushed, failed, skipped, blocked].map(line)).toEqual([
    '✓ created tool/book (t1)',
    '✓ updated tool/book (t1): async and server',
    '✓ updated kb/faq (t1): 2 entries inserted',
    '✗ failed assistant/desk: the service refused it (422) …',
    '- skipped assistant/b: needs tool/book',
    '! blocked assistant/desk: no update',
  ])
})

test('at the end counts, then what was not done with why and what to do', () => {
  const { hint: _, ...withoutHint } = skipped
  expect(list([withoutHint, created, updated, blocked, failed], 57)).toBe(
    [
      'Target sandbox: 1 created, 1 updated, 1 failed, 1 skipped, 1 blocked, 57 unchanged.',
      '',
      '✗ failed assistant/desk  assistants/desk.yaml',
      '    the service refused it (422)',
      '    name is taken',
      '    hint: choose another name',
      '',
      '- skipped assistant/b  assistants/desk.yaml',
      '    needs tool/book',
      '',
      '! blocked assistant/desk  assistants/desk.yaml',
      '    no update',
      '    hint: choose another name',
    ].join('\n'),
  )
})

test('when all was done counts alone, when nothing was to do that', () => {
  expect(list([created, created, { ...created, action: 'replace' }], 0)).toBe(
    'Target sandbox: 2 created, 1 replaced.',
  )
  expect(list([], 3)).toBe('Up to date: 3 resources of target sandbox.')
})

test('no outcome brings a control character, a second line or a line wider than the terminal', () => {
  const hostile = fc.string({ unit: 'binary', maxLength: 60 })
  const lines = fc.array(hostile, { maxLength: 4 }).map(all => all.join('\n'))
  const outcomes = fc.record(
    {
      address: hostile.map(name => `tool/${name}` as const),
      action: fc.constantFrom('create', 'update', 'replace', 'blocked'),
      status: fc.constantFrom('done', 'failed', 'skipped', 'blocked'),
      file: hostile,
      id: hostile,
      summary: lines,
      reason: lines,
      hint: lines,
    },
    { requiredKeys: ['address', 'action', 'status', 'file'] },
  )
  fc.assert(
    fc.property(fc.array(outcomes, { maxLength: 4 }), fc.integer({ min: 40, max: 200 }), (some, width) => {
      for (const outcome of some) expect(line(outcome)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
      const painted = list(some, 1, width)
      expect(painted).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      for (const row of painted.split('\n')) expect(stringWidth(row)).toBeLessThanOrEqual(width)
    }),
  )
})

function line(outcome: ExplainedOutcome): string {
  return paint(renderOutcome(outcome), { color: false })
}

function list(outcomes: readonly ExplainedOutcome[], unchanged: number, width = 84): string {
  return paint(renderOutcomes(outcomes, { target: 'sandbox', unchanged, width }), { color: false })
}
