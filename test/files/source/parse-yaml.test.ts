import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DocumentOptions, parseDocument, stringify, type ToStringOptions } from 'yaml'
import { parseJsonFile, parseYaml } from '../../../src/files/source/parse-yaml.ts'
import { readPlainYaml } from '../../../src/files/source/plain-yaml.ts'
import { parsePart, parseStrictly } from '../../../src/files/source/strict-yaml.ts'
import type { FieldPath } from '../../../src/interface/finding.ts'
import { runs } from '../../helpers/every-case.ts'

/** Value of a text by the strict parser, which counts a byte order mark as indentation; undefined if it rejects the text. */
function readByYaml(text: string): { readonly value: unknown } | undefined {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { uniqueKeys: false, logLevel: 'silent' })
  return document.errors.length > 0 ? undefined : { value: document.toJS({ maxAliasCount: -1 }) }
}

/** Texts of lines that mean the same by themselves. */
const plainTexts = [
  'faq:\n  - question: When?\n    answer: At 9:00, or later\n  - id: 6650f\n    question: "x: y"\n    answer: |-\n      one\n\n        two\n',
  'targets:\n  "1":\n    a/b: {}\n    list:\n    - x\n    -\n      - 1.5\n    names: ["a", "b"]\n\n# end\nlast: ~\n',
  "- a: |\n    x\n     y\n\n\n  b: -3\n- c\n-\n- d: |+\n    z\n\n  e: 's # t'\n",
  'a: text - on\n  lines # c\nnbsp: [d\u00a0, e\u00a0f\u00a0 ] # g\nb:\n  - "x"\n  - z\n    - y\n    [w\n',
  '---\na: { b: [x, "y, z", {}], "c d": http://e.test/?f=g, h: , i: \'it\'\'s\' } # j\nk: [\n  1,\n  { l: m,\n    n: o },\n]\n',
  'a: >-\n  fold\n  ed\n\n  text\n   more\n  less\n\n\nb: >\n\n  x\n\n   y\n\nc: # d\n- - 1\n  - "\\n\\u00e9"\n- e: >+\n    z\n\n',
]

const texts = [
  ...plainTexts,
  'name: Ada\nconfig:\n  speech:\n    ttsData:\n      - voice: x\n        speed: 1.5\n',
  "faq:\n  - question: A\n    answer: B\n  - id: 3\n    question: \"x: y\"\n    answer: 'it''s'\n",
  'a: |\n  one\n  two\n\n   three\nb: >-\n  fold\n  ed\n\n  x\nc: 1\n',
  'list: [a, b, {c: d, e: [1, 2]}]\nm: {x: 1, "y": 2}\n',
  'a: plain text\n  goes on\n  here\nb: "dq\n  line\n\n  two"\nc: \'sq\n  x\'\n',
  '# c\n---\na: 1 # d\n# e\nb:\n- x\n- y\n...\n',
  'a: &x {b: 1}\nc: *x\nd: !!str 3\ne: !!int "4"\n',
  'a:\n  - - 1\n    - 2\n  -\n    x: y\n  - \n  - ~\n',
  'k: true\nn: null\no: 0o17\nh: 0xff\nf: -1.5e3\nd: 2024-01-01\ny: yes\n',
  '"q k": 1\n\'s k\': 2\n"a\\u00e9b": "\\n\\t\\x41"\n',
  'a: |+\n  x\n\n\nb: |2-\n   y\nc: >+\n  z\n\n',
  'a: {\n  b: c,\n  d: [\n    1,\n    2\n  ]\n}\n',
  'url: http://x.y/z?a=b#c\nt: 10:20\np: +12025550123\nx: a - b\n',
]
const tokens =
  '  |\n|\t|:|: |- |#| #|,|[|]|{|}|"|\'|>|>2|&a |*a|!|!!int |%|@|`|? |?|\n---\n|...|\r\n|\r|~|null|1|.5|é|\u2028|\u0085|\ufeff|\\|\\"|0|<<: |\n  |\n\n|\u0007|_|-\n|:\n|x: y\n|\u00a0|.inf|""|[]|{}|\\\n'.split(
    '|',
  )
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  token: fc.constantFrom('|', '', ...tokens),
})
/** Texts that are nearly YAML: real ones with some characters taken out and others put in. */
const edited = (originals: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...originals), fc.array(edit, { maxLength: 3 }))
    .map(([original, edits]) =>
      edits.reduce((text, { at, removed, token }) => {
        const place = Math.floor(at * text.length)
        return text.slice(0, place) + token + text.slice(place + removed)
      }, original),
    )
    .filter(text => text.replace(/^\uFEFF/, '').trim() !== '')

/** Paths of a value, and of fields that it does not have. */
function* pathsOf(value: unknown, path: FieldPath = []): Generator<FieldPath> {
  yield* [path, [...path, 'gone'], [...path, 0]]
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(name) : name])
}

async function compareWithStrict(text: string) {
  const parsed = await parseYaml(text)
  if (parsed.errors.length > 0) return
  expect({ value: parsed.value }).toEqual(readByYaml(text))
  const strict = parseStrictly(text.replace(/^\uFEFF/, '\n'))
  for (const path of pathsOf(parsed.value)) {
    for (const at of ['key', 'value'] as const)
      expect([path, at, parsed.offsetOf(path, at)]).toEqual([path, at, strict.offsetOf(path, at)])
    expect(parsed.rawTextAt?.(path)).toBe(strict.rawTextAt?.(path))
  }
}

test('agrees with the strict parser on values and positions of text without errors', async () => {
  await fc.assert(fc.asyncProperty(edited(texts), compareWithStrict), { numRuns: runs(1000) })
})

