import { meantHint } from '../../lib/text/did-you-mean.ts'
import type { ProfileErrors, SettingOrigin } from '../../service/profile/index.ts'
import type { Messages } from './words.ts'

const addOne = 'add one: callyard profile add <name>'
const tryOut = 'to try it locally: callyard sandbox start'

export const profileMessages: Messages<ProfileErrors> = {
  'no-such-profile': ({ profile, near, known }) => ({
    message: `profile ${profile} not found`,
    hint:
      meantHint(near) ??
      (known.length === 0
        ? `callyard profile add ${profile}`
        : `available: ${known.slice(0, 10).join(', ')}`),
  }),
  'no-base-url': () => ({
    message: 'no base URL is set',
    hint: `${addOne}; or set --base-url or CALLYARD_BASE_URL; ${tryOut}`,
  }),
  'no-api-key': () => ({
    message: 'no API key is set',
    hint: `${addOne}; or set CALLYARD_API_KEY; ${tryOut}`,
  }),
  'key-locked': ({ profile }) => ({
    message: `the API key of profile ${profile} is encrypted, and its passphrase requires a terminal`,
    hint: 'run the command in your own terminal; scripts use CALLYARD_API_KEY, and agents request approval through callyard mcp --allow',
  }),
  'profile-not-kept': ({ profile, near, from }) => ({
    message:
      from === 'project file'
        ? `callyard.yaml uses profile ${profile}, which does not exist on this machine`
        : `profile ${profile} not found`,
    hint: meantHint(near) ?? `callyard profile add ${profile}; or set CALLYARD_BASE_URL and CALLYARD_API_KEY`,
  }),
  'environment-key-withheld': ({ origin, from }) => ({
    message: `CALLYARD_API_KEY is not sent to ${origin} (base URL from ${sources[from]}), because only that file names this service`,
    hint: 'if the key belongs to it, also set CALLYARD_BASE_URL, or pass --base-url',
  }),
  'profile-key-withheld': ({ profile, keyOrigin, origin, from }) => ({
    message: `the key of profile ${profile} belongs to ${keyOrigin} and is not sent to ${origin} (base URL from ${sources[from]})`,
    hint: 'set CALLYARD_API_KEY to a key of that service, or choose another profile with --profile',
  }),
}

const sources = {
  flag: '--base-url',
  environment: 'CALLYARD_BASE_URL',
  'project file': 'callyard.yaml',
  profile: 'the profile',
  none: 'nowhere',
} as const satisfies Record<SettingOrigin, string>
