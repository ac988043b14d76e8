import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ResourceLookup, resolveReferences } from '../../src/source/references.ts'
import { parseTemplate, type ResourceReference, type TemplateSegment } from '../../src/source/template.ts'
import { codePoint } from '../helpers/code-point.ts'

/** Texts full of what references are made of. */
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(
      fc.constantFrom(
        ...['$', '{', '}', '${', '$${', '$$', ':', ':-', ' ', '\n', 'env', 'tool', 'a/b', '.', '..', 'é'],
        ...['${env:A}', '${env:A:-x}', '${env:A:-}', '${file:a b.md}', '${tool:book}', '${kb:a/b}', '${x}'],
      ),
      { maxLength: 10 },
    )
    .map(parts => parts.join('')),
)

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
      { numRuns: 1000 },
    )
  })

  test('any text can be escaped', () => {
    fc.assert(
      fc.property(text, any => {
        expect(parseTemplate(any.replaceAll('${', () => '$${'))).toEqual([{ kind: 'text', text: any }])
      }),
      { numRuns: 1000 },
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

const ids: Readonly<Record<string, string>> = { 'tool:book': 't1', 'kb:a/b': 'k1', 'assistant:desk': 'a1' }
const known = ({ kind, name }: ResourceReference): ResourceLookup => {
  const id = ids[`${kind}:${name}`]
  return id === undefined ? { problem: 'there is none', hint: 'make one' } : { text: id }
}

async function resolve(value: unknown, env: Record<string, string> = {}, included?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-template-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  if (included !== undefined) await writeFile(join(folder, 'prompt.md'), included)
  return resolveReferences(value, {
    file: join(folder, 'a.yaml'),
    env,
    folder: async () => folder,
    resource: known,
  })
}

describe('references to resources', () => {
  test('are replaced, and listed with their fields', async () => {
    const value = { tools: ['${tool:book}', 'x'], base: { id: '<${kb:a/b}> ${assistant:desk}' } }
    const { value: resolved, resources, findings } = await resolve(value)
    expect(resolved).toEqual({ tools: ['t1', 'x'], base: { id: '<k1> a1' } })
    expect(findings).toEqual([])
    expect(resources).toEqual([
      { kind: 'tool', name: 'book', path: ['tools', 0] },
      { kind: 'kb', name: 'a/b', path: ['base', 'id'] },
      { kind: 'assistant', name: 'desk', path: ['base', 'id'] },
    ])
  })

  test('are findings if unresolved, and stay as written', async () => {
    const { value, findings } = await resolve({ a: 'x ${kb:book}' })
    expect(value).toEqual({ a: 'x ${kb:book}' })
    expect(findings).toMatchObject([
      {
        code: 'unknown-reference',
        path: ['a'],
        message: 'a refers to ${kb:book}: there is none',
        hint: 'make one',
      },
    ])
  })

  test('suggests the correct spelling of a kind', async () => {
    const { findings } = await resolve('${tol:book}')
    expect(findings).toMatchObject([{ code: 'bad-reference' }])
    expect(findings[0]?.hint).toContain('did you mean ${tool:…}?')
  })
})

describe('a rendered value', () => {
  const value = {
    a: '${tool:book} ${env:A} ${env:B:-default} $${x} ${file:prompt.md}',
    b: [1, null, '${env:A}'],
  }

  test('has replaced ids and hashed secrets, and is otherwise as resolved', async () => {
    const { render } = await resolve(value, { A: 'secret' }, 'prompt')
    const hashed = render({
      env: (name, text) => `#${name}${text.length}`,
      resource: ({ name }) => `<${name}>`,
    })
    expect(hashed).toEqual({ a: '<book> #A6 default ${x} prompt', b: [1, null, '#A6'] })
  })

  test('is unchanged without replacements', async () => {
    const resolved = await resolve(value, { A: 'secret', B: '' }, 'prompt')
    expect(resolved.render({})).toEqual(resolved.value)
  })

  test('is not resolved again, for any content', async () => {
    // A file with a zero byte is refused as binary.
    const inFile = text.map(each => each.replaceAll('\u0000', ''))
    const property = fc.asyncProperty(text, text, text, inFile, async (secret, id, hash, included) => {
      const resolved = await resolve(
        { a: '${env:A}|${tool:book}|${file:prompt.md}' },
        { A: secret },
        included,
      )
      const file = included.startsWith('\uFEFF') ? included.slice(1) : included
      const render = { env: () => hash, resource: () => id }
      expect(resolved.value).toEqual({ a: `${secret}|t1|${file}` })
      expect(resolved.render(render)).toEqual({ a: `${hash}|${id}|${file}` })
      expect(resolved.findings).toEqual([])
    })
    await fc.assert(property, {
      numRuns: 50,
      examples: [['${env:A}', '${tool:book}', '$&$1', '$${ ${file:prompt.md}']],
    })
  })
})

describe('text from the environment', () => {
  test('is listed by variable, unless it is a default', async () => {
    const { variables, value } = await resolve(
      ['${env:A}', '${env:B:-b}', '${env:C:-c}', '${env:EMPTY:-e}', '${env:EMPTY}'],
      { A: '1', B: '2', EMPTY: '' },
    )
    expect(value).toEqual(['1', '2', 'c', 'e', ''])
    expect([...variables]).toEqual([
      ['A', '1'],
      ['B', '2'],
      ['EMPTY', ''],
    ])
  })
})

describe('included text', () => {
  test('is listed once, by its path as written', async () => {
    const { included } = await resolve(['${file:prompt.md}', '${file:./prompt.md}${file:prompt.md}'], {}, 'p')
    expect([...included]).toEqual([
      ['prompt.md', 'p'],
      ['./prompt.md', 'p'],
    ])
  })
})
