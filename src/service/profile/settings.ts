import { type Project, projectSchema } from '../../files/formats/project.ts'
import {
  type CheckedFile,
  checkFile,
  type FileRules,
  findProjectFile,
  InvalidInput,
} from '../../files/source/index.ts'
import { hasErrors } from '../../interface/finding.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { CallyardError } from '../../lib/error.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { type LockedKey, lockedKeyOf } from './locked-key.ts'
import { getProfile, noSuchProfile, type Profiles, readProfiles } from './store.ts'
import type { Profile } from './store-schema.ts'

export type SettingOrigin = 'flag' | 'environment' | 'project file' | 'profile' | 'none'

export interface Setting<Value> {
  readonly value: Value
  readonly from: SettingOrigin
}

export interface Settings {
  readonly profile: Setting<string | undefined>
  readonly baseUrl: Setting<string | undefined>
  /** Undefined also for a key that is encrypted. */
  readonly apiKey: Setting<string | undefined>
  /** The key of the profile, if it is encrypted and would be used. */
  readonly lockedKey?: LockedKey | undefined
  readonly vocabulary: Setting<Vocabulary>
  /** Explains a missing key or base URL that the user may expect to be set. */
  readonly missing?: CallyardError | undefined
  /** The callyard.yaml that was found, absolute, and what it says. */
  readonly project?:
    | { readonly file: string; readonly settings: Project; readonly checked?: CheckedFile }
    | undefined
  /** The usage error of a profile that was asked for here and now, and is not there: for what needs a connection. */
  readonly unknownProfile?: CallyardError | undefined
}

export interface SettingSources extends FileRules {
  readonly options: { readonly profile?: string | undefined; readonly baseUrl?: string | undefined }
}

export interface ResolvedSettings extends Settings {
  /** Warnings for the user, such as a damaged config file. */
  readonly warnings: readonly string[]
}

/**
 * Resolves every setting from its first source: flag, environment, project file, profile. A profile's key is sent only to that profile's
 * origin, and the environment's key never to an address that only a project file sets, because its author would receive it. @throws
 * InvalidInput for an invalid project file.
 */
export async function readSettings({ options, ...files }: SettingSources): Promise<ResolvedSettings> {
  const { env } = files
  const [stored, project] = await Promise.all([readProfiles(env), readProject(files)])
  const inProject = project?.settings ?? {}
  const profileSetting = first(
    [options.profile, 'flag'],
    [env.CALLYARD_PROFILE, 'environment'],
    [inProject.profile, 'project file'],
    [stored.current, 'profile'],
  )
  const profile =
    profileSetting.value === undefined ? undefined : getProfile(stored.profiles, profileSetting.value)
  const baseUrl = first(
    [options.baseUrl, 'flag'],
    [env.CALLYARD_BASE_URL, 'environment'],
    [inProject.baseUrl, 'project file'],
    [profile?.baseUrl, 'profile'],
  )
  const apiKeySetting = first<Profile['apiKey']>(
    [env.CALLYARD_API_KEY, 'environment'],
    [profile?.apiKey, 'profile'],
  )
  const isForeign = !mayGoTo(baseUrl, apiKeySetting, profile, files)
  const key: Settings['apiKey'] =
    isForeign || apiKeySetting.value === undefined
      ? { value: undefined, from: 'none' }
      : {
          value: typeof apiKeySetting.value === 'string' ? apiKeySetting.value : undefined,
          from: apiKeySetting.from,
        }
  const isLocked = !isForeign && typeof apiKeySetting.value === 'object'
  return {
    profile: profileSetting,
    baseUrl,
    apiKey: key,
    lockedKey:
      isLocked && profile !== undefined ? lockedKeyOf(profileSetting.value ?? '', profile) : undefined,
    vocabulary: vocabularyOf(inProject, profile),
    missing: isForeign
      ? withheld(profileSetting, baseUrl, apiKeySetting, profile)
      : notKept(profileSetting, stored, baseUrl),
    unknownProfile: unknownProfile(profileSetting, stored),
    project,
    warnings: stored.warnings,
  }
}

/** The nearest callyard.yaml; what it says is checked like any file. */
async function readProject(files: FileRules): Promise<Settings['project']> {
  const file = await findProjectFile(files.cwd, files)
  if (file === undefined) return undefined
  const checked = await checkFile(file, 'project', { ...files, vocabulary: {} })
  if (hasErrors(checked.diagnostics)) throw new InvalidInput(checked.diagnostics)
  return { file, settings: projectSchema().parse(checked.value), checked }
}

