import { expect, test } from 'vitest'
import { byCase } from '../../src/lib/by-case.ts'

type Shape =
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'square' | 'rhombus'; readonly side: number }

test.each<[Shape, string]>([
  [{ kind: 'circle', radius: 2 }, 'a circle of 2'],
  [{ kind: 'square', side: 3 }, 'a square of 3'],
  [{ kind: 'rhombus', side: 4 }, 'a rhombus of 4'],
])('calls the handler of the case for %j', (shape, words) => {
  const said = byCase('kind', shape, {
    circle: ({ radius }) => `a circle of ${radius}`,
    square: ({ side }) => `a square of ${side}`,
    rhombus: ({ side }) => `a rhombus of ${side}`,
  })
  expect(said).toBe(words)
})
