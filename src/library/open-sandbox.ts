import * as z from 'zod/mini'
import type { Vocabulary } from '../interface/vocabulary.ts'
import type { Clock } from '../lib/clock.ts'
import { isLoopback } from '../lib/net/address.ts'
import { startSandbox } from '../sandbox/index.ts'
import { createWebhookLog } from './call-result.ts'
import { checkOptions, schemaOfGiven, toPublicError } from './errors.ts'
import { createWorld, sandboxClosed } from './open-world.ts'
import { processRules } from './process-rules.ts'
import type { Sandbox, SandboxOptions } from './public-sandbox.ts'
import { CallyardError } from './public-types.ts'
import { sandboxFields, worldFields } from './sandbox-options.ts'

/** See `startSandbox` of the entry, which loads the clock: with it, before a test replaces the timers. */
export async function openSandbox(options: SandboxOptions = {}, clock: Clock): Promise<Sandbox> {
  // Their words depend on the vocabulary of the project.
  const fields = { ...sandboxFields, numbers: () => z.unknown() }
  checkOptions(schemaOfGiven(fields, options), options, 'startSandbox')
  const { pace = 0, frozen, seed, apiKey, llm, port = 0, allowHosts = [] } = options
  const allowedHosts = new Set(allowHosts.map(toHost))
  const rules = processRules(options)
  try {
    const project =
      options.project === undefined
        ? undefined
        : await (await import('./apply-project.ts')).openProjectForSandbox(options.project, {
            ...rules,
            vocabulary: options.vocabulary,
          })
    const vocabulary = project?.vocabulary ?? options.vocabulary ?? {}
    const numbers = readNumbers(options.numbers, vocabulary)
    const webhooks = createWebhookLog()
    const server = await startSandbox({
      pace,
      frozen,
      seed,
      apiKey,
      llm,
      env: rules.env,
      port,
      vocabulary,
      serviceVariables: project?.serviceVariables,
      numbers,
      clock,
      unref: true,
      allowHost: url => isLoopback(url) || allowedHosts.has(url.hostname) || allowedHosts.has(withPort(url)),
      onWebhook: webhooks.add,
    })
    const { baseUrl } = server
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= server.close()
      return closing
    }
    const shared = { baseUrl, project, isClosed: () => closing !== undefined }
    const first = await createWorld(server.first, { ...shared, webhooks, close }).catch(async error => {
      await close()
      throw error
    })
    return {
      ...first,
      controlToken: server.controlToken ?? '',
      async world(own = {}) {
        checkOptions(schemaOfGiven(worldFields, own), own, 'world')
        if (closing !== undefined) throw sandboxClosed('world')
        try {
          const webhooks = createWebhookLog()
          const inherited = { pace: own.pace ?? pace, frozen: own.frozen ?? frozen }
          const openedWorld = await server.world({ ...own, ...inherited, onWebhook: webhooks.add })
          return await createWorld(openedWorld, { ...shared, webhooks, close: openedWorld.close })
        } catch (error) {
          throw await toPublicError(error)
        }
      },
    }
  } catch (error) {
    throw await toPublicError(error)
  }
}

function readNumbers(numbers: SandboxOptions['numbers'], vocabulary: Vocabulary) {
  if (numbers === undefined) return undefined
  const schema = sandboxFields.numbers(vocabulary)
  checkOptions(z.strictObject({ numbers: schema }), { numbers }, 'startSandbox')
  return schema.parse(numbers)
}

/** `hooks.example.com` or `hooks.example.com:8443`, as a URL has it. @throws CallyardError for what is neither */
function toHost(host: string, index: number): string {
  const url = URL.canParse(`ws://${host}/`) ? new URL(`ws://${host}/`) : undefined
  if (url === undefined || /[/?#@\\]/.test(host)) {
    const field = `allowHosts[${index}]`
    throw new CallyardError('wrong-format', `startSandbox: ${field} is ${JSON.stringify(host)}`, {
      field,
      hint: 'pass a host, such as hooks.example.com, with or without a port',
    })
  }
  return /:\d+$/.test(host) ? withPort(url) : url.hostname
}

function withPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}
