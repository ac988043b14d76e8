import { dirname } from 'node:path'
import type { Limits } from '../../src/service/profile/index.ts'
import { loadConf, loadEncryption } from '../../src/service/profile/index.ts'
import type { TestCli } from './test-cli.ts'

const { replaceProfile, saveProfile } = await loadConf()
const { encryptKey } = await loadEncryption()

export const passphrase = 'correct horse battery'

interface ProtectedOptions {
  readonly baseUrl: string
  readonly limits?: Limits | undefined
}

/**
 * Saves the profile `work` for a service, as `profile add` and `profile protect --require-approval` do, but with a key that opens quickly:
 * the real cost of a passphrase is close to a second.
 */
export async function saveProtectedProfile(
  env: Readonly<Record<string, string>>,
  { baseUrl, limits }: ProtectedOptions,
): Promise<void> {
  const before = { baseUrl, apiKey: 'key-of-the-profile' }
  await saveProfile(env, 'work', before)
  const apiKey = await encryptKey(before.apiKey, passphrase, { baseUrl, limits }, { n: 16, r: 1, p: 1 })
  const after = { baseUrl, apiKey, approval: 'required', ...(limits && { limits }) } as const
  await replaceProfile(env, 'work', { before, after })
}

/** Adds the protected profile `work` to the settings of commands in this process. */
export async function addProtectedProfile(
  cli: Pick<TestCli, 'run' | 'baseUrl'>,
  { baseUrl = cli.baseUrl, limits }: Partial<ProtectedOptions> = {},
): Promise<{ readonly config: string }> {
  const { stdout } = await cli.run('profile', 'show', '--json')
  const config: string = JSON.parse(stdout).configFile
  await saveProtectedProfile({ CALLYARD_CONFIG_DIR: dirname(config) }, { baseUrl, limits })
  return { config }
}
