import type { Context } from '../../cli/context.ts'
import { resolveJudge, resolveLlm, type TestModelOptions } from '../../cli/flags/llm-flags.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type ChatModel, createOpenAiModel } from '../../sandbox/index.ts'
import { type CassetteOptions, type Cassettes, openCassettes, type TestCase } from '../../scenario/index.ts'
import { InvalidInput } from '../../source/index.ts'
import { nothingRan } from './read-tests.ts'

/** Milliseconds after which a model that sends nothing is given up, where --timeout says no other time. */
const defaultTimeoutMs = 30_000

/**
 * The models of tests, by the flags: played from cassettes, asked with -u for what is not recorded, asked each time where a test is live.
 * `all` are the tests of the files, `wanted` those that are run.
 * @throws CallwrightError `usage` before anything runs where a server or an agreement is missing, InvalidInput for cassettes that cannot be read
 */
export async function openTestModels(
  { all, wanted }: { readonly all: readonly TestCase[]; readonly wanted: readonly TestCase[] },
  options: TestModelOptions,
  context: Context,
): Promise<Cassettes> {
  const { clock, signal, sending } = context
  const connect = connectBy(options, context)
  assertServers(wanted, options, context)
  const cassettes = await openCassettes({
    tests: all,
    variables: new Map(sending.flatMap(({ references }) => [...references.variables])),
    update: options.update === true,
    ...{ connect, clock, signal },
  })
  const { diagnostics } = cassettes
  if (diagnostics.some(({ severity }) => severity === 'error'))
    throw new InvalidInput(diagnostics, nothingRan)
  return cassettes
}

function connectBy(options: TestModelOptions, context: Context): CassetteOptions['connect'] {
  const llm = resolveLlm(options, context)
  const judge = resolveJudge(options, context)
  const { clock } = context
  const timeout = context.options.timeout ?? defaultTimeoutMs
  // A model that was asked knows what its server does not take.
  const models = new Map<string, ChatModel>()
  return (role, wish) => {
    const isTester = role === 'judge' || role === 'caller'
    const server = isTester ? judge : llm
    if (server === undefined) return undefined
    const { url: baseUrl, model = wish?.model ?? '', apiKey } = server
    const name = `${isTester} ${model}`
    const known = models.get(name) ?? createOpenAiModel({ baseUrl, model, apiKey, timeout, clock })
    models.set(name, known)
    return known
  }
}

function assertServers(wanted: readonly TestCase[], options: TestModelOptions, context: Context): void {
  const { llmUrl, update, yes } = options
  const live = wanted.find(({ model, skip }) => model === 'live' && skip === undefined)
  if (llmUrl === undefined && live !== undefined) {
    throw new CallwrightError('usage', `${live.file} is live, and no model server is given`, {
      hint: 'give --llm-url, for example http://127.0.0.1:11434/v1; or write model: recorded',
    })
  }
  if (update !== true) return
  if (llmUrl === undefined && wanted.some(({ model }) => model === 'recorded')) {
    throw new CallwrightError('usage', '-u asks a model, and no model server is given', {
      hint: 'give --llm-url, for example http://127.0.0.1:11434/v1',
    })
  }
  if (yes !== true && !context.prompts.available) {
    throw new CallwrightError('usage', '-u shows what the assistant says now, and asks before it records', {
      hint: '--yes records without asking; callwright cannot ask here',
      details: { missing: ['--yes'] },
    })
  }
}
