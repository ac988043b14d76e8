import type { Address } from '../address.ts'

interface Node {
  readonly address: Address
  readonly needs: readonly Address[]
}

/** Nodes so that each stands behind all that it needs, else in the order given; and every circle that prevents it. Pure. */
export function orderByNeed<Item extends Node>(
  nodes: readonly Item[],
): { readonly ordered: readonly Item[]; readonly circles: readonly (readonly Address[])[] } {
  const byAddress = new Map(nodes.map(node => [node.address, node]))
  const ordered: Item[] = []
  const circles: Address[][] = []
  const state = new Map<Address, 'entered' | 'left'>()
  // A stack of its own: a long chain of references must not end the process.
  for (const start of nodes) {
    const path: { node: Item; next: number }[] = []
    const enter = (node: Item) => {
      state.set(node.address, 'entered')
      path.push({ node, next: 0 })
    }
    if (!state.has(start.address)) enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const need = top.node.needs[top.next]
      top.next += 1
      if (need === undefined) {
        path.pop()
        state.set(top.node.address, 'left')
        ordered.push(top.node)
        continue
      }
      const needed = byAddress.get(need)
      if (needed === undefined) continue
      if (state.get(need) === 'entered') {
        const addresses = path.map(({ node }) => node.address)
        circles.push([...addresses.slice(addresses.indexOf(need)), need])
      } else if (!state.has(need)) enter(needed)
    }
  }
  return { ordered, circles }
}
