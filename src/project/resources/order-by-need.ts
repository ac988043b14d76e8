import type { Address } from '../../files/formats/address.ts'

interface GraphNode {
  readonly address: Address
  readonly needs: readonly Address[]
}

/** Sorts nodes after their dependencies, otherwise in the given order, and returns every cycle. Pure. */
export function orderByNeed<Item extends GraphNode>(
  nodes: readonly Item[],
): { readonly ordered: readonly Item[]; readonly circles: readonly (readonly Address[])[] } {
  const byAddress = new Map(nodes.map(node => [node.address, node]))
  const ordered = new Map<Address, Item>()
  const circles: Address[][] = []
  /** From a node to one that it needs, and so on, down to the one that is looked at. */
  const path = new Set<Address>()
  // A stack of its own: a long chain of references must not end the process.
  const steps = nodes.toReversed().map(node => ({ node, isLeft: false }))
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node, isLeft } = step
    const { address } = node
    if (isLeft) {
      path.delete(address)
      ordered.set(address, node)
    } else if (path.has(address)) {
      const above = [...path]
      circles.push([...above.slice(above.indexOf(address)), address])
    } else if (!ordered.has(address)) {
      path.add(address)
      const needed = node.needs.flatMap(need => byAddress.get(need) ?? [])
      steps.push({ node, isLeft: true }, ...needed.toReversed().map(item => ({ node: item, isLeft: false })))
    }
  }
  return { ordered: [...ordered.values()], circles }
}