const item = fc.constantFrom(
  'question: a\n    answer: b',
  'question: "a\n      b"\n    answer: c # d',
  'question: a\n    answer: >2\n        b\n    tags: [x,\n      y]',
  "question: a\n      b\n    # c\n    answer: 'd\n      e'",
  '{question: a, answer: [b,\n    c]}',
  '? question\n    : a',
  '- nested\n    - "more\n      text"',
  '!!str 12',
  '&a question: b',
)
const between = fc.constantFrom('', '\n', '  # comment\n', '# comment\n', '   \n')
const head = fc.constantFrom('', 'knowledgeBaseId: kb\n', '# comment\n\na: [1, 2]\n', 'faq:\n')
const tail = fc.constantFrom('', 'name: x\n', '\n# end\nlast: "a\n  b"\n', 'last: "a\nb\n', '---\n')

test('agrees with it on lists that the parser reads in parts', async () => {
  const list = fc.array(fc.tuple(item, between), { minLength: 1, maxLength: 5 })
  const property = fc.asyncProperty(
    head,
    list,
    tail,
    fc.boolean(),
    async (before, items, behind, windows) => {
      const text = `${before}faq:\n${items.map(([written, gap]) => `  - ${written}\n${gap}`).join('')}${behind}`
      await compareWithStrict(windows ? text.replaceAll('\n', '\r\n') : text)
    },
  )
  await fc.assert(property, { numRuns: runs(300) })
})

test.each(plainTexts.flatMap(text => [text, text.replaceAll('\n', '\r\n')]))(
  'reads text in plain forms without a parser: %j',
  text => {
    expect({ value: readPlainYaml(text) }).toEqual(readByYaml(text))
  },
)

test.each([
  ['a text of several lines', '- a: "x\n    y"\n', [{ a: 'x y' }]],
  ['an alias', '- &a x\n- *a\n', undefined],
  ['an error', '- a: b: c\n', undefined],
  ['fields in flow style', 'a:\n{ b: "c", d: e }\n', undefined],
  ['a second document', '---\n---\n  a: b\n', undefined],
  ['a number with many digits', '- 12345678901234567890\n', undefined],
])('gives the parser a part with %s', (_, text, value) => {
  expect(readPlainYaml(text)).toBeUndefined()
  expect(readPlainYaml(text, { readPart: parsePart })).toEqual(value)
})

const key = fc.string().filter(name => name !== '__proto__')
const { value: json } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.string(),
    fc.maxSafeInteger(),
    fc.double({ noDefaultInfinity: true, noNaN: true }).filter(number => Math.abs(number) < 2 ** 53),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
}))
const options = fc.record<DocumentOptions & ToStringOptions>({
  collectionStyle: fc.constantFrom('any', 'block', 'flow'),
  defaultStringType: fc.constantFrom(
    'PLAIN',
    'QUOTE_DOUBLE',
    'QUOTE_SINGLE',
    'BLOCK_LITERAL',
    'BLOCK_FOLDED',
  ),
  indent: fc.constantFrom(1, 2, 4),
  lineWidth: fc.constantFrom(0, 20, 80),
})

test('round-trips any value in every YAML style', async () => {
  await fc.assert(
    fc.asyncProperty(json, options, async (value, how) => {
      const text = stringify({ value }, { ...how, aliasDuplicateObjects: false })
      expect(await parseYaml(text)).toMatchObject({ errors: [], value: readByYaml(text)?.value })
    }),
  )
})

test('agrees with JSON.parse', async () => {
  await fc.assert(
    fc.asyncProperty(json, fc.constantFrom('', ' ', '\t', '\n'), async (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      const parsed = await parseJsonFile(text)
      expect(parsed.errors).toEqual([])
      expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test.each(['a: {\n  b: 1\n}\n', 'a: [\n  1,\n  2\n]\n', 'a:\n  - - 1\n  -\n\t\n'])(
  'reads what other parsers reject or warn about: %j',
  async text => {
    expect(await parseYaml(text)).toMatchObject({ errors: [], value: readByYaml(text)?.value })
  },
)

test.each(['a:\n- "b" c: d\n', 'a:\n- [b] c: d\n', "a:\n- {b: c}'d': e\n", 'a:\n- "b" ? c\n'])(
  'a field behind the last item of a list, in its line, is an error: %j',
  async text => {
    expect(await parseYaml(text)).toMatchObject({
      value: undefined,
      errors: expect.arrayContaining([expect.objectContaining({ code: 'broken-yaml' })]),
    })
  },
)

test('reads an indented --- as text', async () => {
  expect(await parseYaml('# a\n  ---\n')).toMatchObject({ errors: [], value: '---' })
})

test('accepts lone CRs in JSON', async () => {
  expect(await parseJsonFile('{\r"a"\r:\r1\r}\r')).toMatchObject({ errors: [], value: { a: 1 } })
})

test.each([
  '- {a: 1}\n-\n-\n- b\n',
  'a:\nb:\n  - c:\n  - # d\n  -\n  - [1, {a: }]\n  -\nz:\n',
  'a: {b: , c: "x", d: }\ne:\n- - -\n- -\n',
  'x: |\n  a\ny:\n- |\n  q\n-\n',
])('places omitted values where the strict parser does: %j', compareWithStrict)

test('places many omitted values', async () => {
  const { offsetOf } = await parseYaml(`a:\n${'  -\n'.repeat(20_000)}`)
  expect(offsetOf(['a', 19_999], 'value')).toBe(3 + 4 * 19_999 + 3)
})

test('reports lone CRs as one error', async () => {
  const { errors } = await parseYaml('name: Ada\rwelcomeMessage: Hello\r')
  expect(errors).toMatchObject([{ code: 'line-ends', hint: 'save the file with LF line endings' }])
})
