import { expect, test } from 'vitest'
import { describeTree } from '../../../src/commands/completion/describe.ts'
import { powershellScript } from '../../../src/commands/completion/powershell.ts'
import { sampleTree } from './sample-tree.ts'

const script = powershellScript(
  describeTree(sampleTree(), [{ name: 'exit-codes', description: 'Exit codes' }]),
)

test('doubles every single quote, the curly ones too', () => {
  expect(script).toContain(
    `Name = 'tool'; Text = 'it''s "[odd]" $HOME \`id\` \\n a:b {c} <d> ‘‘curly’’ %s; $(id)'`,
  )
})

test('gives a result without description its name as text, which must not be empty', () => {
  expect(script).toContain(`@{ Name = 'schema'; Text = 'schema' }`)
  expect(script).not.toContain(`Text = ''`)
})

test('opens as many braces and brackets as it closes, outside of strings', () => {
  const code = script.replace(/#.*$|'(?:[^']|'')*'|"[^"]*"/gm, '')
  for (const [open, close] of ['{}', '()', '[]']) {
    expect(code.split(open ?? '').length).toBe(code.split(close ?? '').length)
  }
})
