import type { Command, OptionValues } from '@commander-js/extra-typings'
import { apiKeyProblem } from '../../api/index.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isLoopback } from '../../lib/net/address.ts'
import type { LlmServer } from '../../sandbox/index.ts'
import type { Context } from '../context.ts'
import type { NoOptions, OptionsOf } from './flag.ts'

/** The key of --llm-url; there is no flag, so that no process list shows it. */
const keyVariable = 'CALLWRIGHT_LLM_API_KEY'
const example = 'for example http://127.0.0.1:11434/v1, which /chat/completions is appended to'

/** The options of every command that runs calls on this machine: which model speaks for the assistant. */
export function withLlmFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--llm-url <url>', 'OpenAI-compatible server for replies (default: FAQ)')
    .option('--llm-model <name>', "Model of that server, instead of the assistant's own")
}

export type LlmOptions = OptionsOf<typeof withLlmFlags<[], NoOptions>>

/**
 * The model server that the options and CALLWRIGHT_LLM_API_KEY ask for; undefined without --llm-url.
 * @throws CallwrightError `usage` for a URL that is none or carries credentials or a query, for a model without a server, for a key
 * that cannot be sent or would travel in clear
 */
export function resolveLlm(
  { llmUrl, llmModel }: LlmOptions,
  { env }: Pick<Context, 'env'>,
): LlmServer | undefined {
  if (llmUrl === undefined) {
    if (llmModel === undefined) return undefined
    throw new CallwrightError('usage', '--llm-model is given without a server', {
      hint: 'give --llm-url too',
    })
  }
  const url = parseLlmUrl(llmUrl)
  const key = env[keyVariable]
  return {
    url: url.origin + url.pathname.replace(/\/+$/, ''),
    ...(llmModel === undefined ? {} : { model: llmModel }),
    ...(key === undefined || key === '' ? {} : { apiKey: checkKey(key, url) }),
  }
}

/** A base URL as openai clients take it. What was given is not repeated: it may hold a password. */
function parseLlmUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CallwrightError('usage', '--llm-url is not an http:// or https:// URL', { hint: example })
  }
  if (url.username !== '' || url.password !== '') {
    throw new CallwrightError('usage', `--llm-url of ${url.host} has a user name or password in it`, {
      hint: `give the plain address; the key goes into ${keyVariable}`,
    })
  }
  if (/[?#]/.test(given)) {
    throw new CallwrightError('usage', `--llm-url of ${url.host} has a query or fragment`, { hint: example })
  }
  return url
}

function checkKey(key: string, url: URL): string {
  const error = apiKeyProblem(key)
  if (error !== undefined) {
    throw new CallwrightError('usage', `the key in ${keyVariable} ${error}`, { hint: 'copy the key again' })
  }
  if (url.protocol === 'https:' || isLoopback(url)) return key
  throw new CallwrightError('usage', `--llm-url ${url.origin} is not https, and ${keyVariable} is set`, {
    hint: `only https, or http on this machine, gets the key: it would travel in clear; or unset ${keyVariable}`,
  })
}
