import { expect, test } from 'vitest'
import { readTestFigures } from '../../../../src/cli/commands/scenario/read-figures.ts'
import { testsPage } from '../../../../src/cli/shell/ci-reports/conversations-html.ts'
import { madeResult, madeTurn } from '../../../scenario/made-results.ts'

const startedAt = Date.UTC(2026, 10, 22, 12)
const place = {
  file: 'tests/hours.test.yaml',
  path: ['turns', 0],
  position: { line: 9, column: 15 },
}
const hostile = '</p><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\u001b[31m"\'`&'

const said = madeTurn('When are you open?', 'We are open from nine to six').messages

function failed() {
  const { test, attempts, ...result } = madeResult(
    [
      madeTurn(undefined, 'Hello'),
      madeTurn('When are you open?', 'We are open from nine to six', {
        tools: [
          {
            id: '1',
            name: 'look_up',
            arguments: { day: hostile },
            content: '{"ok":true}',
            from: startedAt,
            until: startedAt + 1500,
          },
        ],
        searches: [
          {
            question: 'When are you open?',
            hits: [
              {
                entry: { id: '1', question: hostile, answer: 'Nine to six' },
                isExact: false,
                score: 3.14,
                share: 1,
              },
            ],
            used: true,
          },
        ],
      }),
    ],
    { status: 'failed', test: { id: 'hours', name: hostile, file: 'tests/hours.test.yaml' } },
  )
  const failures = [
    {
      code: 'not-exactly' as const,
      details: { text: 'We are open from ten to six', messages: said },
      location: place,
      turn: 1,
    },
  ]
  return { ...result, test, attempts: attempts.map(attempt => ({ ...attempt, failures })) }
}

test('shows the verdicts, both lanes with times, tool calls, searches and changed words', () => {
  const page = testsPage({ results: [failed(), madeResult([madeTurn(undefined, 'Hi')])], startedAt })
  expect(page).toContain('<h1>Conversations: 1 failed, 1 passed</h1>')
  expect(page).toContain('<code>tests/hours.test.yaml:9:15</code>')
  expect(page).toMatch(/<li class="caller"><time>0:00\.0<\/time>/)
  expect(page).toContain('look_up')
  expect(page).toContain('(3.1)')
  expect(page).toMatch(/from <del>ten<\/del><ins>nine<\/ins> to six/)
  // Open is what did not pass, alone.
  expect(page.match(/<details [^>]*open>/g)).toHaveLength(1)
})

test('texts of models, callers and tools are text, whatever they hold', () => {
  const page = testsPage({ results: [failed()], startedAt })
  expect(page).not.toMatch(/<script>alert|<img|\u202e|\u001b/)
  expect(page.match(/<script/g)).toHaveLength(1)
  expect(page).toContain('&lt;/p&gt;&lt;script&gt;')
  expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-`)
})

test('prints failed tests first, then undecided ones, then passed ones in a closed group', () => {
  const passed = (id: string) =>
    madeResult([madeTurn(undefined, 'Hi')], { test: { id, name: id, file: 'tests/each.test.yaml' } })
  const unsure = madeResult([madeTurn(undefined, 'Hm')], {
    status: 'undecided',
    test: { id: 'b', name: 'unsure', file: 'tests/b.test.yaml' },
  })
  const undecided = {
    ...unsure,
    attempts: unsure.attempts.map(attempt => ({
      ...attempt,
      undecided: [{ location: place, reason: 'no answer', turn: 0 }],
    })),
  }
  const results = [passed('row[10]'), undecided, failed(), passed('row[2]')]
  const page = testsPage({ results, startedAt, commandOf: ({ test }) => `callyard test ${test.file}` })
  const order = ['>failed<', 'class="undecided">', '>2 passed<', 'row[2]', 'row[10]'].map(part =>
    page.indexOf(part),
  )
  expect(order).toEqual([...order].sort((one, other) => one - other))
  expect(order).not.toContain(-1)
  expect(page).toContain('<details class="group"><summary>')
  expect(page).toContain('<li class="unsure">')
  expect(page).toContain('<code>callyard test tests/b.test.yaml</code> <button type="button">Copy</button>')
  expect(page.match(/<button/g)).toHaveLength(2)
})

test('a text of a megabyte is cut, and says how long it is', () => {
  const page = testsPage({ results: [madeResult([madeTurn(undefined, 'x'.repeat(1_000_000))])], startedAt })
  expect(page).toContain('… (1000000 characters)')
  expect(page.length).toBeLessThan(60_000)
})

test('prints coverage at the end, each item with its line', () => {
  const coverage = {
    covered: 1,
    total: 3,
    files: [
      {
        file: 'tools/book.yaml',
        kind: 'tool' as const,
        covered: 0,
        total: 1,
        uncovered: [
          {
            kind: 'tool' as const,
            name: hostile,
            path: ['function', 'name'],
            position: { line: 5, column: 3 },
          },
        ],
      },
    ],
  }
  const page = testsPage({ results: [], coverage, startedAt })
  expect(page).toContain('Coverage: <span class="whole">33 %</span> (1 of 3)')
  expect(page).toMatch(/5: tool never called: &lt;/)
})

test('prints the figures of the calls, which lead to tests, and the lanes of each call', async () => {
  const said = (role: 'user' | 'assistant', text: string, second: number) => ({
    ...{ messageId: text, role, text },
    timestamp: new Date(startedAt + second * 1000).toISOString(),
  })
  const record = {
    messages: [said('user', 'When are you open?', 3), said('assistant', 'From nine to six', 12)],
    startAt: new Date(startedAt).toISOString(),
    endAt: new Date(startedAt + 15_000).toISOString(),
  }
  const turns = [madeTurn('When are you open?', 'From nine to six')]
  const results = [failed(), madeResult(turns, { record, test: { id: 'slow', name: hostile } })]
  const page = testsPage({ results, figures: await readTestFigures(results), startedAt })
  expect(page).toContain('<strong>Figures of 2 calls</strong>')
  // Only one of the calls has messages with times.
  expect(page.match(/<svg class="timeline"/g)).toHaveLength(1)
  const link = /<a href="#(test-\d)">[\d.]+s<\/a><\/strong> <span dir="auto">at 0:1\d in slow, after/.exec(
    page,
  )
  expect(page.indexOf(`<div id="${link?.[1]}">`)).toBeGreaterThan(page.indexOf('>1 passed<'))
  expect(page).not.toMatch(/<script>alert|<img/)
})
