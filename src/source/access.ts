import { isAbsolute } from 'node:path'
import type * as z from 'zod/mini'
import type { Immutable } from '../lib/json.ts'
import { isObject } from '../lib/json.ts'
import { isExampleHost, isLoopback } from '../lib/net/address.ts'
import type { accessSchema } from './access-schema.ts'
import type { CheckedFile } from './check-file.ts'

/** Resources of this machine that files read, and hosts that they send to. */
export type Access = Immutable<z.infer<typeof accessSchema>>

/**
 * Of all these files together. `asked` leaves out what needs no agreement: variables that are not set, hosts of this
 * machine and hosts that are kept for examples.
 */
export function accessOf(
  files: Iterable<CheckedFile>,
  { asked = false }: { readonly asked?: boolean } = {},
): Access {
  const found = {
    variables: new Set<string>(),
    files: new Set<string>(),
    outsideFiles: new Set<string>(),
    hosts: new Set<string>(),
  }
  for (const file of files) {
    const { variables: set, variableNames } = file.references
    for (const name of asked ? set.keys() : variableNames) found.variables.add(name)
    for (const path of file.references.files) found[isAbsolute(path) ? 'outsideFiles' : 'files'].add(path)
    for (const { host, isLocal } of hostsOf(file)) if (!asked || !isLocal) found.hosts.add(host)
  }
  return listsOf(list => found[list])
}

/** What one of them has and the other has not. */
export function accessBeyond(access: Access, known: Access): Access {
  return listsOf(list => {
    const there = new Set(known[list])
    return access[list].filter(item => !there.has(item))
  })
}

export function joinAccess(one: Access, other: Access): Access {
  return listsOf(list => [...one[list], ...other[list]])
}

function listsOf(itemsOf: (list: keyof Access) => Iterable<string>): Access {
  const sorted = (list: keyof Access) => [...new Set(itemsOf(list))].sort()
  return {
    variables: sorted('variables'),
    files: sorted('files'),
    outsideFiles: sorted('outsideFiles'),
    hosts: sorted('hosts'),
  }
}

export function isNoAccess({ variables, files, outsideFiles, hosts }: Access): boolean {
  return variables.length + files.length + outsideFiles.length + hosts.length === 0
}

/**
 * The host of every text that is a URL and nothing else: fields whose shape the interface does not show may hold any. The
 * entries of a knowledge base are what is said, and no addresses.
 */
function hostsOf({ kind, body, fromEnvironment, render }: CheckedFile) {
  if (kind === 'knowledge-base') return []
  const names: string[] = []
  const written =
    fromEnvironment.length === 0 ? body : render({ env: name => `${stand}${names.push(name) - 1}e` })
  return findHosts(body, written, names)
}

/** Stands in a URL for what came from the environment: letters and digits may stand in every part of it. */
const stand = 'callwrightenv'

/** Hosts of all URLs in a value, except loopback and reserved example hosts. */
export function accessToHosts(value: unknown): Access {
  const hosts = [...findHosts(value, value, [])].flatMap(({ host, isLocal }) => (isLocal ? [] : [host]))
  return joinAccess(noAccess, { ...noAccess, hosts })
}

const noAccess: Access = { variables: [], files: [], outsideFiles: [], hosts: [] }

function* findHosts(
  value: unknown,
  written: unknown,
  names: readonly string[],
): Generator<{ readonly host: string; readonly isLocal: boolean }> {
  if (typeof value === 'string') {
    const url = urlOf(value)
    if (url === undefined || typeof written !== 'string') return
    const host = hostOf(written).replace(
      /callwrightenv(\d+)e/g,
      (_, index) => `\${env:${names[Number(index)]}}`,
    )
    yield { host, isLocal: isLoopback(url) || isKept(url.hostname) }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* findHosts(item, Array.isArray(written) ? written[index] : undefined, names)
  } else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value))
      yield* findHosts(inner, isObject(written) ? written[field] : undefined, names)
  }
}

function urlOf(text: string): URL | undefined {
  // The parser of URLs leaves out white space around them, and so do those who use them.
  return /^\s*(?:https?|wss?):/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

function hostOf(written: string): string {
  if (URL.canParse(written)) return new URL(written).host
  const authority = /^\s*(?:[^/:?#]*:)?[\\/]*([^\\/?#]*)/.exec(written)?.[1] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1)
}

/** No public host can have these names. */
function isKept(hostname: string): boolean {
  return isExampleHost(hostname) || /(^|\.)(test|localhost)$/.test(hostname)
}
