import { expect, test } from 'vitest'
import { type Mutant, mutatedLines, scoreOf } from './score.ts'

const text = 'if (a) b()\nif (c) {\n  d()\n}\n'
const texts = new Map([['src/x.ts', text]])

function mutant(line: number, status: string, rest: Partial<Mutant> = {}): Mutant {
  const location = { start: { line, column: 5 }, end: { line, column: 6 } }
  return { fileName: 'src/x.ts', mutatorName: 'Condition', replacement: 'true', location, status, ...rest }
}

test('a mutant is recognized by its lines as they were and as they become', () => {
  expect(mutatedLines(text, mutant(1, 'Survived'))).toEqual({ was: 'if (a) b()', becomes: 'if (true) b()' })
  const location = { start: { line: 2, column: 8 }, end: { line: 4, column: 2 } }
  expect(mutatedLines(text, { location, replacement: '{}' })).toEqual({
    was: 'if (c) { d() }',
    becomes: 'if (c) {}',
  })
})

test('counts killed and timed-out mutants as detected, survived and unrun ones as not, and ignores those that do not compile', () => {
  const statuses = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'CompileError']
  const score = scoreOf(
    statuses.map(status => mutant(1, status)),
    [],
    texts,
  )
  expect(score).toMatchObject({ mutants: 4, noticed: 2, equivalent: 0 })
  expect(score.survivors).toHaveLength(2)
})

test('skips mutants listed as equivalent, and reports listed ones that are detected or missing', () => {
  const list = [{ file: 'x.ts', becomes: ['if (true) b()', 'if (true) {'], why: '' }]
  const score = scoreOf([mutant(1, 'Survived'), mutant(2, 'Killed')], list, texts)
  expect(score).toEqual({
    mutants: 1,
    noticed: 1,
    equivalent: 1,
    survivors: [],
    stale: [{ file: 'x.ts', becomes: 'if (true) {' }],
    ambiguous: [],
  })
  const other = scoreOf(
    [mutant(1, 'Survived')],
    [{ file: 'y.ts', becomes: ['if (true) b()'], why: '' }],
    texts,
  )
  expect(other).toMatchObject({ mutants: 1, equivalent: 0, stale: [{ file: 'y.ts' }] })
})

test('the list identifies one of several equal mutants', () => {
  const twice = new Map([['src/x.ts', 'if (a) go()\nif (b) go()\n']])
  const mutants = [mutant(1, 'Survived'), mutant(2, 'Killed')]
  const entry = { file: 'x.ts', becomes: ['if (true) go()'], why: '' }
  expect(scoreOf(mutants, [entry], twice).ambiguous).toEqual([{ file: 'x.ts', becomes: 'if (true) go()' }])
  const precise = [{ ...entry, was: 'if (a) go()' }]
  expect(scoreOf(mutants, precise, twice)).toMatchObject({ equivalent: 1, stale: [], ambiguous: [] })
  expect(scoreOf([mutant(2, 'Survived')], precise, twice)).toMatchObject({ equivalent: 0, mutants: 1 })
})

test('a mutant with which a test file cannot be loaded is noticed', () => {
  const ran = (testsCompleted: number) => mutant(1, 'Survived', { static: true, testsCompleted })
  expect(scoreOf([ran(0)], [], texts)).toMatchObject({ mutants: 1, noticed: 1 })
  expect(scoreOf([ran(3), ran(7)], [], texts)).toMatchObject({ mutants: 2, noticed: 1 })
})