/** Returns the first value that is set; an empty variable is unset. */
function first<Value extends Profile['apiKey']>(
  ...candidates: readonly (readonly [Value | undefined, Exclude<Setting<Value>['from'], 'none'>])[]
): Setting<Value | undefined> {
  const match = candidates.find(([value]) => value !== undefined && value !== '')
  return match === undefined ? { value: undefined, from: 'none' } : { value: match[0], from: match[1] }
}

/**
 * A profile from a flag must exist. A profile from a project file may be missing, as in CI, where the environment sets base URL and key.
 */
function unknownProfile(
  { value, from }: Setting<string | undefined>,
  { profiles }: Profiles,
): CallyardError | undefined {
  const isAsked = from === 'flag' || from === 'environment'
  if (value === undefined || !isAsked || getProfile(profiles, value) !== undefined) return undefined
  return noSuchProfile(profiles, value)
}

function vocabularyOf(project: Project, profile: Profile | undefined): Setting<Vocabulary> {
  if (project.vocabulary !== undefined) return { value: project.vocabulary, from: 'project file' }
  if (profile?.vocabulary !== undefined) return { value: profile.vocabulary, from: 'profile' }
  return { value: {}, from: 'none' }
}

/** The request rejects an invalid base URL; no key is sent then. */
function mayGoTo(
  { value, from }: Setting<string | undefined>,
  key: Setting<Profile['apiKey'] | undefined>,
  profile: Profile | undefined,
  { isForAgent = false }: FileRules,
): boolean {
  if (key.value === undefined || value === undefined || !URL.canParse(value)) return true
  const url = new URL(value)
  if (originOf(profile?.baseUrl) === url.origin) return true
  return key.from === 'environment' && (from !== 'project file' || (isLoopback(url) && !isForAgent))
}

function withheld(
  { value: profileName }: Setting<string | undefined>,
  baseUrl: Setting<string | undefined>,
  key: Setting<Profile['apiKey'] | undefined>,
  profile: Profile | undefined,
): CallyardError {
  const { from } = baseUrl
  const origin = originOf(baseUrl.value)
  const to = `${origin} (base URL from ${baseUrlSources[from]})`
  const details = { origin, from, outcome: 'not-sent' }
  if (key.from === 'environment')
    return new CallyardError(
      'unauthorized',
      `CALLYARD_API_KEY is not sent to ${to}, because only that file names this service`,
      {
        code: 'environment-key-withheld',
        hint: 'if the key belongs to it, also set CALLYARD_BASE_URL',
        details,
      },
    )
  const keyOrigin = originOf(profile?.baseUrl)
  return new CallyardError(
    'unauthorized',
    `the key of profile ${profileName} belongs to ${keyOrigin} and is not sent to ${to}`,
    {
      code: 'profile-key-withheld',
      hint: 'set CALLYARD_API_KEY to a key of that service, or choose another profile',
      details: { profile: profileName, keyOrigin, ...details },
    },
  )
}

const baseUrlSources = {
  flag: 'the command line',
  environment: 'CALLYARD_BASE_URL',
  'project file': 'callyard.yaml',
  profile: 'the profile',
  none: 'nowhere',
} as const satisfies Record<SettingOrigin, string>

function notKept(
  { value, from }: Setting<string | undefined>,
  { profiles }: Profiles,
  baseUrl: Setting<string | undefined>,
): CallyardError | undefined {
  if (value === undefined || getProfile(profiles, value) !== undefined) return undefined
  const near = didYouMean(value, Object.keys(profiles))
  const kind = baseUrl.value === undefined ? 'usage' : 'unauthorized'
  const message =
    from === 'project file'
      ? `callyard.yaml uses profile ${value}, which does not exist on this machine`
      : `profile ${value} not found`
  return new CallyardError(kind, message, {
    code: 'profile-not-kept',
    hint: meantHint(near) ?? 'add it, or set CALLYARD_BASE_URL and CALLYARD_API_KEY',
    details: { profile: value, near, from, outcome: 'not-sent' },
  })
}

/** Without the user name and password that it may hold. */
function originOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : 'an address that is not a URL'
}
