import { kinds } from '../../interface/kinds.ts'
import { resourceKinds } from '../../interface/words.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import type { FoundResource } from '../../source/references.ts'
import type { ResourceReference } from '../../source/template.ts'
import { type Address, addressOf } from '../address.ts'
import { fileKinds } from './find-resources.ts'

/** Whether a reference names a file of the project. One that does stands for itself until ids are known. */
export function amongResources(
  addresses: ReadonlySet<Address>,
): (reference: ResourceReference) => FoundResource {
  return ({ kind, name }) => {
    if (addresses.has(addressOf(kind, name))) return { text: `\${${kind}:${name}}` }
    return {
      problem: `there is no such file in ${kinds[fileKinds[kind]].folder}/`,
      hint: hintFor(kind, name, addresses),
    }
  }
}

function hintFor(kind: ResourceReference['kind'], name: string, addresses: ReadonlySet<Address>): string {
  const namesOf = (each: string) =>
    [...addresses].flatMap(address =>
      address.startsWith(`${each}/`) ? [address.slice(each.length + 1)] : [],
    )
  const names = namesOf(kind)
  const meant = didYouMean(name, names)
  if (meant !== undefined) return `did you mean \${${kind}:${meant}}?`
  const elsewhere = resourceKinds.find(other => namesOf(other).includes(name))
  if (elsewhere !== undefined) return `did you mean \${${elsewhere}:${name}}?`
  if (names.length === 0) return `${kinds[fileKinds[kind]].folder}/ holds no files`
  const shown = names.slice(0, maxNamed).map(each => `\${${kind}:${each}}`)
  return `there are ${shown.join(', ')}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''}`
}

const maxNamed = 8
