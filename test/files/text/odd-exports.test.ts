import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/files/source/index.ts'
import { encodeText } from '../../../src/files/text/index.ts'
import { type TestCli, testCli } from '../../helpers/test-cli.ts'

/** Tables as spreadsheets, editors and other programs leave them, with the cells of a row in place of `ROW` and the headings of `HEAD`. */
const exports: Readonly<Record<string, string>> = {
  'an empty file': '',
  'blank rows': ';;\n;;\n',
  'a header alone': 'HEAD\n',
  'no header': 'ROW\nROW\n',
  'a title above the header': 'Our table\n\nHEAD\nROW\n',
  'a title across the columns': 'Our table;;;\nHEAD\nROW\n',
  'an unterminated quote': 'HEAD\nROW\n"open;ROW\n',
  'text after a quote': 'HEAD\n"a" b;ROW\n',
  'more cells than headings': 'HEAD\nROW;more;cells\n',
  'a column twice': 'HEAD;HEAD\nROW;ROW\n',
  'a header twice': 'HEAD\nROW\nHEAD\n',
  'lines in quotes': '"HEAD"\n"ROW"\n',
  'a line in quotes': 'HEAD\n"ROW"\n',
  'curly quotes': '“HEAD”\n“ROW”\n',
  'two separators': 'HEAD,HEAD,HEAD;x\nROW\n',
  'another separator than it says': 'sep=,\nHEAD\nROW\n',
  'an error of a formula': 'HEAD\n#N/A;#N/A;#N/A\n',
  formulas: 'HEAD\n=B2;=C2;=D2\n',
  'shortened numbers': 'HEAD\n1.2E+10;1.2E+10;1.2E+10\n',
  'empty cells': 'HEAD\nROW\n;;x\n',
  'a merge conflict': 'HEAD\n<<<<<<< HEAD\nROW\n=======\nROW\n>>>>>>> main\n',
  'a workbook': 'PK\u0003\u0004',
  'a table in HTML': '<html><table>',
  'a zero byte': 'HEAD\nR\0W\n',
}

const bytes: Readonly<Record<string, Buffer>> = {
  ...{ 'a byte that no letter has': Buffer.from('phone;question;answer\n\x81\n', 'latin1') },
  'half a character': encodeText('\ufeffphone', 'utf-16le').subarray(0, -1),
}

interface Door {
  readonly header: string
  readonly row: string
  readonly argv: readonly string[]
}

const files = {
  'callyard.yaml': '',
  'assistants/desk.yaml': 'name: Desk\nwelcomeMessage: Hello {{name}}\n',
  'tests/a.test.yaml':
    'assistant: desk\neach: ../table.csv\nturns: [{ user: "{{question}}", expect: { says: "{{answer}}" } }]\n',
  'people.csv': 'phone;name\n+12025550100;Ada\n',
}
const people = ['--from', '+12025550110', '--assistant', 'assistants/desk.yaml']

const doors: Readonly<Record<string, Door>> = {
  'a list of people': {
    ...{ header: 'phone;name;city', row: '+12025550100;Ada;Bonn' },
    argv: ['batch', 'plan', 'table.csv', ...people],
  },
  'a do-not-call list': {
    ...{ header: 'number;name;city', row: '+12025550111;Ada;Bonn' },
    argv: ['batch', 'plan', 'people.csv', ...people, '--do-not-call', 'table.csv'],
  },
  'a table of entries': {
    ...{ header: 'question;answer;category', row: 'Open?;Yes;hours' },
    argv: ['faq', 'import', 'table.csv'],
  },
  'rows of tests': {
    ...{ header: 'question;answer;name', row: 'Open?;Yes;Ada' },
    argv: ['validate', 'tests/a.test.yaml'],
  },
}

async function findingsIn(cli: TestCli, argv: readonly string[], content: Buffer): Promise<Diagnostic[]> {
  await writeFile(join(cli.folder, 'table.csv'), content)
  const { stdout } = await cli.run(...argv, '--json')
  const { error = {}, diagnostics = error.diagnostics, findings } = JSON.parse(stdout)
  return diagnostics ?? findings ?? []
}

test.each(Object.entries(doors))(
  '%s: each error has a place and says what to do next, and no cause has two',
  async (_, { header, row, argv }) => {
    const cli = await testCli(files)
    const contents = Object.entries(exports).map(([name, text]) => {
      const written = text.replaceAll('HEAD', header).replaceAll('ROW', row)
      return [name, Buffer.from(written, name === 'a workbook' ? 'latin1' : 'utf8')] as const
    })
    for (const [name, content] of [...contents, ...Object.entries(bytes)]) {
      const findings = await findingsIn(cli, argv, content)
      const errors = findings.filter(({ severity }) => severity === 'error')
      for (const { message, hint, position, file } of errors) {
        expect.soft(hint, `${name}: ${message}`).toBeDefined()
        expect.soft(file, `${name}: ${message}`).not.toBe('')
        if (position === undefined) expect.soft(errors, name).toHaveLength(1)
      }
      const places = errors.map(({ position, code }) => `${position?.line}:${position?.column} ${code}`)
      expect.soft(places, name).toEqual([...new Set(places)])
    }
  },
)
