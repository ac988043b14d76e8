import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { colors } from '../../../../src/cli/shell/output/colors.ts'
import { createWrap } from '../../../../src/cli/shell/output/wrap.ts'
import { renderOutcome, renderOutcomes, renderPlan } from '../../../../src/cli/shell/render/plan.ts'
import { oneLine } from '../../../../src/lib/text/escape.ts'
import { type Colors, paint } from '../../../../src/lib/text/text.ts'
import type { OutcomeDocument } from '../../../../src/project/apply/index.ts'
import type { ActionDocument, PlanDocument } from '../../../../src/project/plan/index.ts'
import type { EntryChange, FieldChange } from '../../../../src/project/plan/plan-schema.ts'
import { codePoint } from '../../../helpers/code-point.ts'
import { runs } from '../../../helpers/every-case.ts'

test('a plan at 80 columns', () => {
  const actions: ActionDocument[] = [
    action({ address: 'tool/book', action: 'create', file: 'tools/book.yaml' }),
    action({ address: 'tool/move', action: 'create', file: 'tools/move.yaml' }),
    action({
      address: 'tool/cancel',
      action: 'update',
      file: 'tools/cancel.yaml',
      changes: [
        changed(['function', 'description'], 'Cancels', 'Cancels an appointment'),
        { path: ['hints', 0], kind: 'added', after: { say: 'one moment '.repeat(8) }, notes: [] },
        { path: ['endCallMessage'], kind: 'removed', before: 'Bye', notes: [] },
        {
          ...changed(['server', 'url'], '${env:URL}', '${env:URL}'),
          notes: ['the value of ${env:URL} changed'],
        },
      ],
    }),
    action({
      address: 'assistant/front-desk',
      action: 'replace',
      file: 'assistants/front-desk.yaml',
      reason: 'Assistants have no update, and callyard.yaml says `assistants: replace`.',
      changes: [
        changed(
          ['config', 'prompt'],
          'You are the desk.\n\nRules:\n  - be short\n  - be kind  \n  - say no\nEnd\n\n\n\n\n\nbye\n',
          'You are the desk.\n\nRules:\n  - be short\n  - be kind\n  - never say no to a caller who asks for something that we offer\nEnd\n\n\n\n\n\ngoodbye',
        ),
      ],
    }),
    action({
      address: 'assistant/sales',
      action: 'blocked',
      file: 'assistants/sales.yaml',
      reason: 'The interface has no update of assistants.',
      choices: [
        {
          code: 'replace-assistants',
          hint: 'Set `assistants: replace` in callyard.yaml: a new one is created.',
        },
        { code: 'declare-endpoint', method: 'PATCH', hint: 'Declare an endpoint.' },
      ],
    }),
    action({
      address: 'kb/workshop',
      action: 'update',
      file: 'knowledge-bases/workshop.yaml',
      unchangedEntries: 484,
      entries: [
        { action: 'insert', question: 'Where is the workshop?', line: 12 },
        { action: 'update', id: 'e7', question: 'When are you\nopen?', line: 15 },
        { action: 'orphaned', id: 'e9' },
      ],
    }),
    action({
      address: 'tool/old',
      action: 'orphaned',
      reason: 'No file defines it.',
      choices: [{ code: 'forget', address: 'tool/old', hint: 'Forget it with --forget tool/old.' }],
    }),
    ...unchanged(57),
  ]
  expect(plain(plan(actions), 80)).toMatchInlineSnapshot(`
    "Plan for target sandbox
      http://127.0.0.1:4010

    + tool/book  tools/book.yaml
    + tool/move  tools/move.yaml

    ~ tool/cancel  tools/cancel.yaml
        ~ function.description: "Cancels" → "Cancels an appointment"
        + hints[0]: {"say":"one moment one moment one moment one moment one moment
          one moment one moment one moment "}
        - endCallMessage: "Bye"
        ~ server.url: "\${env:URL}"
          (the value of \${env:URL} changed)

    ± assistant/front-desk  assistants/front-desk.yaml
        Assistants have no update, and callyard.yaml says \`assistants: replace\`.
        ~ config.prompt:
            Rules:
              - be short
          -   - be kind··
          -   - say no
          +   - be kind
          +   - never say no to a caller who asks for something that we offer
            End

          ⋮


          - bye
          + goodbye
          (no newline at end of file)

    ! assistant/sales  assistants/sales.yaml
        The interface has no update of assistants.
        → Set \`assistants: replace\` in callyard.yaml: a new one is created.
        → Declare an endpoint.

    ~ kb/workshop  knowledge-bases/workshop.yaml
        entries: 1 to insert, 1 to update, 1 orphaned, 484 unchanged
        + "Where is the workshop?" line 12
        ~ "When are you\\nopen?" line 15
        ? e9

    ? tool/old
        No file defines it.
        → Forget it with --forget tool/old.

    Plan: 2 to create, 2 to update, 1 to replace, 1 blocked, 57 unchanged, 1
      orphaned."
  `)
})

