import { meantHint } from '../lib/text/did-you-mean.ts'
import type { ProfileErrors, SettingOrigin } from '../profile/index.ts'
import type { Messages } from './words.ts'

const addOne = 'callwright profile add <name> keeps one'
const tryOut = 'to try things out: callwright sandbox start'

export const profileMessages: Messages<ProfileErrors> = {
  'no-such-profile': ({ profile, near, known }) => ({
    message: `there is no profile ${profile}`,
    hint:
      meantHint(near) ??
      (known.length === 0
        ? `callwright profile add ${profile}`
        : `there are ${known.slice(0, 10).join(', ')}`),
  }),
  'no-base-url': () => ({
    message: 'no base URL is set',
    hint: `${addOne}; or give --base-url or CALLWRIGHT_BASE_URL; ${tryOut}`,
  }),
  'no-api-key': () => ({
    message: 'no API key is set',
    hint: `${addOne}; or set CALLWRIGHT_API_KEY; ${tryOut}`,
  }),
  'profile-not-kept': ({ profile, near, from }) => ({
    message:
      from === 'project file'
        ? `callwright.yaml names profile ${profile}, which is not kept on this machine`
        : `there is no profile ${profile}`,
    hint:
      meantHint(near) ??
      `callwright profile add ${profile}; or set CALLWRIGHT_BASE_URL and CALLWRIGHT_API_KEY`,
  }),
  'environment-key-withheld': ({ origin, from }) => ({
    message: `CALLWRIGHT_API_KEY is not sent to ${origin} (base URL from ${sources[from]}): nothing outside that file names this service`,
    hint: 'if the key is for it, set CALLWRIGHT_BASE_URL to that address too, or give --base-url',
  }),
  'profile-key-withheld': ({ profile, keyOrigin, origin, from }) => ({
    message: `the key of profile ${profile} belongs to ${keyOrigin}, and is not sent to ${origin} (base URL from ${sources[from]})`,
    hint: 'set CALLWRIGHT_API_KEY to a key of that service, or choose another profile with --profile',
  }),
}

const sources = {
  flag: '--base-url',
  environment: 'CALLWRIGHT_BASE_URL',
  'project file': 'callwright.yaml',
  profile: 'the profile',
  none: 'nowhere',
} as const satisfies Record<SettingOrigin, string>
