import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSplitter } from '../../../src/sandbox/reply/model-responder.ts'
import { runs } from '../../helpers/every-case.ts'

type SplitPart = ReturnType<ReturnType<typeof createSplitter>['end']>[number]

function split(delimiter: string | undefined, chunks: readonly string[]): SplitPart[] {
  const splitter = createSplitter(delimiter)
  return [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()]
}

const segments = (parts: readonly SplitPart[]) =>
  parts.flatMap(({ kind, text }) => (kind === 'message' ? [text] : []))

test('emits a segment once its delimiter arrives, however it is chunked', () => {
  const splitter = createSplitter('<br>')
  expect(segments(splitter.push('One. <b'))).toEqual([])
  expect(segments(splitter.push('r> Two <'))).toEqual(['One.'])
  expect(segments(splitter.push('b>'))).toEqual([])
  expect(segments(splitter.end())).toEqual(['Two <b>'])
})

test('without a delimiter all is one segment', () => {
  expect(segments(split(undefined, ['One.\n', 'Two.']))).toEqual(['One.\nTwo.'])
  expect(segments(split('', ['One.']))).toEqual(['One.'])
  expect(segments(split('|', [' | ', '|']))).toEqual([])
})

test('splits any chunks into the same segments, and drafts contain no delimiter', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '|', '\n'), maxLength: 30 })
  const delimiters = fc.constantFrom('|', '||', '|a', '\n', 'a|a')
  fc.assert(
    fc.property(delimiters, fc.array(letters, { maxLength: 8 }), (delimiter, chunks) => {
      const parts = split(delimiter, chunks)
      const whole = chunks.join('').split(delimiter)
      expect(segments(parts)).toEqual(whole.map(text => text.trim()).filter(text => text !== ''))
      const drafted = parts.flatMap(({ kind, text }) => (kind === 'draft' ? [text] : [])).join('')
      expect(drafted).toBe(whole.join(''))
    }),
    { numRuns: runs(500) },
  )
})