test('shows only one line for a created resource', () => {
  const actions = [1, 2, 3].map(number =>
    action({ address: `tool/t${number}`, action: 'create', file: `tools/t${number}.yaml` }),
  )
  expect(plain(plan(actions), 80).split('\n').slice(3)).toEqual([
    '+ tool/t1  tools/t1.yaml',
    '+ tool/t2  tools/t2.yaml',
    '+ tool/t3  tools/t3.yaml',
    '',
    'Plan: 3 to create.',
  ])
})

describe('when nothing is pending', () => {
  test('one line says so', () => {
    expect(plain(plan(unchanged(57)), 80)).toBe('Up to date: 57 resources of target sandbox.')
    expect(plain(plan(unchanged(1)), 80)).toBe('Up to date: 1 resource of target sandbox.')
    expect(plain(plan([]), 80)).toBe('Up to date: no resources of target sandbox.')
  })

  test('orphaned resources are listed anyway', () => {
    const old = action({ address: 'tool/old', action: 'orphaned', reason: 'No file defines it.' })
    expect(plain(plan([old, ...unchanged(2)]), 80)).toBe(
      '? tool/old\n    No file defines it.\n\nUp to date: 2 resources of target sandbox.',
    )
  })

  test('and orphaned entries of a knowledge base that has nothing to send', () => {
    const kb = action({
      address: 'kb/faq',
      action: 'unchanged',
      file: 'faq.yaml',
      entries: [{ action: 'orphaned', id: 'e1' }],
      unchangedEntries: 3,
    })
    expect(plain(plan([kb]), 80)).toBe(
      '= kb/faq  faq.yaml\n    entries: 1 orphaned, 3 unchanged\n    ? e1\n\nUp to date: 1 resource of target sandbox.',
    )
  })
})

test('shows the first twenty of many entries and counts the rest', () => {
  const entries = Array.from(
    { length: 500 },
    (_, index): EntryChange => ({
      action: 'insert',
      question: `Question ${index}?`,
      line: index + 2,
    }),
  )
  const shown = plain(plan([action({ address: 'kb/faq', action: 'create', file: 'f.yaml', entries })]), 80)
  expect(shown).toContain('entries: 500 to insert')
  expect(shown).toContain('+ "Question 19?" line 21\n      and 480 more to insert\n')
  expect(shown).not.toContain('Question 20?')
})

