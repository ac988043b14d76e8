import { defineErrors } from '../../lib/error.ts'

export type SettingOrigin = 'flag' | 'environment' | 'project file' | 'profile' | 'none'

/** Error codes of profiles and settings with their details. Origins are those of base URLs. */
export type ProfileErrors = {
  /** `near` is the suggestion; `known` are the existing names. */
  'no-such-profile': {
    readonly profile: string
    readonly near: string | undefined
    readonly known: readonly string[]
  }
  'no-base-url': Unsent
  'no-api-key': Unsent
  /** The key of the profile is encrypted, and nobody can be asked for the passphrase. */
  'key-locked': Unsent & { readonly profile: string }
  /** A profile is named, and is not kept on this machine. */
  'profile-not-kept': Unsent & {
    readonly profile: string
    readonly near: string | undefined
    readonly from: SettingOrigin
  }
  /** The key of the environment is not sent to an address that only a project file sets. */
  'environment-key-withheld': Unsent & { readonly origin: string; readonly from: SettingOrigin }
  /** The key of a profile goes to the profile's own origin alone. */
  'profile-key-withheld': Unsent & {
    readonly profile: string | undefined
    readonly keyOrigin: string
    readonly origin: string
    readonly from: SettingOrigin
  }
}

type Unsent = { readonly outcome: 'not-sent' }

export const profileError = defineErrors<ProfileErrors>()
