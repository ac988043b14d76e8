import { apiKeyProblem, maskKey, parseBaseUrl } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { check } from '../../interface/check.ts'
import { type Vocabulary, vocabularySchema } from '../../interface/vocabulary.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, text } from '../../lib/text/text.ts'
import { checkName, type Profile, readProfiles, saveProfile } from '../../profile/index.ts'
import { InvalidInput, readSource } from '../../source/index.ts'

export interface AddProfileOptions {
  readonly name: string
  readonly apiKeyStdin?: boolean
  readonly vocabulary?: string
  readonly force?: boolean
}

/** `profile add`: the key comes from a hidden prompt or stdin, never from argv. */
export async function addProfile(options: AddProfileOptions, context: Context): Promise<void> {
  const { name } = options
  checkName(name)
  if (options.apiKeyStdin === true) refuseTerminal(context)
  const { profiles } = await readProfiles(context.env)
  const existing = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (existing !== undefined && options.force !== true) await askToReplace(name, context)

  const given =
    options.vocabulary === undefined ? undefined : await readVocabulary(options.vocabulary, context)
  const baseUrl = await readBaseUrl(context)
  const apiKey = await readKey(options, context)
  const vocabulary = given ?? (existing?.baseUrl === baseUrl ? existing.vocabulary : undefined)
  const profile: Profile = { baseUrl, apiKey, ...(vocabulary === undefined ? {} : { vocabulary }) }
  const { replaced, current, warnings } = await saveProfile(context.env, name, profile)

  for (const warning of warnings) context.output.warn(warning)
  const inUse = current === name
  context.output.result(
    { name, ...profile, apiKey: maskKey(apiKey), inUse, replaced },
    () =>
      text`${replaced ? 'Replaced' : 'Saved'} profile ${bold(name)} for ${baseUrl}${inUse ? '; it is in use' : ''}`,
  )
  if (!inUse) context.output.note(text`To use it: ${bold(`callwright profile use ${name}`)}`)
}

/** A terminal shows what is typed; the prompt does not. */
function refuseTerminal({ inputIsTerminal }: Context): void {
  if (!inputIsTerminal) return
  throw new CallwrightError('usage', 'stdin is a terminal, which would show the API key as it is typed', {
    hint: 'pipe the key in, or leave --api-key-stdin out to be asked',
  })
}

async function askToReplace(name: string, { prompts }: Context): Promise<void> {
  if (!prompts.available) {
    throw new CallwrightError('usage', `there is a profile ${name} already`, { hint: '--force replaces it' })
  }
  if (await prompts.confirm({ message: `Replace profile ${name}?`, flag: '--force', default: false })) return
  throw new CallwrightError('cancelled', `cancelled; profile ${name} is as it was`)
}

/** The base URL as it is kept: normalised, without a slash at its end. */
async function readBaseUrl({ options, prompts }: Context): Promise<string> {
  const given =
    options.baseUrl ??
    (await prompts.text({
      message: 'Base URL of the service',
      flag: '--base-url',
      validate: answer => flawOf(() => parseBaseUrl(answer)) ?? true,
    }))
  return parseBaseUrl(given.trim()).href.replace(/\/+$/, '')
}

async function readKey({ apiKeyStdin }: AddProfileOptions, context: Context): Promise<string> {
  const answer =
    apiKeyStdin === true
      ? await context.readInput()
      : await context.prompts.secret({
          message: 'API key (from the API keys section of the service’s dashboard)',
          flag: '--api-key-stdin',
          validate: typed => {
            const error = apiKeyProblem(typed.trim())
            return error === undefined ? true : `the key ${error}`
          },
        })
  const apiKey = answer.trim()
  const error = apiKeyProblem(apiKey)
  if (error !== undefined) throw new CallwrightError('usage', `the API key ${error}; nothing was saved`)
  return apiKey
}

async function readVocabulary(file: string, { cwd }: Context): Promise<Vocabulary> {
  const source = await readSource(file, { cwd })
  const findings = source.value === undefined ? [] : check(vocabularySchema, source.value)
  const diagnostics = [
    ...source.diagnostics,
    ...findings.map(finding => ({
      ...finding,
      file: source.file,
      position: source.positionOf(finding.path, finding.at),
    })),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new InvalidInput(diagnostics)
  return vocabularySchema.parse(source.value)
}

function flawOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof CallwrightError)
      return [error.message, error.hint].filter(part => part !== undefined).join('; ')
    throw error
  }
}
