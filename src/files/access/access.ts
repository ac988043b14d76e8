import { basename, dirname, isAbsolute } from 'node:path'
import type * as z from 'zod/mini'
import type { Immutable } from '../../lib/json.ts'
import { isObject } from '../../lib/json.ts'
import { isExampleHost, isLoopback } from '../../lib/net/address.ts'
import type { CheckedFile } from '../source/index.ts'
import type { accessSchema } from './access-schema.ts'

export type Access = Immutable<z.infer<typeof accessSchema>>

/** The one list of what files may do on this machine; a person confirms it once for each project. */
const accessLists = [
  'variables',
  'files',
  'outsideFiles',
  'commands',
  'hosts',
] as const satisfies (keyof Access)[]

export const noAccess: Access = toAccess(() => [])

/**
 * Collects the access of all files. `needingConsent` skips access that is harmless: unset variables, loopback hosts and hosts
 * reserved for examples.
 */
export function collectAccess(
  files: Iterable<CheckedFile>,
  { needingConsent = false }: { readonly needingConsent?: boolean } = {},
): Access {
  const accessSets = {
    variables: new Set<string>(),
    files: new Set<string>(),
    outsideFiles: new Set<string>(),
    commands: new Set<string>(),
    hosts: new Set<string>(),
  }
  for (const file of files) {
    const { variables: set, variableNames } = file.references
    for (const name of needingConsent ? set.keys() : variableNames) accessSets.variables.add(name)
    for (const path of file.references.files)
      accessSets[isAbsolute(path) ? 'outsideFiles' : 'files'].add(path)
    for (const command of findCommands(file)) accessSets.commands.add(command)
    for (const { host, isLocal } of findFileHosts(file))
      if (!needingConsent || !isLocal) accessSets.hosts.add(host)
  }
  return toAccess(list => accessSets[list])
}

/** Returns the items of `access` that `knownAccess` lacks. */
export function subtractAccess(access: Access, knownAccess: Access): Access {
  return toAccess(list => {
    const knownItems = new Set(knownAccess[list])
    return access[list].filter(item => !knownItems.has(item))
  })
}

export function mergeAccess(one: Access, other: Access): Access {
  return toAccess(list => [...one[list], ...other[list]])
}

function toAccess(itemsOf: (list: keyof Access) => Iterable<string>): Access {
  const sorted = (list: keyof Access) => [...new Set(itemsOf(list))].sort()
  return {
    variables: sorted('variables'),
    files: sorted('files'),
    outsideFiles: sorted('outsideFiles'),
    commands: sorted('commands'),
    hosts: sorted('hosts'),
  }
}

export function isEmptyAccess(access: Access): boolean {
  return accessLists.every(list => access[list].length === 0)
}

/** True if a file names a command for this machine. */
export const runsCommands = (file: CheckedFile): boolean => findCommands(file).length > 0

/** Finds the commands that a file runs: `check` of a batch, `exec` of a guard. Each runs in the folder of its file, which names it. */
function findCommands({ kind, body, source: { path } }: CheckedFile): string[] {
  if (!isObject(body) || (kind !== 'batch' && kind !== 'guard')) return []
  const holders = kind === 'batch' ? [body] : Array.isArray(body.rules) ? body.rules.filter(isObject) : []
  const commands = holders.map(holder => (kind === 'batch' ? holder.check : holder.exec))
  const file = `${basename(dirname(path))}/${basename(path)}`
  return commands.flatMap(command => (typeof command === 'string' ? [`${file}: ${command}`] : []))
}

/**
 * Finds the host of every string that is a URL, in any field, because the interface does not define the shape of all fields.
 * Skips knowledge bases, whose entries are spoken text.
 */
function findFileHosts({ kind, body, fromEnvironment, render }: CheckedFile) {
  if (kind === 'knowledge-base') return []
  const names: string[] = []
  const maskedBody =
    fromEnvironment.length === 0 ? body : render({ env: name => `${variableMarker}${names.push(name) - 1}e` })
  return findHosts(body, maskedBody, names)
}

/** Placeholder for an environment variable in a URL; alphanumeric, so it is valid in every part of one. */
const variableMarker = 'callyardenv'

/** Hosts of all URLs in a value, except loopback and reserved example hosts. */
export function accessToHosts(value: unknown): Access {
  const hosts = [...findHosts(value, value, [])].flatMap(({ host, isLocal }) => (isLocal ? [] : [host]))
  return mergeAccess(noAccess, { ...noAccess, hosts })
}

function* findHosts(
  value: unknown,
  written: unknown,
  names: readonly string[],
): Generator<{ readonly host: string; readonly isLocal: boolean }> {
  if (typeof value === 'string') {
    const url = parseUrl(value)
    if (url === undefined || typeof written !== 'string') return
    const host = writtenHost(written).replace(
      /callyardenv(\d+)e/g,
      (_, index) => `\${env:${names[Number(index)]}}`,
    )
    const isReserved = isExampleHost(url.hostname) || /(^|\.)(test|localhost)$/.test(url.hostname)
    yield { host, isLocal: isLoopback(url) || isReserved }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* findHosts(item, Array.isArray(written) ? written[index] : undefined, names)
  } else if (isObject(value)) {
    for (const [field, inner] of Object.entries(value))
      yield* findHosts(inner, isObject(written) ? written[field] : undefined, names)
  }
}

function parseUrl(text: string): URL | undefined {
  // URL parsers trim white space.
  return /^\s*(?:https?|wss?):/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

function writtenHost(written: string): string {
  if (URL.canParse(written)) return new URL(written).host
  const authority = /^\s*(?:[^/:?#]*:)?[\\/]*([^\\/?#]*)/.exec(written)?.[1] ?? ''
  return authority.slice(authority.lastIndexOf('@') + 1)
}
