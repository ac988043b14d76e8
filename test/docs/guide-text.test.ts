import { expect, test } from 'vitest'
import { guideText } from '../../scripts/guide-text.js'

const page = `# Guide

Not printed.

## Calling

Run \`callyard call start --to\` and see [Reports](reports.md#metrics), [Limits](#limits) or [RE2](https://example.com/re2) for **more** than
one line.

<picture><img src="a.png"></picture>

- \`one\`: an item that is too long for one line of a terminal that has eighty columns
- another:

  \`\`\`sh not-run: a mark
  callyard call list \\
    | jq .calls

  callyard call show
  \`\`\`

1. first
2. second

### Outcomes

<!-- table: outcomes -->
| Outcome | Meaning |
| --- | --- |
| \`no-answer\`, \`a | b\` | Nobody took the call, so that this text needs a second line of the table |

\`\`\`text
    0.0s assistant  Hello Ada, this is the front desk of Spoke and Chain. How can I help?
\`\`\`

## Limits

None.
`.replace('`a | b`', '`a \\| b`')

test('prints a section with its subsections for 80 columns', () => {
  expect(guideText(page, ['Calling'])).toBe(`CALLING
  Run callyard call start --to and see Reports (docs/reports.md), Limits or RE2
  (https://example.com/re2) for more than one line.

  - one: an item that is too long for one line of a terminal that has eighty
    columns
  - another:

      callyard call list \\
        | jq .calls

      callyard call show

  1. first
  2. second

OUTCOMES
  Outcome           Meaning
  no-answer, a | b  Nobody took the call, so that this text needs a second line
                    of the table

        0.0s assistant  Hello Ada, this is the front desk of Spoke and Chain.
          How can I help?
`)
})

test('prints several sections in the order of the headings', () => {
  expect(guideText(page, ['Limits', 'Outcomes'])).toMatch(/^LIMITS\n {2}None\.\n\nOUTCOMES\n/)
})

test.each([
  ['Nothing', 'the guide has no section Nothing'],
  ['Calls', 'a help topic cannot show blockquote'],
  ['Wide', 'a table is too wide for 80 columns: A, B'],
])('rejects the section %s', (heading, message) => {
  const word = 'x'.repeat(50)
  const odd = `## Calls\n\n> quoted\n\n## Wide\n\n| A | B |\n| --- | --- |\n| ${word} | ${word} |\n`
  expect(() => guideText(odd, [heading])).toThrow(message)
})
