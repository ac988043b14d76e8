import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DocumentOptions, parseDocument, stringify, type ToStringOptions } from 'yaml'
import { parseJsonFile, parseYaml } from '../../../src/files/source/parse-yaml.ts'
import { readPlainYaml } from '../../../src/files/source/plain-yaml.ts'
import { readStrictly } from '../../../src/files/source/strict-yaml.ts'
import { createPositionIndex } from '../../../src/files/source/yaml-positions.ts'
import type { FieldPath } from '../../../src/interface/finding.ts'
import { isObject } from '../../../src/lib/json.ts'
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

test('agrees with the strict parser on text without errors', async () => {
  await fc.assert(
    fc.asyncProperty(edited(texts), async text => {
      const { value, errors, offsetOf } = await parseYaml(text)
      if (errors.length > 0) return
      expect({ value }).toEqual(readByYaml(text))
      expect(offsetOf([], 'value')).toBeDefined()
    }),
    { numRuns: runs(1000) },
  )
})

test.each(plainTexts)('reads text on plain lines without a parser: %j', text => {
  const read = readPlainYaml(text, flow => JSON.parse(flow))
  expect({ value: read }).toEqual(readByYaml(text))
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
  'reads what only js-yaml rejects or warns about: %j',
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
])('places omitted values where the strict parser does: %j', async text => {
  const read = readStrictly(text)
  if ('errors' in read) throw new Error('it has errors')
  const strict = createPositionIndex(text, read.events)
  const { value, offsetOf } = await parseYaml(text)
  const compare = (field: unknown, path: FieldPath) => {
    expect(offsetOf(path, 'value')).toBe(strict.offsetOf(path, 'value'))
    expect(offsetOf(path, 'key')).toBe(strict.offsetOf(path, 'key'))
    if (Array.isArray(field)) for (const [index, item] of field.entries()) compare(item, [...path, index])
    else if (isObject(field))
      for (const [name, inner] of Object.entries(field)) compare(inner, [...path, name])
  }
  compare(value, [])
})

test('places many omitted values', async () => {
  const { offsetOf } = await parseYaml(`a:\n${'  -\n'.repeat(20_000)}`)
  expect(offsetOf(['a', 19_999], 'value')).toBe(3 + 4 * 19_999 + 3)
})

test('reports lone CRs as one error', async () => {
  const { errors } = await parseYaml('name: Ada\rwelcomeMessage: Hello\r')
  expect(errors).toMatchObject([{ code: 'line-ends', hint: 'save the file with LF line endings' }])
})
