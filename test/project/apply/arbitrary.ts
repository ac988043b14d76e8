import fc from 'fast-check'
import { codePoint } from '../../helpers/code-point.ts'

/** Any text that a file can contain: every Unicode character, especially those that are special in file formats. */
export const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        ...['a', ' ', '\n', '\r', '\t', '#', ':', '- ', '"', "'", '|', '>', '%', '&x', '*x', '!', '{', ']'],
        ...['---', '...', '<<', '~', 'null', '1', '0x1', '<<<<<<<', '=======', '\u2028', '\u2029', '\u0085'],
        ...['\u0000', '\u001B[31m', '\u007F', '\uFEFF', '\u202E', '\u{1F4DE}', '${', '}', '\\', '\uD800'],
      ),
      { maxLength: 12 },
    )
    .map(parts => parts.join('')),
)

/** Any name of a field, but for the one that JavaScript gives a meaning. */
export const key = fc
  .oneof(text, fc.constantFrom('1', '0', '-1', '1e3', '', 'null', 'constructor', 'toString', 'length'))
  .filter(name => name !== '__proto__')

const { value } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** Any value that JSON has. Minus zero is not among them: JSON writes it as zero. */
export const json = value.map(any => JSON.parse(JSON.stringify(any)) as unknown)

/** Any request body. */
export const body = fc.dictionary(key, json, { maxKeys: 5, noNullPrototype: true })