describe('long values', () => {
  test('are cut, but not what differs', () => {
    const same = 'x'.repeat(2000)
    const shown = oneField(changed(['a'], `${same}old`, `${same}new`))
    expect(shown).toContain('xold" → …xx')
    expect(shown).toContain('xnew"')
    expect(shown.length).toBeLessThan(400)
  })

  test('say where the rest is', () => {
    const shown = oneField({ path: ['a'], kind: 'added', after: ['y'.repeat(2000)], notes: [] })
    expect(shown).toContain('(--json shows all)')
    expect(shown.length).toBeLessThan(600)
  })

  test('are cut in lines of a text too', () => {
    const same = 'x'.repeat(2000)
    const shown = oneField(changed(['a'], `first\n${same}old\n`, `first\n${same}new\n`))
    expect(shown).toMatch(/- …x+old\n/)
    expect(shown).toMatch(/\+ …x+new\n/)
    expect(shown.length).toBeLessThan(700)
  })

  test('ends very many lines with their count', () => {
    const lines = (word: string) =>
      Array.from({ length: 200_000 }, (_, index) => `${word} ${index}\n`).join('')
    expect(oneField(changed(['a'], lines('old'), lines('new')))).toContain('lines (--json shows all)')
  })
})

describe('nearly invisible characters', () => {
  test('line break at the end of a text', () => {
    expect(oneField(changed(['a'], 'x\n', 'x'))).toContain('a: "x\\n" → "x"')
    expect(oneField(changed(['a'], 'x\ny\n', 'x\ny'))).toContain('(no newline at end of file)')
  })

  test('blanks at the end of a line, tabs and carriage returns', () => {
    const shown = oneField(changed(['a'], 'a  \nb\nc\n', 'a\n\tb\nc\r\n'))
    expect(shown).toContain('- a··\n')
    expect(shown).toContain('+ \\tb\n')
    expect(shown).toContain('+ c\\r')
  })
})

test('takes color from the plan, never from its content', () => {
  const evil = '\u001b[31mred\u001b[0m \u202eevil'
  const painted = paint(renderPlan(plan([action({ address: 'tool/a', action: 'create', file: evil })]), 80), {
    color: colors,
  })
  expect(painted).toContain(
    '\u001b[32m+\u001b[39m \u001b[1mtool/a\u001b[22m  \u001b[2m\\x1b[31mred\\x1b[0m \\u202eevil\u001b[22m',
  )
})

