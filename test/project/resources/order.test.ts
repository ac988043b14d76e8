import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/files/formats/address.ts'
import { orderByNeed } from '../../../src/project/resources/order-by-need.ts'
import { runs } from '../../helpers/every-case.ts'

type Node = { readonly address: Address; readonly needs: readonly Address[] }

const address = (number: number): Address => `assistant/${number}`

/** Any graph of a few nodes; some needs lead out of it. */
const graph = fc
  .integer({ min: 1, max: 9 })
  .chain(size =>
    fc
      .array(fc.uniqueArray(fc.nat({ max: size }), { maxLength: 3 }), { minLength: size, maxLength: size })
      .map(all => all.map((needs, at): Node => ({ address: address(at), needs: needs.map(address) }))),
  )

/** Returns true if a node is reachable from itself, by following every path. */
function hasCircle(nodes: readonly Node[]): boolean {
  const reach = new Map(nodes.map(node => [node.address, new Set(node.needs)]))
  for (const _ of nodes) {
    for (const found of reach.values()) {
      for (const each of [...found]) for (const next of reach.get(each) ?? []) found.add(next)
    }
  }
  return [...reach].some(([start, found]) => found.has(start))
}

test('orders each node once, after its dependencies unless there are cycles', () => {
  fc.assert(
    fc.property(graph, nodes => {
      const { ordered } = orderByNeed(nodes)
      expect(ordered.map(node => node.address).sort()).toEqual(nodes.map(node => node.address).sort())
      if (hasCircle(nodes)) return
      const places = new Map(ordered.map((node, at) => [node.address, at]))
      for (const [at, { needs }] of ordered.entries()) {
        for (const need of needs) expect(places.get(need) ?? -1).toBeLessThan(at)
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('finds cycles exactly if there are any, each once', () => {
  fc.assert(
    fc.property(graph, nodes => {
      const { circles } = orderByNeed(nodes)
      expect(circles.length > 0).toBe(hasCircle(nodes))
      const needs = new Map(nodes.map(node => [node.address, node.needs]))
      for (const circle of circles) {
        expect(circle.length).toBeGreaterThan(1)
        expect(circle.at(-1)).toBe(circle[0])
        expect(new Set(circle).size).toBe(circle.length - 1)
        for (const [at, each] of circle.slice(1).entries()) {
          expect(needs.get(circle[at] ?? address(0))).toContain(each)
        }
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('keeps nodes that are already in order', () => {
  fc.assert(
    fc.property(graph, nodes => {
      const inOrder = nodes.map(({ needs, ...node }, at) => ({
        ...node,
        needs: needs.filter(need => Number(need.split('/')[1]) < at),
      }))
      expect(orderByNeed(inOrder).ordered).toEqual(inOrder)
    }),
  )
})

test('a chain of 100,000 does not end the process', () => {
  const nodes = Array.from(
    { length: 100_000 },
    (_, at): Node => ({ address: address(at), needs: [address(at + 1)] }),
  )
  const { ordered, circles } = orderByNeed(nodes)
  expect(circles).toEqual([])
  expect(ordered[0]?.address).toBe(address(99_999))
})
