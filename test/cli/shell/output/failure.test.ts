import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { colors } from '../../../../src/cli/shell/output/colors.ts'
import {
  annotation,
  failureDocument,
  failureText,
  withoutCommands,
} from '../../../../src/cli/shell/output/failure.ts'
import type { Diagnostic } from '../../../../src/files/source/index.ts'
import { InvalidInput } from '../../../../src/files/source/index.ts'
import { CallyardError } from '../../../../src/lib/error.ts'
import { paint } from '../../../../src/lib/text/text.ts'
import { codePoint } from '../../../helpers/code-point.ts'

const shown = (error: unknown) => paint(failureText(error, { debug: false }), { color: colors })
const red = '\u001b[31m'

test('leaving or answering no is not an error', () => {
  const left = new CallyardError('cancelled', 'cancelled; nothing was sent', { hint: 'run again' })
  expect(shown(left)).toMatch(/^Cancelled; nothing was sent\n.*hint:.* run again$/)
  expect(shown(left)).not.toContain(red)
  expect(failureDocument(left)).toMatchObject({ error: { kind: 'cancelled', exitCode: 130 } })
})

test('everything else is', () => {
  expect(shown(new CallyardError('usage', 'no base URL is set'))).toContain(`${red}error:`)
  expect(shown(new Error('x is undefined'))).toContain(`${red}error:`)
})

const workspace = join('/', 'work', 'repo')
const finding: Diagnostic = {
  code: 'out-of-range',
  severity: 'error',
  path: ['idleTimeout'],
  at: 'value',
  message: 'idleTimeout is 3; allowed: a whole number from 5 to 600',
  file: 'assistants/a.yaml',
  position: { line: 2, column: 14 },
}

test('the first findings of each code are shown, in their order, and the rest is counted', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    ...finding,
    position: { line: index + 1, column: 1 },
  }))
  const last = { ...finding, code: 'missing', message: 'name is missing', position: { line: 1, column: 1 } }
  const plain = (error: unknown) => paint(failureText(error, { debug: false }), { color: false }).split('\n')
  const lines = plain(new InvalidInput([...many, last]))
  expect(lines).toHaveLength(23)
  expect(lines[0]).toMatch(/^assistants\/a.yaml:1:1: error: .*\[out-of-range\]$/)
  expect(lines.slice(19)).toEqual([
    expect.stringMatching(/^assistants\/a.yaml:20:1: /),
    'assistants/a.yaml:1:1: error: name is missing [missing]',
    '… and 19980 more [out-of-range] (--json shows all)',
    expect.stringMatching(/^error: 20001 errors in 1 file/),
  ])
  expect(plain(new InvalidInput(many.slice(0, 20)))).toHaveLength(21)
})

test('a finding points to its position', () => {
  expect(annotation(finding, { cwd: workspace, workspace, command: 'validate' })).toBe(
    '::error file=assistants/a.yaml,line=2,col=14,title=callyard validate%3A out-of-range::idleTimeout is 3; allowed: a whole number from 5 to 600',
  )
})

test('prints a warning and a hint below it, and omits what is unknown', () => {
  const { position: _, ...nowhere } = finding
  const diagnostic = { ...nowhere, severity: 'warning', message: 'old', hint: 'use new' } as const
  expect(annotation(diagnostic, { cwd: workspace, workspace })).toBe(
    '::warning file=assistants/a.yaml,title=callyard%3A out-of-range::old%0Ahint: use new',
  )
  expect(annotation({ ...diagnostic, file: '' }, { cwd: workspace, workspace })).toBe(
    '::warning title=callyard%3A out-of-range::old%0Ahint: use new',
  )
})

describe('the file', () => {
  const fileFor = (file: string, cwd: string, inside: string | undefined = workspace) =>
    /file=([^,]*),/.exec(annotation({ ...finding, file }, { cwd, workspace: inside }))?.[1]

  test('is relative to the workspace from any folder', () => {
    expect(fileFor('a.yaml', join(workspace, 'desk', 'assistants'))).toBe('desk/assistants/a.yaml')
    expect(fileFor('../b.yaml', join(workspace, 'desk'))).toBe('b.yaml')
    expect(fileFor(join(workspace, 'desk', 'c.yaml'), '/elsewhere')).toBe('desk/c.yaml')
    expect(fileFor('..a.yaml', workspace)).toBe('..a.yaml')
  })

  test('is unchanged outside it, or if there is none', () => {
    expect(fileFor('../x.yaml', workspace)).toBe('../x.yaml')
    expect(fileFor('/etc/x.yaml', workspace)).toBe('/etc/x.yaml')
    expect(annotation(finding, { cwd: '/a', workspace: undefined })).toContain('file=assistants/a.yaml,')
  })
})

test('nothing in a finding ends a property, the command or its line', () => {
  const hostile = fc.oneof(
    fc.string({ unit: codePoint }),
    fc
      .array(fc.constantFrom('%', ':', ',', '\n', '\r', '::', '%0A', '\u001b[31m', 'a'), { maxLength: 12 })
      .map(all => all.join('')),
  )
  fc.assert(
    fc.property(hostile, hostile, hostile, (file, message, code) => {
      const printed = annotation(
        { ...finding, file, message, code },
        { cwd: workspace, workspace: undefined },
      )
      expect(printed).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      const [, properties = '', data = ''] = /^::error (.*?)::(.*)$/u.exec(printed) ?? []
      const names = properties.split(',').map(property => property.split('=')[0])
      expect(names).toEqual([...(file === '' ? [] : ['file']), 'line', 'col', 'title'])
      expect(properties.replaceAll(/%(25|0D|0A|3A|2C)/g, '')).not.toMatch(/[%:]/)
      expect(data.replaceAll(/%(25|0D|0A)/g, '')).not.toContain('%')
    }),
  )
})

test('printed text contains no workflow command, and JSON is unchanged', () => {
  const env = { GITHUB_ACTIONS: 'true' }
  expect(withoutCommands('a\n  ::set-output name=x::y\nb::c', env)).toBe(
    'a\n  \\u003a:set-output name=x::y\nb::c',
  )
  expect(withoutCommands('x ##[error]y', env)).toBe('x #\\u0023[error]y')
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(':', '::', '#', '##[', '##vso', '[', 'teamcity[', ' ', '\n', '\t', 'a')),
      parts => {
        const printed = withoutCommands(parts.join(''), env)
        for (const line of printed.split('\n'))
          expect(line.trimStart()).not.toMatch(/^::|##(vso|teamcity)?\[/)
        const json = JSON.stringify({ value: parts.join('') }, null, 2)
        expect(JSON.parse(withoutCommands(json, env))).toEqual(JSON.parse(json))
      },
    ),
  )
})

test.each([{}, { TF_BUILD: 'True' }, { CI: 'true' }, { CI: 'false' }])('%o: no command of a runner', env => {
  expect(withoutCommands('##vso[task.setvariable]x ##TeamCity[buildStop]', env)).toBe(
    '#\\u0023vso[task.setvariable]x #\\u0023TeamCity[buildStop]',
  )
  const isRunner = JSON.stringify(env).includes('rue')
  expect(withoutCommands('##[section]x', env)).toBe(isRunner ? '#\\u0023[section]x' : '##[section]x')
  expect(withoutCommands('::x ## a: [b](c)', env)).toBe('::x ## a: [b](c)')
})

test('an annotation contains no other workflow command', () => {
  const printed = annotation({ ...finding, message: '##vso[x]', code: '##[y]' }, { cwd: '/', workspace: '/' })
  expect(printed).not.toMatch(/##(vso)?\[/)
})
