import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isLoopback } from '../../../lib/net/address.ts'
import type { LlmServer } from '../../../sandbox/index.ts'
import { apiKeyProblem } from '../../../service/api/index.ts'
import { suggest } from '../advice.ts'
import { Flag, type NoOptions, type OptionsOf, yesFlag } from './flag.ts'

/** Flags of a model server and the variable of its key, which has no flag because process lists would show it. */
const llm = { url: '--llm-url', model: '--llm-model', keyVariable: 'CALLYARD_LLM_API_KEY' }
const judge = { url: '--judge-url', model: '--judge-model', keyVariable: 'CALLYARD_JUDGE_API_KEY' }
type ServerFlags = typeof llm

const example = 'for example http://127.0.0.1:11434/v1, which /chat/completions is appended to'

/** The options of every command that runs calls on this machine: which model speaks for the assistant. */
export function withLlmFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--llm-url <url>', 'OpenAI-compatible server for replies (default: FAQ)')
    .option('--llm-model <name>', "Model to request instead of the assistant's own")
}

export type LlmOptions = OptionsOf<typeof withLlmFlags<[], NoOptions>>

/** Adds the model flags of tests: which models are asked, and whether their responses are recorded. */
export function withTestModelFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(
      new Flag('-u, --update', 'Record missing model responses').helpsWith({
        'torn-line': suggest`run ${['test', '-u']} to rewrite the file and record what is missing`,
        'foreign-line': suggest`delete it, or run ${['test', '-u']} to rewrite the file and record what is missing`,
        'other-version': suggest`upgrade callyard, or record again: ${['test', '-u']}`,
        'unused-cassette': suggest`remove it: ${['test', '-u']}`,
        'cassette-locked': suggest`wait until it has finished, then run ${['test', '-u']} again`,
      }),
    )
    .addOption(yesFlag('Write recordings without confirmation'))
    .option('--llm-url <url>', 'OpenAI-compatible server for -u and live tests')
    .option('--llm-model <name>', "Model to request instead of the assistant's own")
    .addOption(
      new Flag('--judge-url <url>', 'Server for judge and simulated caller (default: --llm-url)').rare(),
    )
    .addOption(
      new Flag('--judge-model <name>', 'Model of judge and simulated caller (default: --llm-model)').rare(),
    )
}

export type TestModelOptions = OptionsOf<typeof withTestModelFlags<[], NoOptions>>

/**
 * Returns the model server of the options and CALLYARD_LLM_API_KEY; undefined without --llm-url.
 * @throws CallyardError `usage` for an invalid URL or one with credentials or a query, a model without a server, or a key that cannot
 * be sent or would be sent in plain text
 */
export function resolveLlm(options: LlmOptions, env: Environment): LlmServer | undefined {
  return resolveServer({ url: options.llmUrl, model: options.llmModel }, llm, env)
}

/**
 * The server of what tests an assistant: the judge and the simulated caller. Without --judge-url it is the assistant's, with its key;
 * undefined without either.
 * @throws CallyardError `usage` as resolveLlm
 */
export function resolveJudge(
  { judgeUrl, judgeModel, ...options }: TestModelOptions,
  env: Environment,
): LlmServer | undefined {
  const assistant = resolveLlm(options, env)
  if (judgeUrl === undefined && assistant !== undefined)
    return { ...assistant, ...(judgeModel === undefined ? {} : { model: judgeModel }) }
  return resolveServer({ url: judgeUrl, model: judgeModel }, judge, env)
}

function resolveServer(
  { url: urlText, model }: Readonly<Record<'url' | 'model', string | undefined>>,
  flags: ServerFlags,
  env: Environment,
): LlmServer | undefined {
  if (urlText === undefined) {
    if (model === undefined) return undefined
    throw new CallyardError('usage', `${flags.model} requires ${flags.url}`, {
      hint: `give ${flags.url} too`,
    })
  }
  const url = parseServerUrl(urlText, flags)
  const key = env[flags.keyVariable]
  return {
    url: url.origin + url.pathname.replace(/\/+$/, ''),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined || key === '' ? {} : { apiKey: checkKey(key, url, flags) }),
  }
}

/** Parses a base URL as openai clients do. Errors do not repeat the value, which may contain a password. */
function parseServerUrl(urlText: string, { url: flag, keyVariable }: ServerFlags): URL {
  const url = URL.canParse(urlText) ? new URL(urlText) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CallyardError('usage', `${flag} is not an http:// or https:// URL`, { hint: example })
  }
  if (url.username !== '' || url.password !== '') {
    throw new CallyardError('usage', `${flag} of ${url.host} contains a user name or password`, {
      hint: `use the plain URL, and put the key into ${keyVariable}`,
    })
  }
  if (/[?#]/.test(urlText)) {
    throw new CallyardError('usage', `${flag} of ${url.host} has a query or fragment`, { hint: example })
  }
  return url
}

function checkKey(key: string, url: URL, { url: flag, keyVariable }: ServerFlags): string {
  const error = apiKeyProblem(key)
  if (error !== undefined) {
    throw new CallyardError('usage', `the key in ${keyVariable} ${error}`, { hint: 'copy the key again' })
  }
  if (url.protocol === 'https:' || isLoopback(url)) return key
  throw new CallyardError('usage', `${flag} ${url.origin} is not https, but ${keyVariable} is set`, {
    hint: `use https, or http on this machine, because the key would be sent in clear text; or unset ${keyVariable}`,
  })
}
