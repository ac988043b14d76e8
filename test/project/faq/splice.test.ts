import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { contentBytes } from '../../../src/files/source/content-size.ts'
import { readSource } from '../../../src/files/source/index.ts'
import { plainSlots, yamlString } from '../../../src/project/faq/id-slots.ts'
import { openSplice, openSplicedFile } from '../../../src/project/faq/index.ts'
import { isWritableId } from '../../../src/project/faq/match.ts'
import type { Splice } from '../../../src/project/faq/splice.ts'
import { yamlSlots } from '../../../src/project/faq/splice-yaml.ts'
import { codePoint } from '../../helpers/code-point.ts'
import { runs } from '../../helpers/every-case.ts'
import { sharedFolder } from '../../helpers/folders.ts'

const folder = sharedFolder()

const textOf = ({ chunks }: Pick<Splice, 'chunks'>) => [...chunks()].join('')

async function read(name: string, text: string) {
  await writeFile(join(folder, name), text)
  return readSource(name, { cwd: folder })
}

/** The text with `X1`, `X2`… given to these entries. */
async function splice(name: string, text: string, ids: Readonly<Record<number, string>>): Promise<string> {
  const opened = await openSplice(await read(name, text))
  for (const [index, id] of Object.entries(ids)) {
    expect(opened.refusal(Number(index))).toBeUndefined()
    opened.assign(Number(index), id)
  }
  return textOf(opened)
}

describe('YAML, block style', () => {
  test.each([
    ['faq:\n  - question: A\n    answer: B\n', 'faq:\n  - id: X\n    question: A\n    answer: B\n'],
    ['faq:\n- question: A\n  answer: B', 'faq:\n- id: X\n  question: A\n  answer: B'],
    [
      'faq:\r\n  -   question: A\r\n      answer: B\r\n',
      'faq:\r\n  -   id: X\r\n      question: A\r\n      answer: B\r\n',
    ],
    ['\uFEFFfaq:\n- question: A\n', '\uFEFFfaq:\n- id: X\n  question: A\n'],
    ['faq:\n- # why\n\n  # more\n  question: A\n', 'faq:\n- # why\n\n  # more\n  id: X\n  question: A\n'],
    ['faq:\n-\n    question: A\n', 'faq:\n-\n    id: X\n    question: A\n'],
    ['faq:\n- ? question\n  : A\n', 'faq:\n- id: X\n  ? question\n  : A\n'],
    ['faq:\n- ?\n    question\n  : A\n', 'faq:\n- id: X\n  ?\n    question\n  : A\n'],
    ['faq:\n- &k !!str question: A\n', 'faq:\n- id: X\n  &k !!str question: A\n'],
    ['faq:\n- &m !!map # hi\n  question: A\n', 'faq:\n- &m !!map # hi\n  id: X\n  question: A\n'],
    ['faq:\n- &m\n  &k question: A\n', 'faq:\n- &m\n  id: X\n  &k question: A\n'],
    ['? faq\n: - question: A\n    answer: B\n', '? faq\n: - id: X\n    question: A\n    answer: B\n'],
    ['faq:\n- id:\n  question: A\n', 'faq:\n- id: X\n  question: A\n'],
    ['faq:\n- question: A\n  id: # later\n', 'faq:\n- question: A\n  id: X # later\n'],
    ['faq:\n- question: A\n  id:', 'faq:\n- question: A\n  id: X'],
    ['faq:\n- id: ~\n  question: A\n', 'faq:\n- id: X\n  question: A\n'],
    ['faq:\n- id: ""\n  question: A\n', 'faq:\n- id: "X"\n  question: A\n'],
    ["faq:\n- id: '' # c\n  question: A\n", 'faq:\n- id: X # c\n  question: A\n'],
    ['faq:\n- id:\n    null\n  question: A\n', 'faq:\n- id:\n    X\n  question: A\n'],
    ['faq:\n- ? id\n  :\n  question: A\n', 'faq:\n- ? id\n  : X\n  question: A\n'],
    ['faq:\r\n- "id":\r\n  question: A\r\n', 'faq:\r\n- "id": X\r\n  question: A\r\n'],
    ['faq:\r\n- question: A', 'faq:\r\n- id: X\r\n  question: A'],
  ])('%j', async (text, expected) => {
    expect(await splice('a.yaml', text, { 0: 'X' })).toBe(expected)
  })
})

