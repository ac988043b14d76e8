import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { Environment } from '../../lib/environment.ts'
import { readSmallFile } from '../../lib/fs/read-file.ts'
import { cacheFolder } from '../../lib/fs/user-folders.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { makeOwnCache, ownCache } from '../../lib/process/compile-cache.ts'
import { startDetached } from '../../lib/process/detached.ts'
import { createProgramEnvironment } from '../../lib/process/program-environment.ts'
import { repositoryPage } from '../../lib/text/repository-page.ts'
import { cyan, type Text, text } from '../../lib/text/text.ts'
import { isOlder } from '../../lib/text/version.ts'
import type { InheritedHost } from '../shell/context.ts'
import { isRunner } from '../shell/output/failure.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Output of npm at the last lookup; the time of the file is that of the lookup. */
const latestFile = 'latest-version.json'
const ownRepository = repositoryPage(manifest.repository.url)
/** Time of the last notice. */
const shownFile = 'update-notice'

/**
 * Returns the notice about a newer version, at most once a day, and starts the lookup for the next command if the last one is a day old.
 * The lookup is npm's own and outlives this process. Never throws. Nothing happens on a CI server, with NO_UPDATE_NOTIFIER, without a
 * cache folder, or in a project that depends on callyard, which decides its version.
 */
export function newerVersion(
  { env, platform, cwd, clock }: InheritedHost,
  start: typeof startDetached = startDetached,
): Text | undefined {
  const folder = cacheFolder(env, platform)
  if (folder === undefined || env.NO_UPDATE_NOTIFIER || isRunner(env)) return undefined
  try {
    const own = makeOwnCache(folder)
    const isDue = (file: string) => !isRecent(join(own, file), clock.now())
    const latest = latestVersion(env, platform)
    const notice = latest !== undefined && isOlder(manifest.version, latest) && isDue(shownFile)
    const lookUp = isDue(latestFile)
    if ((!notice && !lookUp) || isPinned(cwd)) return undefined
    if (lookUp)
      // In the cache folder no .npmrc of a project names another registry; variables of npm may.
      start(['npm', 'view', manifest.name, 'version', 'repository.url', '--json'], {
        cwd: own,
        env: { ...createProgramEnvironment(env, npmNames(env)), npm_config_update_notifier: 'false' },
        stdout: join(own, latestFile),
      })
    if (!notice) return undefined
    writeFileSync(join(own, shownFile), latest, { mode: 0o600 })
    const install = cyan(`npm install --global ${manifest.name}`)
    return text`callyard ${latest} is available (this is ${manifest.version}): ${install}`
  } catch {
    return undefined
  }
}

/**
 * Version that the last lookup found; undefined if there was none, or it failed. A package from another repository is not callyard,
 * whatever its name: nobody may be told to install it.
 */
export function latestVersion(env: Environment, platform: NodeJS.Platform): string | undefined {
  const folder = cacheFolder(env, platform)
  if (folder === undefined) return undefined
  try {
    const cachedVersion = parseJson(readSmallFile(join(ownCache(folder), latestFile)).toString('utf8'))
    if (!isObject(cachedVersion)) return undefined
    const { version, 'repository.url': repository } = cachedVersion
    if (typeof version !== 'string' || !/^\d{1,6}(\.\d{1,6}){2}$/.test(version)) return undefined
    const isOurs = typeof repository === 'string' && repositoryPage(repository) === ownRepository
    return isOurs ? version : undefined
  } catch {
    return undefined
  }
}

const npmNames = (env: Environment) => Object.keys(env).filter(name => /^npm_config_/i.test(name))

/** False for a file of the future: the clock was set back. Clocks of file systems may be a moment ahead. */
function isRecent(file: string, now: number): boolean {
  const age = now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return age > -1000 && age < dayMs
}

/** True if a package.json of this folder or a parent names callyard. */
function isPinned(folder: string): boolean {
  const file = join(folder, 'package.json')
  const parent = dirname(folder)
  return namesPackage(file) || (parent !== folder && isPinned(parent))
}

function namesPackage(file: string): boolean {
  let content: unknown
  try {
    content = parseJson(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
  if (!isObject(content)) return false
  const { name, dependencies, devDependencies, optionalDependencies } = content
  const lists = [dependencies, devDependencies, optionalDependencies]
  return name === manifest.name || lists.some(list => isObject(list) && Object.hasOwn(list, manifest.name))
}
