import { homedir, platform } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../environment.ts'
import { CallyardError, fileError } from '../error.ts'

/** Home folder of the user; undefined without HOME for a user id that the system does not know, as in some containers. */
export function homeFolder(read = homedir): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Value of an XDG variable; relative paths are ignored, as the XDG Base Directory Specification says. */
export function absoluteFolder(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined
}

/**
 * Returns the folder for caches of this user, which may not exist. A process that can write there decides what runs. Undefined if the
 * environment names none.
 */
export function cacheFolder(
  { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment,
  platform: NodeJS.Platform,
): string | undefined {
  const folder =
    platform === 'win32'
      ? LOCALAPPDATA
      : absoluteFolder(XDG_CACHE_HOME) ||
        (HOME && `${HOME}/${platform === 'darwin' ? 'Library/Caches' : '.cache'}`)
  return folder || undefined
}

/**
 * Returns the folder of settings and state: CALLYARD_CONFIG_DIR, or the platform's folder for settings.
 * @throws CallyardError `usage` without a home folder
 */
export function configFolder(env: Environment): string {
  const { CALLYARD_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env
  if (own !== undefined && own !== '') return resolve(own)
  const config = absoluteFolder(xdg)
  const home = homeFolder()
  if (platform() === 'darwin' && home !== undefined) return join(home, 'Library', 'Preferences', 'callyard')
  if (platform() === 'win32' && (appData || home !== undefined))
    return join(appData || join(home ?? '', 'AppData', 'Roaming'), 'callyard')
  if (config !== undefined) return join(config, 'callyard')
  if (home !== undefined) return join(home, '.config', 'callyard')
  throw new CallyardError('usage', 'this user has no home folder', {
    hint: 'set HOME, or CALLYARD_CONFIG_DIR to a folder for settings',
  })
}

/** Creates a function that returns a path in it. */
function inConfigFolder(name: string) {
  return (env: Environment): string => join(configFolder(env), name)
}

/** File of profiles. */
export const configFile = inConfigFolder('config.json')
/** Default file for the records of `sandbox start`. */
export const sandboxJournal = inConfigFolder('sandbox.ndjson')
export const callLogFile = inConfigFolder('calls.ndjson')
/** Folder that remembers the last apply to each target. */
export const appliedFolder = inConfigFolder('applied')
/** Folder of consents to what projects read, run and contact. */
export const agreementFolder = inConfigFolder('agreed')
/** Folder of requests for approval. */
export const approvalFolder = inConfigFolder('approvals')
/** Folder of chats and long results of `mcp`. */
export const agentFolder = inConfigFolder('mcp')
/** Folder in which `webhook tail --forward` queues events. */
export const forwardFolder = inConfigFolder('forward')

/** The default folder of events that a relay has not published to this stream. */
export function relayFolder(env: Environment, stream: string): string {
  return join(configFolder(env), 'relay', stream)
}

/** Error for a file or folder of callyard's own that cannot be used. */
export function storeUnusable(path: string, action: 'read' | 'write', cause: unknown): CallyardError {
  return fileError(`cannot ${action} ${path}`, cause, 'set CALLYARD_CONFIG_DIR to another folder')
}
