import { type ResourceKind, resourceKinds } from '../../interface/words.ts'

/** `tool/book`, `kb/workshop`, `assistant/sales/front-desk`: the kind, and the file below its folder without extension. */
export type Address = `${ResourceKind}/${string}`

export function toAddress(kind: ResourceKind, name: string): Address {
  return `${kind}/${name}`
}

export function kindOfAddress(address: Address): ResourceKind {
  return resourceKinds.find(kind => address.startsWith(`${kind}/`)) ?? 'assistant'
}

/** `front-desk` of assistant/front-desk: what a person and `${assistant:…}` call it. */
export function nameOf(address: Address): string {
  return address.slice(kindOfAddress(address).length + 1)
}

export function isAddress(text: string): text is Address {
  return resourceKinds.some(kind => text.startsWith(`${kind}/`) && text.length > kind.length + 1)
}

/** `tool/bok` → `bok`. */
export function withoutKind(text: string): string {
  return isAddress(text) ? nameOf(text) : text
}
