import fc from 'fast-check'
import { codePoint } from '../../helpers/code-point.ts'

/** Texts full of what references are made of. */
export const templateText = fc.oneof(
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
