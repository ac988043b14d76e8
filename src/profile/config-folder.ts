import { homedir, platform } from 'node:os'
import { join, resolve } from 'node:path'
import type { Environment } from '../lib/environment.ts'

/** Where profiles are kept: CALLWRIGHT_CONFIG_DIR, else the folder that the platform has for settings. */
export function configFolder(env: Environment): string {
  const { CALLWRIGHT_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env
  if (own !== undefined && own !== '') return resolve(own)
  const home = homedir()
  if (platform() === 'darwin') return join(home, 'Library', 'Preferences', 'callwright')
  if (platform() === 'win32') return join(appData || join(home, 'AppData', 'Roaming'), 'callwright')
  return join(xdg || join(home, '.config'), 'callwright')
}

/** Where `sandbox start` keeps its records by default. */
export function sandboxJournal(env: Environment): string {
  return join(configFolder(env), 'sandbox.ndjson')
}

export function configFile(env: Environment): string {
  return join(configFolder(env), 'config.json')
}

/** Where `webhook tail --forward` keeps events until they are delivered. */
export function forwardFolder(env: Environment): string {
  return join(configFolder(env), 'forward')
}