describe('flow style and JSON', () => {
  test.each([
    ['a.yaml', 'faq: [{ question: A, answer: B }]\n', 'faq: [{ id: X, question: A, answer: B }]\n'],
    ['a.yaml', 'faq:\n- {question: A}\n', 'faq:\n- {id: X, question: A}\n'],
    ['a.yaml', 'faq:\n- { ? question : A }\n', 'faq:\n- { id: X, ? question : A }\n'],
    ['a.yaml', 'faq:\n- { &y question: A }\n', 'faq:\n- { id: X, &y question: A }\n'],
    [
      'a.yaml',
      'faq:\n- { # c\n    &y\n    question: A }\n',
      'faq:\n- { # c\n    id: X,\n    &y\n    question: A }\n',
    ],
    [
      'a.yaml',
      'faq:\r\n- {\r\n    question: A\r\n  }\r\n',
      'faq:\r\n- {\r\n    id: X,\r\n    question: A\r\n  }\r\n',
    ],
    ['a.yaml', 'faq: [{id, question: A}]\n', 'faq: [{id: X, question: A}]\n'],
    ['a.yaml', 'faq: [{ id: , question: A}]\n', 'faq: [{ id: X , question: A}]\n'],
    ['a.yaml', '{"faq":[{"id":,"question":"A"}]}\n', '{"faq":[{"id":"X","question":"A"}]}\n'],
    ['a.json', '{"faq":[{"question":"A","answer":"B"}]}', '{"faq":[{"id":"X","question":"A","answer":"B"}]}'],
    ['a.json', '{ "faq": [{ "question": "A" }] }', '{ "faq": [{ "id": "X", "question": "A" }] }'],
    ['a.json', '{"faq":[{"question":\n"A"}]}', '{"faq":[{"id": "X", "question":\n"A"}]}'],
    ['a.json', '{"faq":[{"id":null,"question":"A"}]}', '{"faq":[{"id":"X","question":"A"}]}'],
    ['a.yaml', '{"faq":[{"id": ,"question":"A"}]}\n', '{"faq":[{"id": "X" ,"question":"A"}]}\n'],
    ['a.json', '{"faq":[{"question":"A","id": ""}]}', '{"faq":[{"question":"A","id": "X"}]}'],
    [
      'a.json',
      '\uFEFF{\n  "faq": [\n    {\n\t"question": "A"\n    }\n  ]\n}',
      '\uFEFF{\n  "faq": [\n    {\n\t"id": "X",\n\t"question": "A"\n    }\n  ]\n}',
    ],
  ])('%s %j', async (name, text, expected) => {
    expect(await splice(name, text, { 0: 'X' })).toBe(expected)
  })
})

describe('CSV', () => {
  test.each([
    ['id,question,answer\n,A,a\n"",B,b\n', { 0: 'X', 1: 'Y' }, 'id,question,answer\nX,A,a\nY,B,b\n'],
    ['question,answer,id\nA,a,\nB,b,"old"\n', { 0: 'X' }, 'question,answer,id\nA,a,X\nB,b,"old"\n'],
    ['question, id,answer\nA,,a\n', { 0: 'X' }, 'question, id,answer\nA,X,a\n'],
    ['question,answer\rA,"a\r\rb"\rB,c', { 1: 'Y' }, 'question,answer,id\rA,"a\r\rb",\rB,c,Y'],
    ['question,answer\r\nA,"a\nb"\r\nB,c', { 1: 'Y' }, 'question,answer,id\r\nA,"a\nb",\r\nB,c,Y'],
    [
      'Question;Answer;;\r\nA;b;;\r\n;;;\r\nB;c\r\n',
      { 0: 'X', 1: 'Y;' },
      'Question;Answer;;;id\r\nA;b;;;X\r\n;;;\r\nB;c;;;"Y;"\r\n',
    ],
    ['Question,Answer;\r\nA,b;\r\nB;\r\n', { 0: 'X', 1: 'Y' }, 'Question,Answer,id;\r\nA,b,X;\r\nB,,Y;\r\n'],
    ['sep=\t\nID\tFrage\tAntwort\n\tA "a"\tb\n', { 0: 'X' }, 'sep=\t\nID\tFrage\tAntwort\nX\tA "a"\tb\n'],
    ['\uFEFFquestion,answer\nA,b\n', { 0: 'a,"b' }, '\uFEFFquestion,answer,id\nA,b,"a,""b"\n'],
  ])('%j', async (text, ids, expected) => {
    expect(await splice('a.csv', text, ids)).toBe(expected)
  })
})

