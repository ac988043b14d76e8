import { join } from 'node:path'
import { parseJsonBytes } from '../../files/text/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { getErrorCode } from '../../lib/error.ts'
import { fileVersion, readSmallFile } from '../../lib/fs/read-file.ts'
import { approvalFolder, configFile, storeUnusable } from '../../lib/fs/user-folders.ts'
import { isObject } from '../../lib/json.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { readProfiles } from './store.ts'
import type { Limits } from './store-schema.ts'

/** Rules that a person has set for a service, whatever profile, key or base URL a command uses to reach it. */
export interface ServiceRules {
  readonly requiresApproval: boolean
  readonly limits: readonly Limits[]
}

/**
 * Reads the rules of a service from every profile with its address. An encrypted key requires approval by itself. The services that
 * require it are recorded in a second file too, so that a profile that was edited, replaced or removed does not lift the requirement.
 * @throws CallyardError `usage` for damaged settings: what they require is unknown
 */
export async function readServiceRules(baseUrl: string, env: Environment): Promise<ServiceRules> {
  const service = serviceOf(baseUrl)
  const { profiles, damage } = await readProfiles(env)
  if (damage !== undefined) throw storeUnusable(configFile(env), 'read', new Error(damage))
  const ofService = Object.values(profiles).filter(profile => serviceOf(profile.baseUrl) === service)
  return {
    requiresApproval:
      ofService.some(({ approval, apiKey }) => approval === 'required' || typeof apiKey !== 'string') ||
      readProtectedServices(env).includes(service),
    limits: ofService.flatMap(({ limits }) => (limits === undefined ? [] : [limits])),
  }
}

/** Like readServiceRules, for many requests: reads the files again only if one of them has changed. */
export function createRulesReader(env: Environment) {
  let version: readonly (string | undefined)[] = []
  const rules = new Map<string, ServiceRules>()
  return async (baseUrl: string): Promise<ServiceRules> => {
    const now = [configFile(env), protectedServicesFile(env)].map(fileVersion)
    if (now.some((part, index) => part === undefined || part !== version[index])) rules.clear()
    version = now
    const known = rules.get(baseUrl) ?? (await readServiceRules(baseUrl, env))
    rules.set(baseUrl, known)
    return known
  }
}

/** Identifies a service by its origin. All loopback addresses of a port are one service, and a host may end with a dot. */
export function serviceOf(url: string): string {
  if (!URL.canParse(url)) return url
  const parsed = new URL(url)
  if (isLoopback(parsed)) return `loopback:${parsed.port || (parsed.protocol === 'https:' ? '443' : '80')}`
  return parsed.origin.replace(/\.+(?=:\d+$|$)/, '')
}

/** Returns the file of services that require approval. */
export function protectedServicesFile(env: Environment): string {
  return join(approvalFolder(env), 'required.json')
}

/** @throws CallyardError `usage` for a damaged file: what it requires is unknown */
export function readProtectedServices(env: Environment): readonly string[] {
  const file = protectedServicesFile(env)
  let bytes: Buffer
  try {
    bytes = readSmallFile(file)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR') return []
    throw storeUnusable(file, 'read', error)
  }
  const content = parseJsonBytes(bytes)
  if (isObject(content) && Array.isArray(content.services))
    return content.services.filter(service => typeof service === 'string')
  throw storeUnusable(file, 'read', new Error('the file is damaged'))
}
