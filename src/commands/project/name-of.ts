import type { ResourceFile } from '../../project/load/find-resources.ts'

/** `front-desk` of assistant/front-desk: what `--assistant` and `${tool:…}` call it. */
export function nameOf({ address, kind }: Pick<ResourceFile, 'address' | 'kind'>): string {
  return address.slice(kind.length + 1)
}