test('prints no control character or line wider than the terminal for any plan', () => {
  const hostile = fc.oneof(fc.string({ unit: codePoint, maxLength: 60 }), fc.lorem({ maxCount: 40 }))
  const lines = fc.array(hostile, { maxLength: 8 }).map(all => all.join('\n'))
  const value = fc.oneof(lines, fc.jsonValue(), hostile)
  const change = fc.record({
    path: fc.array(fc.oneof(hostile, fc.nat()), { maxLength: 4 }),
    kind: fc.constantFrom('added', 'removed', 'changed'),
    before: value,
    after: value,
    notes: fc.array(hostile, { maxLength: 2 }),
  })
  const entry = fc.record(
    { action: fc.constantFrom('insert', 'update', 'orphaned'), id: hostile, question: lines, line: fc.nat() },
    { requiredKeys: ['action'] },
  )
  const actions = fc.record(
    {
      address: hostile.map(name => `tool/${name}` as const),
      action: fc.constantFrom('create', 'update', 'replace', 'blocked', 'unchanged', 'orphaned'),
      file: hostile,
      changes: fc.array(change, { maxLength: 3 }),
      entries: fc.array(entry, { maxLength: 4 }),
      unchangedEntries: fc.nat(),
      reason: lines,
      choices: fc.array(fc.record({ code: fc.constant('forget'), hint: lines }), { maxLength: 2 }),
      needs: fc.constant([]),
    },
    { requiredKeys: ['address', 'action', 'changes', 'needs'] },
  )
  const plans = fc.record({
    target: hostile,
    baseUrl: fc.option(hostile, { nil: undefined }),
    actions: fc.array(actions, { maxLength: 4 }),
  })
  fc.assert(
    fc.property(plans, fc.integer({ min: 40, max: 200 }), (some, width) => {
      const painted = plain(some, width)
      expect(painted).not.toMatch(controls)
      expect(plain(some, width, colors).replace(/\u001b\[\d+m/g, '')).toBe(painted)
      // Neither a word nor an address is broken.
      const addresses = some.actions.map(({ address }) => oneLine(address))
      for (const line of painted.split('\n'))
        if (stringWidth(line) > width && !addresses.some(address => line.includes(address)))
          expect(line.trim()).not.toContain(' ')
    }),
    { numRuns: runs(40) },
  )
})

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

function oneField(change: FieldChange): string {
  return plain(
    plan([action({ address: 'tool/a', action: 'update', file: 'a.yaml', changes: [change] })]),
    10_000,
  )
}

function changed(path: FieldChange['path'], before: unknown, after: unknown): FieldChange {
  return { path, kind: 'changed', before, after, notes: [] }
}

function action(parts: Partial<ActionDocument> & Pick<ActionDocument, 'address' | 'action'>): ActionDocument {
  return { changes: [], needs: [], ...parts }
}

function unchanged(count: number): ActionDocument[] {
  return Array.from({ length: count }, (_, index) =>
    action({ address: `tool/u${index}`, action: 'unchanged', file: `tools/u${index}.yaml` }),
  )
}

function plan(actions: readonly ActionDocument[]): PlanDocument {
  return { target: 'sandbox', baseUrl: 'http://127.0.0.1:4010', actions }
}

function plain(some: PlanDocument, width: number, color: Colors | false = false): string {
  return createWrap()(paint(renderPlan(some, width), { color, wraps: true }), width)
}

const created: OutcomeDocument = {
  address: 'tool/book',
  action: 'create',
  status: 'done',
  file: 'tools/book.yaml',
  id: 't1',
  summary: 'created',
}
const updated: OutcomeDocument = { ...created, action: 'update', summary: 'updated async and server' }
const pushed: OutcomeDocument = {
  ...created,
  address: 'kb/faq',
  action: 'update',
  summary: '2 entries inserted',
}
const failed: OutcomeDocument = {
  address: 'assistant/desk',
  action: 'create',
  status: 'failed',
  file: 'assistants/desk.yaml',
  reason: 'the service rejected it (422)\nname is taken',
  hint: 'choose another name',
}
const skipped: OutcomeDocument = {
  ...failed,
  status: 'skipped',
  reason: 'needs tool/book',
  address: 'assistant/b',
}
const blocked: OutcomeDocument = { ...failed, action: 'blocked', status: 'blocked', reason: 'no update' }

test('prints one line for each during an apply', () => {
  expect([created, updated, pushed, failed, skipped, blocked].map(line)).toEqual([
    '✓ created tool/book (t1)',
    '✓ updated tool/book (t1): async and server',
    '✓ updated kb/faq (t1): 2 entries inserted',
    '✗ failed assistant/desk: the service rejected it (422) …',
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
      '    the service rejected it (422)',
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

test('counts only completion times if there was nothing to do', () => {
  expect(list([created, created, { ...created, action: 'replace' }], 0)).toBe(
    'Target sandbox: 2 created, 1 replaced.',
  )
  expect(list([], 3)).toBe('Up to date: 3 resources of target sandbox.')
})

test('prints no control character or second line for any outcome, and of wider lines only words that stay whole', () => {
  const hostile = fc.string({ unit: codePoint, maxLength: 60 })
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
      const words = list(some, 1, Number.POSITIVE_INFINITY).split(/ {2,}|\n/)
      for (const row of painted.split('\n')) if (stringWidth(row) > width) expect(words).toContain(row.trim())
    }),
    {
      numRuns: runs(40),
      examples: [[[{ address: `tool/${'\0'.repeat(7)}`, action: 'create', status: 'failed', file: '' }], 40]],
    },
  )
})

function line(outcome: OutcomeDocument): string {
  return paint(renderOutcome(outcome), { color: false })
}

function list(outcomes: readonly OutcomeDocument[], unchanged: number, width = 84): string {
  return createWrap()(
    paint(renderOutcomes(outcomes, { target: 'sandbox', unchanged }), { color: false, wraps: true }),
    width,
  )
}
