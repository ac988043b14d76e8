import { expect, test } from 'vitest'
import { toSvg } from '../../scripts/terminal-svg.ts'

const textsOf = (svg: string) => svg.match(/<text .*<\/text>/g) ?? []

test('places each piece of a line at its column and in its style', () => {
  const [sign = '', name = '', file = '', next = ''] = textsOf(
    toSvg('\x1b[32m+\x1b[39m \x1b[1mtool/book\x1b[22m  \x1b[2mbook.yaml\x1b[22m\nnext', 'a plan'),
  )
  expect(sign).toMatch(/x="16\.0" y="48\.\d".* fill="#7ee787">\+</)
  expect(name).toMatch(/x="32\.8" .* font-weight="bold">tool\/book</)
  expect(name).not.toContain('fill=')
  expect(file).toMatch(/x="125\.2" .* opacity="0\.6">book\.yaml</)
  expect(next).toMatch(/x="16\.0" y="67\.\d" [^>]*"preserve">next</)
})

test('keeps text as text, and rejects a sequence that moves the cursor', () => {
  expect(textsOf(toSvg('<b> & "c"', 't'))[0]).toContain('>&#60;b&#62; &#38; &#34;c&#34;<')
  expect(() => toSvg('one\x1b[2K', 't')).toThrow('a control character')
  expect(() => toSvg('\x1b[4mtwo', 't')).toThrow('no style for SGR 4')
})

test('continues a line longer than the terminal in the next row', () => {
  const [first = '', rest = '', next = ''] = textsOf(toSvg(`\x1b[1m${'x'.repeat(80)}yy\x1b[22m\nnext`, 't'))
  expect(first).toMatch(/x="16\.0" y="48\.\d".* font-weight="bold">x{80}</)
  expect(rest).toMatch(/x="16\.0" y="67\.\d".* font-weight="bold">yy</)
  expect(next).toMatch(/y="86\.\d".*>next</)
})

test('a line that has a time appears then, with all of its rows, and at once for readers who want no motion', () => {
  const svg = toSvg(`\x1b[1m$\x1b[22m call\n\n${'x'.repeat(81)}`, 't', [0, 0, 1.5])
  expect(svg.match(/<g style="animation-delay: [^"]*/g)).toEqual([
    '<g style="animation-delay: 0.00s',
    '<g style="animation-delay: 1.50s',
    '<g style="animation-delay: 1.50s',
  ])
  expect(svg).toContain('@media (prefers-reduced-motion: reduce) { g g { opacity: 1; animation: none } }')
  expect(toSvg('one', 't')).not.toContain('<style>')
})
