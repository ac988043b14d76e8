import fc from 'fast-check'
import { parseEvents } from 'js-yaml'
import { expect, test } from 'vitest'
import { parseLongList } from '../../../src/files/source/long-list.ts'
import { parseYaml } from '../../../src/files/source/parse-yaml.ts'
import { runs } from '../../helpers/every-case.ts'

/** In parts of two items each. */
const inParts = (text: string) => parseLongList(text, readPlain, { minLength: 0, itemsPerPart: 2 })

function readPlain(text: string, maxDepth: number) {
  try {
    const events = parseEvents(text, { maxDepth })
    return events.length === 0 ? undefined : events
  } catch {
    return undefined
  }
}

const item = fc.oneof(
  fc.constantFrom(
    'question: a\n    answer: b',
    'id: x1\n    question: "a: b"\n    answer: c # d',
    'question: a\n    answer: |\n      - one\n\n      # two',
    'question: >-\n      a\n      b\n    # c\n    answer: "d\n      e"',
    'question: a\n    tags:\n    - x\n    - y: 1',
    '{question: a, answer: [b,\n    c]}',
    'plain',
    '- nested\n    - more',
    '12',
    'question:\n    answer: ~',
  ),
)
const between = fc.constantFrom('', '\n', '  # comment\n', '# comment\n', '   \n')
const head = fc.constantFrom('', 'knowledgeBaseId: kb\n', '# comment\n\na: [1, 2]\n')
const tail = fc.constantFrom('', 'name: x\n', '\n# end\nlast: { a: 1 }\n')
const document = fc
  .tuple(head, fc.array(fc.tuple(item, between), { minLength: 1, maxLength: 7 }), tail)
  .map(
    ([before, items, behind]) =>
      `${before}faq:\n${items.map(([text, gap]) => `  - ${text}\n${gap}`).join('')}${behind}`,
  )

test('returns the same value and positions as a parse of the whole text', async () => {
  const property = fc.asyncProperty(document, fc.boolean(), async (text, windows) => {
    const written = windows ? text.replaceAll('\n', '\r\n') : text
    const parts = inParts(written)
    const whole = await parseYaml(written)
    expect(parts?.value).toEqual(whole.value)
    const list = Array.isArray(Object(whole.value).faq) ? Object(whole.value).faq : []
    for (const path of [[], ['faq'], ['last', 'a'], ['name'], ['gone'], ['faq', list.length]])
      for (const at of ['key', 'value'] as const)
        expect(parts?.offsetOf(path, at)).toBe(whole.offsetOf(path, at))
    for (const index of list.keys())
      for (const path of [
        ['faq', index],
        ['faq', index, 'answer'],
        ['faq', index, 'gone'],
        ['faq', index, 0],
      ]) {
        for (const at of ['key', 'value'] as const)
          expect(parts?.offsetOf(path, at)).toBe(whole.offsetOf(path, at))
        expect(parts?.rawTextAt?.(path)).toBe(whole.rawTextAt?.(path))
      }
  })
  await fc.assert(property, { numRuns: runs(300) })
})

test.each([
  ['no list', 'a: 1\nb: 2\n'],
  ['a broken part', 'faq:\n  - a: "x\n  - b: y"\n'],
  ['a field twice', 'faq:\n  - a: 1\n    a: 2\n'],
  ['a list twice', 'faq:\n  - a: 1\nfaq:\n  - b: 1\n'],
  ['an odd indentation', 'faq:\n  - a: 1\n - b: 1\n'],
  ['a list in a mapping', 'x:\n  faq:\n    - a: 1\n'],
  ['a value beside the list', 'faq: text\n  - a: 1\n'],
])('does not handle %s', (_, text) => {
  expect(inParts(text)).toBeUndefined()
})

test('parses a list with dashes in the first column', async () => {
  const text = 'faq:\n- a: 1\n- a: 2\n- a: 3\nname: x\n'
  expect(inParts(text)?.value).toEqual({ faq: [{ a: 1 }, { a: 2 }, { a: 3 }], name: 'x' })
  expect(inParts(text)?.offsetOf(['name'], 'key')).toBe(text.indexOf('name'))
})

test.each([
  ['a field behind an item', '  - "a" b: c\n', '  - "a" b: c\n'],
  ['an alias of another item', '  - &a x\n', '  - *a\n'],
  ['a second document', '  - a\n', '---\nfaq: []\n'],
])('a list of a megabyte is read as a short one, with %s', async (_, first, last) => {
  const read = async (items: number) => {
    const { value, errors } = await parseYaml(`faq:\n${first}${'  - text\n'.repeat(items)}${last}`)
    const list = Object(value).faq
    return {
      codes: errors.map(({ code }) => code),
      ends: Array.isArray(list) ? [list[0], list.at(-1)] : list,
    }
  }
  expect(await read(200_000)).toEqual(await read(1))
})
