import { hashContent } from '../../lib/hash.ts'
import { isText, parseJson } from '../../lib/json.ts'
import type { Section, Stamp } from './lockfile.ts'

/** Target in one version of a lockfile: enough to tell which of two versions is newer, and what was created. */
export interface LockVersion extends Stamp {
  readonly baseUrl: string
  readonly teamId?: string | undefined
  readonly salt: string
  readonly target: string
  readonly serial: number
  /** Hash of the recorded resources; undefined while a run may still change them. */
  readonly hash?: string | undefined
  /** True if nothing was created: the first apply was refused. */
  readonly isEmpty?: boolean | undefined
  /** Address → id of each tool and assistant. */
  readonly ids: Readonly<Record<string, string>>
}

/**
 * Reads the targets of a lockfile that callyard wrote, without parsing it: there may be many versions of a large one. Skips what it does
 * not recognize.
 */
export function readVersions(written: string): readonly LockVersion[] {
  const text = written.replaceAll('\r\n', '\n')
  const open = /\n(?:#.*\n)?journal: .*\n$/.exec(text)
  const heads = [...text.matchAll(/\n {2}([^\s#].*):(?=\n)/g)]
  return heads.flatMap(({ 0: head, 1: name = '', index }, position) => {
    const next = heads[position + 1] ?? open
    const section = text.slice(index + head.length + 1, next === null ? undefined : next.index + 1)
    const start = section.indexOf('    resources:')
    const fields = Object.fromEntries(
      [...section.slice(0, start).matchAll(/^ {4}(\w+): (.+)$/gm)].map(([, key, value]) => [
        key,
        scalar(value),
      ]),
    )
    const { baseUrl, salt, teamId, serial, applied, by } = fields
    if (start === -1 || baseUrl === undefined || salt === undefined) return []
    const resources = section.slice(start)
    const ids = [...resources.matchAll(/\n {6}(\S.*):\n {8}id: (.+)(?=\n)/g)]
    return {
      ...{ target: scalar(name), baseUrl, teamId, salt, serial: Number(serial ?? 0), applied, by },
      hash: open === null ? hashContent(resources) : undefined,
      isEmpty: !/^ {8}(?:id|creating|entries|pending):/m.test(resources),
      ids: Object.fromEntries(ids.map(([, address, id]) => [scalar(address), scalar(id)])),
    }
  })
}

/** Ids of the tools and assistants of a section. */
export function idsOf(resources: Section['resources']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(resources).flatMap(([address, { id }]) => (id === undefined ? [] : [[address, id]])),
  )
}

/** Text of a plain or quoted scalar. */
function scalar(written = ''): string {
  const quoted = written.startsWith('"') ? parseJson(written) : undefined
  return isText(quoted)
    ? quoted
    : written.replace(/^'(.*)'$/, (_, text: string) => text.replaceAll("''", "'"))
}
