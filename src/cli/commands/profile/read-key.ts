import { CallyardError } from '../../../lib/error.ts'
import { apiKeyProblem } from '../../../service/api/index.ts'
import { type Limits, loadEncryption, type Profile } from '../../../service/profile/index.ts'
import type { Context } from '../../shell/context.ts'
import { assertTerminal } from '../approve/assert-terminal.ts'

/** Reads an API key from stdin or a hidden prompt, never from argv. @throws CallyardError `usage` for an unusable one */
export async function readKey(fromStdin: boolean, context: Context): Promise<string> {
  if (fromStdin) refuseTerminal(context)
  const input = fromStdin
    ? await context.host.stdin.text()
    : await context.prompts.secret({
        message: 'API key (from the API keys section of the service’s dashboard)',
        flag: '--api-key-stdin',
        validate: typed => {
          const error = apiKeyProblem(typed.trim())
          return error === undefined ? true : `the key ${error}`
        },
      })
  const apiKey = input.trim()
  const error = apiKeyProblem(apiKey)
  if (error !== undefined) throw new CallyardError('usage', `the API key ${error}; nothing was saved`)
  return apiKey
}

/** A terminal shows what is typed; the prompt does not. */
function refuseTerminal({ host }: Context): void {
  if (!host.stdin.isTerminal) return
  throw new CallyardError('usage', '--api-key-stdin requires piped input: a terminal would show the key', {
    hint: 'pipe the key, or remove --api-key-stdin to be prompted',
  })
}

/** A passphrase can be guessed by anyone who reads the settings, so it has to be long. */
const minPassphraseLength = 12

/**
 * Encrypts a key with a new passphrase, which is entered twice.
 * @throws CallyardError `usage` without a terminal
 */
export async function encryptWithNewPassphrase(
  apiKey: string,
  profile: { readonly baseUrl: string; readonly limits?: Limits | undefined },
  context: Context,
): Promise<Profile['apiKey']> {
  assertTerminal('encrypt', context)
  const { prompts } = context
  const flag = 'passphrase'
  const passphrase = await prompts.secret({
    message: `New passphrase (at least ${minPassphraseLength} characters)`,
    flag,
    validate: typed =>
      typed.length >= minPassphraseLength || `use at least ${minPassphraseLength} characters`,
  })
  await prompts.secret({
    message: 'New passphrase again',
    flag,
    validate: typed => typed === passphrase || 'the passphrases differ',
  })
  return (await loadEncryption()).encryptKey(apiKey, passphrase, profile)
}