describe('entries that cannot store an id', () => {
  test.each([
    ['x: &a {question: A}\nfaq:\n- *a\n', 'alias'],
    ['faq:\n- {}\n', 'empty'],
    ['faq:\n- A question alone\n', 'no-mapping'],
    ['x: &all\n- question: A\nfaq: *all\n', 'unknown'],
    ['', 'unknown'],
    ['faq:\n- id: nullified\n  question: A\n', 'id-reference'],
    ['faq:\n- id: not-null\n  question: A\n', 'id-reference'],
    ['faq:\n- id: !!null\n  question: A\n', 'id-alias'],
    ['faq:\n- id: &x\n  question: A\n', 'id-alias'],
    ['x: &a ""\nfaq:\n- id: *a\n  question: A\n', 'id-alias'],
    ['faq:\n- ? id\n  question: A\n', 'id-form'],
    ['faq:\n- id: ${env:NONE:-}\n  question: A\n', 'id-reference'],
    ['faq:\n- id: |\n\n  question: A\n', 'id-reference'],
  ])('%j', async (text, reason) => {
    const opened = await openSplice(await read('a.yaml', text))
    expect(opened.refusal(0)).toBe(reason)
    expect(() => opened.assign(0, 'X')).toThrow('entry 0 cannot take an id')
    expect(textOf(opened)).toBe(text)
  })
})

test.each([
  ['a file without entries', 'knowledgeBaseId: k\n'],
  ['a file whose faq is not a list', 'faq: {question: A}\n'],
  ['a file that cannot be read', 'faq:\n- question: A\nmore: [\n'],
])('%s accepts no ids', async (_, text) => {
  expect((await openSplice(await read('a.yaml', text))).refusal(0)).toBe('unknown')
})

test.each(['notnull', 'nullable', '"a\\"\\""'])('an id %s is one: nothing is written over it', id => {
  expect(yamlSlots(`faq:\n- id: ${id}\n  question: A\n`)).toEqual([{ reason: 'id-reference' }])
})

test('a file without records has no lines', async () => {
  const file = openSplicedFile(join(folder, 'b.yaml'), await read('b.yaml', 'faq:\n- question: A\n'))
  expect(file.addedLines()(0)).toBe(0)
})

test('a CSV file gets no column of ids as long as no entry has one', async () => {
  const text = 'question,answer\nA,a\n'
  expect(textOf(await openSplice(await read('a.csv', text)))).toBe(text)
})

test('an id is quoted where YAML 1.1 or 1.2 would read it as something else', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.constantFrom(
          '12',
          '1e5',
          '1e-12',
          '0x1F',
          '0o17',
          '0b1',
          '1_000',
          '2024-01-01',
          '2024-1-12t10-00',
          'yes',
          'No',
          'null',
          'y',
          '~',
          '-',
          'a: b',
          '#a',
          '"',
          ' a',
          '1:20',
          '.5',
          '+1',
          '',
        ),
        fc.string({ unit: fc.constantFrom(...'0123456789abefxoTZ_-.:, #[]{}') }),
        fc.string({ unit: 'grapheme' }),
      ),
      id => {
        const written = yamlString(id)
        expect(parse(`- id: ${written}\n`, { version: '1.2' })).toEqual([{ id }])
        expect(parse(`- id: ${written}\n`, { version: '1.1' })).toEqual([{ id }])
        expect(parse(`[{ id: ${written}, a: b }]`)).toEqual([{ id, a: 'b' }])
      },
    ),
    { numRuns: runs(600) },
  )
})

