import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTemplate } from '../../../src/files/source/index.ts'
import type { TemplateSegment } from '../../../src/files/source/template.ts'
import { runs } from '../../helpers/every-case.ts'
import { templateText as text } from './template-text.ts'

/** The reference as written. */
function written(segment: TemplateSegment): string {
  return segment.kind === 'text' ? segment.text.replaceAll('${', () => '$${') : segment.written
}

describe('the segments of a text', () => {
  test('join to the text', () => {
    fc.assert(
      fc.property(text, any => {
        expect(parseTemplate(any).map(written).join('')).toBe(any)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('any text can be escaped', () => {
    fc.assert(
      fc.property(text, any => {
        expect(parseTemplate(any.replaceAll('${', () => '$${'))).toEqual([{ kind: 'text', text: any }])
      }),
      { numRuns: runs(1000) },
    )
  })

  test('text segments are never adjacent, and empty only for an empty text', () => {
    fc.assert(
      fc.property(text, any => {
        const segments = parseTemplate(any)
        if (any === '') {
          expect(segments).toEqual([{ kind: 'text', text: '' }])
          return
        }
        for (const [at, segment] of segments.entries()) {
          if (segment.kind !== 'text') continue
          expect(segment.text).not.toBe('')
          expect(segments[at + 1]?.kind).not.toBe('text')
        }
      }),
    )
  })

  test.each<[string, object]>([
    ['${env:NAME}', { kind: 'env', name: 'NAME', fallback: undefined }],
    ['${env:_n1:-}', { kind: 'env', name: '_n1', fallback: '' }],
    ['${env:A:-two\nlines:-}', { kind: 'env', name: 'A', fallback: 'two\nlines:-' }],
    ['${file:../a b/c.md}', { kind: 'file', path: '../a b/c.md' }],
    ['${tool:book}', { kind: 'resource', resource: { kind: 'tool', name: 'book' } }],
    ['${kb:sales/faq.v2}', { kind: 'resource', resource: { kind: 'kb', name: 'sales/faq.v2' } }],
    ['${assistant:größe}', { kind: 'resource', resource: { kind: 'assistant', name: 'größe' } }],
    ['${tool:my tool (old)}', { kind: 'resource', resource: { kind: 'tool', name: 'my tool (old)' } }],
    ['${tool:}', { kind: 'bad', inner: 'tool:' }],
    ['${tool: book}', { kind: 'bad', inner: 'tool: book' }],
    ['${tool:book }', { kind: 'bad', inner: 'tool:book ' }],
    ['${TOOL:book}', { kind: 'bad', inner: 'TOOL:book' }],
    ['${env:1A}', { kind: 'bad', inner: 'env:1A' }],
    ['${env:A-x}', { kind: 'bad', inner: 'env:A-x' }],
    ['${file:}', { kind: 'bad', inner: 'file:' }],
    ['${}', { kind: 'bad', inner: '' }],
    ['${', { kind: 'bad', inner: undefined }],
  ])('%s', (reference, segment) => {
    expect(parseTemplate(`<${reference}>`)).toEqual([
      { kind: 'text', text: '<' },
      { ...segment, written: reference },
      { kind: 'text', text: '>' },
    ])
  })

  test('reads $$${ as a dollar and a literal ${', () => {
    expect(parseTemplate('$$${env:A}')).toEqual([{ kind: 'text', text: '$${env:A}' }])
  })
})
