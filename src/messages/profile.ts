import { meantHint } from '../lib/text/did-you-mean.ts'
import type { ProfileErrors, SettingOrigin } from '../profile/index.ts'
import type { Messages } from './words.ts'

const addOne = 'add one: callwright profile add <name>'
const tryOut = 'to try it locally: callwright sandbox start'

export const profileMessages: Messages<ProfileErrors> = {
  'no-such-profile': ({ profile, near, known }) => ({
    message: `profile ${profile} not found`,
    hint:
      meantHint(near) ??
      (known.length === 0
        ? `callwright profile add ${profile}`
        : `available: ${known.slice(0, 10).join(', ')}`),
  }),
  'no-base-url': () => ({
    message: 'no base URL is set',
    hint: `${addOne}; or set --base-url or CALLWRIGHT_BASE_URL; ${tryOut}`,
  }),
  'no-api-key': () => ({
    message: 'no API key is set',
    hint: `${addOne}; or set CALLWRIGHT_API_KEY; ${tryOut}`,
  }),
  'key-locked': ({ profile }) => ({
    message: `the API key of profile ${profile} is encrypted, and its passphrase requires a terminal`,
    hint: 'run the command in your own terminal; scripts use CALLWRIGHT_API_KEY, and agents request approval through callwright mcp --allow',
  }),
  'profile-not-kept': ({ profile, near, from }) => ({
    message:
      from === 'project file'
        ? `callwright.yaml uses profile ${profile}, which does not exist on this machine`
        : `profile ${profile} not found`,
    hint:
      meantHint(near) ??
      `callwright profile add ${profile}; or set CALLWRIGHT_BASE_URL and CALLWRIGHT_API_KEY`,
  }),
  'environment-key-withheld': ({ origin, from }) => ({
    message: `CALLWRIGHT_API_KEY is not sent to ${origin} (base URL from ${sources[from]}), because only that file names this service`,
    hint: 'if the key belongs to it, also set CALLWRIGHT_BASE_URL, or pass --base-url',
  }),
  'profile-key-withheld': ({ profile, keyOrigin, origin, from }) => ({
    message: `the key of profile ${profile} belongs to ${keyOrigin} and is not sent to ${origin} (base URL from ${sources[from]})`,
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
