import { existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import * as z from 'zod/mini'
import { collectAccess } from '../../files/access/index.ts'
import type { Address } from '../../files/formats/address.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { readSmallFile } from '../../lib/fs/read-file.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { hashContent } from '../../lib/hash.ts'
import { type Immutable, isObject, isText } from '../../lib/json.ts'
import { secretHash } from '../../lib/secret-hash.ts'
import { newSalt } from '../lockfile/index.ts'
import type { Action, Plan } from '../plan/index.ts'
import { findResources, type Resource } from '../resources/index.ts'

const texts = z.array(z.string())
const cacheSchema = z.object({
  basis: z.string(),
  /** The address and path of each file, and the hash of its bytes. */
  files: z.array(z.tuple([z.custom<Address>(isText), z.string(), z.string()])),
  /** Included files: requested path, resolved path, and hash of the bytes. */
  included: z.array(z.tuple([z.string(), z.string(), z.string()])),
  salt: z.string(),
  /** Each variable of a file: the salted hash of its value, null if unset. */
  variables: z.array(z.tuple([z.string(), z.nullable(z.string())])),
  target: z.string(),
  baseUrl: z.nullable(z.string()),
  lastApply: z.optional(z.object({ serial: z.int(), at: z.string(), by: z.string() })),
  actions: z.array(z.custom<Action>(isObject)),
  access: z.object({ variables: texts, files: texts, outsideFiles: texts, commands: texts, hosts: texts }),
  warnings: z.array(z.custom<Diagnostic>(isObject)),
})

type Cache = Immutable<z.infer<typeof cacheSchema>>

/** Location of a plan. */
export interface PlanKey {
  /** The project's, absolute. */
  readonly folder: string
  readonly cwd: string
  readonly env: Environment
  /** Inputs besides files and environment; see hashBasis. */
  readonly basis: string
}

/** Fingerprints the inputs of a plan besides files and environment: version, options, settings, lockfile. JSON values. */
export function hashBasis(values: readonly unknown[]): string {
  return JSON.stringify(values, (_key, value: unknown) => value ?? null)
}

/**
 * Returns the last up-to-date plan of a project if its inputs are unchanged: the bytes of each file and its includes, the variables they
 * use, and the values in `hashBasis`. Otherwise undefined.
 */
export async function readUpToDate({ folder, cwd, env, basis }: PlanKey) {
  const [cache, identity] = await Promise.all([readCache(folder), ownIdentity(folder)])
  if (cache === undefined || identity === undefined) return undefined
  // It may hold what came from the environment.
  const hashed = secretHash(cache.salt)
  if (cache.basis !== hashed(identity + basis)) return undefined
  const { files, diagnostics } = await findResources(folder, cwd)
  if (diagnostics.length > 0 || files.size !== cache.files.length) return undefined
  for (const [address, path, hash] of cache.files) {
    if (files.get(address)?.path !== path || hashOfFile(path) !== hash) return undefined
  }
  for (const [includePath, real, hash] of cache.included) {
    if ((await realPathOf(includePath)) !== real || hashOfFile(real) !== hash) return undefined
  }
  if (cache.variables.some(([name, hash]) => hashOfVariable(env[name], hashed) !== hash)) return undefined
  const { target, baseUrl, lastApply, actions, access, warnings } = cache
  const plan: Plan = { target, baseUrl: baseUrl ?? undefined, lastApply, actions }
  return { plan, access, warnings }
}

/**
 * Stores a plan without changes. Writes only if callyard's own folder exists already, and never fails: without it, the next plan takes
 * longer.
 */
export async function rememberUpToDate(
  { folder, env, basis }: PlanKey,
  {
    resources,
    plan,
    warnings,
  }: {
    readonly resources: readonly Resource[]
    readonly plan: Plan
    readonly warnings: readonly Diagnostic[]
  },
): Promise<void> {
  const { target, baseUrl = null, lastApply, actions } = plan
  // The entries of a knowledge base may be in a second file.
  if (resources.some(({ checked }) => checked.path !== checked.source.path)) return
  if (actions.some(({ action, entries = [] }) => action !== 'unchanged' || entries.length > 0)) return
  const file = cachePath(folder)
  const identity = await ownIdentity(folder)
  const included = await includedBy(resources, folder)
  if (identity === undefined || included === undefined) return
  const salt = newSalt()
  const hashed = secretHash(salt)
  const names = new Set(resources.flatMap(({ checked }) => [...checked.references.variableNames]))
  const cache: Cache = {
    basis: hashed(identity + basis),
    files: resources.map(({ address, path, checked }) => [address, path, hashContent(checked.source.text)]),
    included,
    salt,
    variables: [...names].map(name => [name, hashOfVariable(env[name], hashed)]),
    target,
    baseUrl,
    lastApply,
    actions,
    access: collectAccess(resources.map(({ checked }) => checked)),
    warnings,
  }
  const text = `${JSON.stringify(cache)}\n`
  await replaceFile(file, text, { mode: 0o600 }).catch(() => {})
}

/** True if a plan is stored, whether or not it is current. */
export function hasPlan(folder: string): boolean {
  return existsSync(cachePath(folder))
}

function cachePath(folder: string): string {
  return join(folder, '.callyard', 'up-to-date.json')
}

/**
 * Identifies callyard's own folder on this machine. A repository can contain such a folder with a plan that hides changes, but cannot
 * know this.
 */
async function ownIdentity(folder: string): Promise<string | undefined> {
  const own = await stat(dirname(cachePath(folder)), { bigint: true }).catch(() => undefined)
  return own?.isDirectory() === true ? [own.dev, own.ino, own.birthtimeNs, ''].join(' ') : undefined
}

async function readCache(folder: string): Promise<Cache | undefined> {
  try {
    return cacheSchema.parse(JSON.parse(await readFile(cachePath(folder), 'utf8')))
  } catch {
    return undefined
  }
}

/** The files that others include; undefined where one of them lies outside of the project, or is gone. */
async function includedBy(
  resources: readonly Resource[],
  folder: string,
): Promise<[string, string, string][] | undefined> {
  const home = await realPathOf(folder)
  const includedFiles: [string, string, string][] = []
  for (const { checked } of resources) {
    for (const [name, text] of checked.references.included) {
      const includePath = resolve(dirname(checked.source.path), name)
      const real = await realPathOf(includePath)
      if (real === undefined || home === undefined || relative(home, real).startsWith('..')) return undefined
      includedFiles.push([includePath, real, hashContent(text)])
    }
  }
  return includedFiles
}

function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}

/** Hashes the bytes of a file; undefined if it cannot be read or is not a file. Many small files are read faster sequentially. */
function hashOfFile(path: string): string | undefined {
  try {
    return hashContent(readSmallFile(path))
  } catch {
    return undefined
  }
}

function hashOfVariable(value: string | undefined, hashed: (value: string) => string): string | null {
  return value === undefined ? null : hashed(value)
}