test.each(['2024-1-1', '2024-01-01', '2024-1-12t10-00'])('quotes an id that starts like the date %s', id => {
  expect(yamlString(id)).toBe(`"${id}"`)
})

interface Written {
  readonly name: string
  readonly text: string
}

/** Words that quoting, indentation and newlines may trip over. */
const word = fc.oneof(
  fc.constantFrom(
    'a',
    'null',
    '- x',
    'id: 1',
    '{b}',
    '"q"',
    "it's",
    '#no',
    'é',
    '😀',
    'two\nlines',
    ' lead',
    '~',
    '&a',
    '*b',
    '? x',
    ',',
    '',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
)
const entries = fc.array(
  fc.record({
    answer: word,
    category: fc.option(word, { nil: undefined }),
    empty: fc.constantFrom('', '', 'null', '""'),
  }),
  { minLength: 1, maxLength: 6 },
)

const written: fc.Arbitrary<Written> = fc
  .record({
    entries,
    style: fc.constantFrom('block', 'dash', 'flow', 'multi', 'json', 'pretty', 'csv'),
    crlf: fc.boolean(),
    bom: fc.boolean(),
    indent: fc.integer({ min: 0, max: 4 }),
    gap: fc.integer({ min: 1, max: 3 }),
    final: fc.boolean(),
    comment: fc.boolean(),
    idFirst: fc.boolean(),
  })
  .map(({ entries, style, crlf, bom, indent, gap, final, comment, idFirst }) => {
    const newline = crlf ? '\r\n' : '\n'
    const pad = ' '.repeat(indent)
    const fields = entries.map(({ answer, category, empty }, index) => {
      const own = [
        ['question', JSON.stringify(`Q${index} ${answer}`)],
        ['answer', JSON.stringify(answer)],
        ...(category === undefined ? [] : [['category', JSON.stringify(category)]]),
      ]
      if (empty === '') return own
      return idFirst ? [['id', empty], ...own] : [...own, ['id', empty]]
    })
    const lines = (() => {
      if (style === 'json')
        return [
          JSON.stringify({
            faq: fields.map(field =>
              Object.fromEntries(field.map(([key, value]) => [key, JSON.parse(value ?? 'null')])),
            ),
          }),
        ]
      if (style === 'pretty')
        return JSON.stringify(
          {
            faq: fields.map(field =>
              Object.fromEntries(field.map(([key, value]) => [key, JSON.parse(value ?? 'null')])),
            ),
          },
          undefined,
          indent + 1,
        ).split('\n')
      if (style === 'csv') {
        const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
        return [
          'question,answer',
          ...entries.map(({ answer }, index) => `${cell(`Q${index} ${answer}`)},${cell(answer)}`),
        ]
      }
      const body = fields.flatMap(field => {
        const pairs = field.map(([key, value]) => `${key}: ${value}`)
        if (style === 'flow') return [`${pad}- { ${pairs.join(', ')} }${comment ? ' # c' : ''}`]
        if (style === 'multi')
          return [
            `${pad}- {${comment ? ' # c' : ''}`,
            ...pairs.map(pair => `${pad}    ${pair},`),
            `${pad}  }`,
          ]
        const deep = pad + ' '.repeat(gap + 1)
        if (style === 'dash')
          return [
            `${pad}-${comment ? ' # c' : ''}`,
            ...(comment ? [`${pad}# d`] : []),
            ...pairs.map(pair => `${deep}${pair}`),
          ]
        return [
          `${pad}-${' '.repeat(gap)}${pairs[0]}${comment ? ' # c' : ''}`,
          ...pairs.slice(1).map(pair => `${deep}${pair}`),
        ]
      })
      return ['knowledgeBaseId: kb', 'faq:', ...body]
    })()
    const extension =
      style === 'csv' ? 'csv' : style.startsWith('json') || style === 'pretty' ? 'json' : 'yaml'
    return {
      name: `random.${extension}`,
      text: (bom ? '\uFEFF' : '') + lines.join(newline) + (final ? newline : ''),
    }
  })

test('for any style, writes each id to its question and keeps everything else', async () => {
  await fc.assert(
    fc.asyncProperty(
      written,
      fc.infiniteStream(fc.boolean()),
      fc.infiniteStream(fc.constantFrom('x1', '12', 'yes', '1e3', 'a b', '6650f0c2')),
      async ({ name, text }, chosen, ids) => {
        const source = await read(name, text)
        expect(source.diagnostics).toEqual([])
        const before = listOf(source.value)
        const opened = await openSplice(source)
        const given = before.map((_, index) =>
          chosen.next().value ? `${ids.next().value}-${index}` : undefined,
        )
        for (const [index, id] of given.entries()) if (id !== undefined) opened.assign(index, id)
        const after = await read(name, textOf(opened))
        expect(after.diagnostics).toEqual([])
        expect(listOf(after.value)).toEqual(
          before.map((entry, index) => (given[index] === undefined ? entry : { ...entry, id: given[index] })),
        )
        expect(isSupersequence(textOf(opened), withoutEmptyIds(text))).toBe(true)
      },
    ),
    { numRuns: runs(150) },
  )
})

test('accepts a single last id, and assigns in any order', async () => {
  const text = 'faq:\n- question: A\n- question: B\n- question: C\n'
  const opened = await openSplice(await read('a.yaml', text))
  opened.assign(2, 'c')
  expect(textOf(opened)).toBe('faq:\n- question: A\n- question: B\n- id: c\n  question: C\n')
  opened.assign(0, 'a')
  expect(textOf(opened)).toBe('faq:\n- id: a\n  question: A\n- question: B\n- id: c\n  question: C\n')
  expect([0, 1, 2].map(opened.addedLines())).toEqual([0, 1, 1])
})

test('a long text is written in short chunks, and pairs of surrogates stay together', async () => {
  const long = `"${'\u{1f600}'.repeat(200_000)}"`
  const text = `faq:\n- question: A\n  answer: ${long}\n- question: B\n  answer: ${long}\n`
  const opened = await openSplice(await read('a.yaml', text))
  opened.assign(1, 'b')
  const chunks = [...opened.chunks()]
  expect(chunks.join('')).toBe(text.replace('question: B', 'id: b\n  question: B'))
  expect(chunks.every(chunk => chunk.isWellFormed())).toBe(true)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(200_000)
})

function listOf(value: unknown): Record<string, unknown>[] {
  const { faq } = value as { faq: Record<string, unknown>[] }
  return faq
}

/** Empty ids are the only thing that an id may take the place of. */
function withoutEmptyIds(text: string): string {
  return text.replace(/(id"?:\s*)(?:null|"")/g, '$1')
}

/** True if one text becomes the other by insertions only. */
function isSupersequence(long: string, short: string): boolean {
  let at = 0
  for (const character of long)
    if (character === short[at] || character === short.slice(at, at + 2)) at += character.length
  return at >= short.length
}

test('positions in a long line take constant time', () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => ({ question: `Q${index}` }))
  // Searching the whole line for each entry would read 160 GB.
  const text = JSON.stringify({ faq: [{ question: 'x'.repeat(8_000_000) }, ...entries] })
  const place = yamlSlots(text).at(-1)
  const edit = place !== undefined && 'edit' in place ? place.edit('X') : undefined
  expect(edit).toMatchObject({ start: text.lastIndexOf('"question"'), text: '"id":"X",' })
})

describe('a file on disk', () => {
  const text = 'faq:\n- question: A\n- question: B\n'
  const openFile = async () => {
    const source = await read('file.yaml', text)
    return { path: source.path, file: openSplicedFile(source.path, source) }
  }

  test('accepts any ids', async () => {
    const { path, file } = await openFile()
    await file.assertWritable()
    await file.assertUntouched()
    await file.assign([1], [undefined, 'b'])
    await file.assign([0], ['a'])
    expect(await readFile(path, 'utf8')).toBe('faq:\n- id: a\n  question: A\n- id: b\n  question: B\n')
    expect([0, 1].map(file.addedLines())).toEqual([0, 1])
    expect([0, 2].map(await file.refusal())).toEqual([undefined, 'unknown'])
  })

  test.each([
    [
      'windows-1252',
      // An en dash and a euro sign, which Latin-1 lacks.
      Buffer.from('Question;Answer\r\nGeöffnet?;Natürlich\r\nWo\x96 \x80?;Straße 5\r\n', 'latin1'),
    ],
    ['utf-16le', Buffer.from('\ufeffQuestion;Answer\r\nGeöffnet?;Natürlich\r\nWo?;Straße 5\r\n', 'utf16le')],
  ])('keeps its encoding: %s', async (encoding, bytes) => {
    const path = join(folder, 'table.csv')
    await writeFile(path, bytes)
    const source = await readSource('table.csv', { cwd: folder, ownContent: 'ids' })
    expect(source).toMatchObject({
      encoding,
      value: { faq: [{ answer: 'Natürlich' }, { answer: 'Straße 5' }] },
    })
    await openSplicedFile(path, source).assign([1], [undefined, 'x1'])
    const node = encoding === 'utf-16le' ? 'utf16le' : 'latin1'
    const expected = bytes
      .toString(node)
      .replace('Answer', 'Answer;id')
      .replace('lich', 'lich;')
      .replace(' 5', ' 5;x1')
    expect((await readFile(path)).equals(Buffer.from(expected, node))).toBe(true)
  })

  test('in an encoding that ids cannot be written in is refused when it is read', async () => {
    const bytes = Buffer.from('question,answer\n\x1b$B;3ED\x1b(B,a\n')
    await writeFile(join(folder, 'jis.csv'), bytes)
    const options = { cwd: folder, encoding: 'iso-2022-jp' }
    expect((await readSource('jis.csv', options)).value).toEqual({ faq: [{ question: '山田', answer: 'a' }] })
    const { value, diagnostics } = await readSource('jis.csv', { ...options, ownContent: 'ids' })
    expect(diagnostics[0]?.message).toContain('ids cannot be written')
    expect([value, ...diagnostics.map(({ severity }) => severity)]).toEqual([undefined, 'error'])
  })

  test('keeps what another wrote meanwhile, and says so', async () => {
    const { path, file } = await openFile()
    await writeFile(path, 'theirs')
    await file.assign([], [])
    const conflict = { kind: 'conflict', code: 'file-changed', details: { file: 'file.yaml' } }
    await expect(file.assign([0], ['a'])).rejects.toMatchObject(conflict)
    await expect(file.assertUntouched()).rejects.toMatchObject(conflict)
    expect(await readFile(path, 'utf8')).toBe('theirs')
    await rm(path)
    await expect(file.assertUntouched()).rejects.toMatchObject(conflict)
    await expect(file.assertWritable()).rejects.toMatchObject({ kind: 'usage' })
  })
})

describe('plain entries, whose positions are found without the strict parser', () => {
  const lead = fc.constantFrom(
    'faq:\n',
    'knowledgeBaseId: k\nfaq:\n',
    '# é\nfaq:\r\n',
    '$schema: x\nfaq: \n\n',
    'x: 1\nfaq: # all\n',
  )
  const entry = fc.constantFrom(
    '- question: A\n  answer: a\n',
    '- question: "A: b"\n  answer: |\n    x\n    - y\n',
    '-   answer: a # no\n    question: A\n',
    '  - question: A\n    answer: a\n',
    '- id: e1\n  question: A\n',
    '-\n  question: A\n  answer: a\r\n',
    '- # first\n  question: A\n',
    '- question: A\n  id:\n',
    '- id: ""\n  question: A\n',
    '- "question": A\n',
    '- {question: A, answer: a}\n',
    '- ? question\n  : A\n',
    '- &a question: A\n',
    '- !!map\n  question: A\n',
    '- - question: A\n',
    '- question: ${env:A}\n',
    '- A\n',
  )

  test('are the same as the strict parser finds', async () => {
    await fc.assert(
      fc.asyncProperty(lead, fc.array(entry, { minLength: 1, maxLength: 6 }), async (head, entries) => {
        const source = await read('a.yaml', head + entries.join(''))
        const plain = plainSlots(source)
        if (plain === undefined) return
        const strict = yamlSlots(source.text)
        expect(plain).toHaveLength(strict.length)
        expect(plain.at(plain.length)).toBeUndefined()
        for (const [index, other] of strict.entries()) {
          const place = plain.at(index)
          const { faq } = source.value as { faq: readonly { id?: string }[] }
          if (faq[index]?.id !== undefined) continue
          expect(other).not.toHaveProperty('reason')
          if ('edit' in other) expect(place && 'edit' in place && place.edit('X1')).toEqual(other.edit('X1'))
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('are those of files as most people write them', async () => {
    expect(
      plainSlots(await read('a.yaml', 'faq:\n  - question: A\n    answer: a\n  - id: e\n    question: B\n')),
    ).toHaveLength(2)
  })
})

test.each([
  ['a.yaml', 'faq:\n  - question: A\n    answer: B\n  - question: C\n    answer: D\n'],
  ['a.yaml', 'faq:\r\n- question: A\r\n  answer: B\r\n- {question: C, answer: D}\r\n'],
  ['a.json', '{"faq":[{"question":"A","answer":"B"},{"question":"C","answer":"D"}]}'],
  ['a.json', '{\n  "faq": [\n    {\n      "question": "A"\n    },\n    { "question": "C" }\n  ]\n}\n'],
  ['a.csv', 'id,question,answer\n,A,B\n,C,D\n'],
])('the ids of a push do not count for the limit of a file: %s %j', async (name, text) => {
  const id = '6650f0c2a1b2c3d4e5f60718'
  const pushed = await splice(name, text, { 0: id, 1: id.replace('6', '7') })
  const { csv } = await read(name, pushed)
  expect(Buffer.byteLength(pushed)).toBeGreaterThan(Buffer.byteLength(text))
  expect(contentBytes(pushed, csv)).toBeLessThanOrEqual(Buffer.byteLength(text))
})

test.each(['a.yaml', 'a.json', 'a.csv'])('nor any other id that %s can contain', async name => {
  const texts = {
    'a.yaml': 'faq:\n  - question: A\n    answer: B\n',
    'a.json': '{"faq":[{"question":"A","answer":"B"}]}',
    'a.csv': 'id,question,answer\n,A,B\n',
  }
  const text = texts[name as keyof typeof texts]
  const id = fc.string({ minLength: 1, maxLength: 200, unit: codePoint }).filter(isWritableId)
  await fc.assert(
    fc.asyncProperty(id, async id => {
      const pushed = await splice(name, text, { 0: id })
      const { csv } = await read(name, pushed)
      expect(contentBytes(pushed, csv)).toBeLessThanOrEqual(Buffer.byteLength(text))
    }),
    { examples: [['ab/cd+ef/gh00000001=='], ['a b'], ['"a"'], ["it's"], ['a, b'], ['#1'], ['-'], ['1e3']] },
  )
})

test('in a new last column of a table they count only for their commas', async () => {
  const text = 'question,answer\nA,B b\nC,D d\n'
  const pushed = await splice('a.csv', text, { 0: '6650f0c2', 1: '6650f0c3' })
  const { csv } = await read('a.csv', pushed)
  expect(contentBytes(pushed, csv)).toBeLessThanOrEqual(Buffer.byteLength(text))
})
