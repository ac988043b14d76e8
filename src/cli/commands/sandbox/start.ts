import { once } from 'node:events'
import { type Command, Option } from '@commander-js/extra-typings'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError, getErrorReason } from '../../../lib/error.ts'
import { sandboxJournal } from '../../../lib/fs/user-folders.ts'
import { isLoopback, isLoopbackName } from '../../../lib/net/address.ts'
import { count } from '../../../lib/text/count.ts'
import { advice, bold, cyan, type Text, text, whole } from '../../../lib/text/text.ts'
import type { Sandbox } from '../../../sandbox/index.ts'
import { apiKeyProblem } from '../../../service/api/index.ts'
import { checkName, type Profile, saveRunProfile } from '../../../service/profile/index.ts'
import { openSandboxPage, type SandboxPage } from '../../../web/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context, Output } from '../../shell/context.ts'
import { Flag, type OptionsOf, portHints } from '../../shell/flags/flag.ts'
import { parseHttpUrl, parsePort } from '../../shell/flags/option-parsers.ts'
import { describePage, ownCommand } from '../../shell/render/next-steps.ts'
import { agreeToJournal } from './agree-to-records.ts'
import { dataHints, withServiceFlags } from './flags.ts'
import {
  describeEvent,
  faultsText,
  type ListenAddress,
  openService,
  resolveToken,
  tokenName,
} from './open-service.ts'

export const sandboxStartCommand = defineCommand({
  description: 'Run the service locally and save it as a profile',
  examples: [
    'callyard sandbox start --ui --caller live',
    'callyard sandbox start --fault duplicate=0.5,reorder,delay --seed 7',
  ],
  topics: [
    'sandbox',
    'sandbox-records',
    'sandbox-replies',
    'sandbox-fields',
    'sandbox-faults',
    'sandbox-control',
  ],
  effect: 'none',
  flags: withFlags,
  async result({ z, eventSchema, optional, required }) {
    const { sandboxEventSchemas } = await import('../../../sandbox/event-schemas.ts')
    const time = required(z.string(), 'ISO 8601', { format: 'date-time' })
    return {
      event: z.union([
        eventSchema('ready', {
          time,
          baseUrl: z.string(),
          apiKey: optional(z.string(), 'Missing if the environment gave it'),
          controlToken: optional(z.string(), 'Token of the control API'),
          seed: z.optional(z.int()),
        }),
        eventSchema('ui', { time, url: z.string() }),
        ...sandboxEventSchemas.map(schema => z.extend(schema, { time })),
      ]),
    }
  },
  /** Runs the service until the signal, then ends its calls and closes: exit 0. */
  async run(options, context) {
    const { env, output, signal } = context
    const log = withTimes(context)
    const address = listenOptions(options, env)
    if (options.saveProfile !== undefined) checkName(options.saveProfile)
    // Records in the settings folder were written by this user.
    if (options.data !== undefined) await agreeToJournal(options.data, context)
    let running: Sandbox | undefined
    const page = await openUi(options, context, () => running)
    const service = await openService(
      options,
      {
        ...address,
        page,
        data: journalFile(options, context),
        project: options.project,
        log: event => log.event(event, () => describeEvent(event)),
      },
      context,
    )
    const { sandbox, seed, vocabulary } = service
    running = sandbox
    const { baseUrl, apiKey, controlToken } = sandbox
    const profile = {
      baseUrl,
      apiKey,
      ...(controlToken === undefined ? {} : { controlToken }),
      ...(Object.keys(vocabulary).length === 0 ? {} : { vocabulary }),
    }
    let saved: SavedAs
    try {
      saved = await saveAs(profileName(options), profile, options, context)
      const ready = {
        kind: 'ready',
        baseUrl,
        // A key from the environment must not appear in logs.
        ...(address.apiKey === undefined ? { apiKey } : {}),
        ...(controlToken === undefined || options.allowRemote === true ? {} : { controlToken }),
        ...(seed === undefined ? {} : { seed }),
      }
      log.event(ready, () => text`The sandbox runs on\n  ${bold(baseUrl)}`)
      if (page !== undefined) describePage('The sandbox is', pageUrl(page, sandbox, options), log)
      if (!output.json) {
        const next = nextSteps(saved, options, { ...profile, address })
        const notes = [faultsText(options, service), controlText(sandbox, options), next]
        for (const note of notes) if (note !== undefined) output.note(note)
      }
      if (!signal.aborted) await once(signal, 'abort')
    } finally {
      await service.close().finally(async () => {
        await saved?.restore().catch(error => output.warn(getErrorReason(error)))
      })
    }
    if (signal.reason !== 'EPIPE') output.note('The sandbox has stopped.')
  },
  handlesSignal: () => true,
})

function withFlags(command: Command) {
  return withServiceFlags(
    command
      .addOption(
        new Flag('--host <address>', 'Address to listen on')
          .helpsWith({ 'sandbox-cannot-listen': 'pass another --host or --port' })
          .default('127.0.0.1'),
      )
      .option('--allow-remote', 'Allow --host to be a non-loopback address')
      .addOption(
        new Option('--public-url <url>', 'Public URL of the sandbox (default: from host and port)').argParser(
          parsePublicUrl,
        ),
      )
      .addOption(
        new Flag('--port <number>', 'Port to listen on; 0 for a free one')
          .helpsWith(portHints)
          .argParser(parsePort)
          .default(4010),
      )
      .addOption(
        new Flag('--data <file>', 'File for records (default: in the configuration folder)').helpsWith(
          dataHints('pass another file with --data, or --in-memory'),
        ),
      )
      .addOption(new Option('--in-memory', 'Do not keep records on disk').conflicts('data'))
      .option(
        '--save-profile <name>',
        'Profile name while it runs (default: sandbox; none with --in-memory or --port 0)',
      )
      .addOption(
        // Its address holds the token, and it is for browsers of this machine.
        new Option('--ui', 'Also show the sandbox in the browser').conflicts(['control', 'allowRemote']),
      )
      .addOption(
        new Option('--project <folder>', 'Seed the sandbox with the resources of a project').conflicts(
          'snapshot',
        ),
      ),
  )
}

function parsePublicUrl(text: string): string {
  return parseHttpUrl(text, 'http://sandbox.example.com:4010', 'Use a URL without a user name and password.')
}

type StartOptions = OptionsOf<typeof withFlags>

/** Adds an ISO 8601 `time` to each event. */
function withTimes({ output, clock }: Context): Output {
  return output.with({
    event(data, human) {
      const { kind, ...fields } = data
      output.event({ kind, time: new Date(clock.now()).toISOString(), ...fields }, human)
    },
  })
}

/** Returns the profile name of the sandbox. One in memory or at a random port has none by default, because it does not last. */
function profileName({ saveProfile, inMemory = false, port }: StartOptions): string | undefined {
  return saveProfile ?? (inMemory || port === 0 ? undefined : 'sandbox')
}

type SavedAs = Awaited<ReturnType<typeof saveAs>>

/**
 * Saves the sandbox as a profile while it runs; undefined if none is saved.
 * @throws CallyardError `conflict` for a given name that belongs to a service
 */
async function saveAs(
  name: string | undefined,
  profile: Profile,
  { saveProfile }: StartOptions,
  { env, output }: Context,
) {
  if (name === undefined) return undefined
  const saved = await saveRunProfile(env, name, profile, { shouldKeep: isOfService })
  for (const warning of saved.warnings) output.warn(warning)
  const other = saved.before?.baseUrl
  if (saved.kept === true) {
    if (saveProfile !== undefined)
      throw new CallyardError('conflict', `profile ${name} belongs to ${other} and was not changed`, {
        hint: 'pass another name to --save-profile',
      })
    output.warn(
      `profile ${name} belongs to ${other}, so this sandbox is not saved as a profile`,
      'to save it under another name, pass --save-profile <name>',
    )
    return undefined
  }
  if (other !== undefined && other !== profile.baseUrl)
    output.note(`Its profile replaces that of ${other} until it stops.`)
  return { ...saved, name }
}

interface ListenFlags {
  readonly host: string
  readonly port: number
  readonly allowRemote?: boolean | undefined
  readonly publicUrl?: string | undefined
  readonly control: boolean
}

/**
 * Returns the address and secrets. On loopback the key is generated, because that of the environment may belong to a service. With
 * remote access (docs/decisions/0013) both come from the environment, as in a container; without a token the control API is off.
 * @throws CallyardError `usage` for a non-loopback address without --allow-remote, and for a secret that can be guessed
 */
export function listenOptions(
  { host, port, allowRemote = false, publicUrl, control }: ListenFlags,
  env: Environment,
): ListenAddress {
  const address = { host, port, publicUrl: publicUrl?.replace(/\/+$/, '') }
  if (!allowRemote) {
    if (isLoopbackName(host) && !host.endsWith('.localhost'))
      return { ...address, apiKey: undefined, controlToken: resolveToken(control, env) }
    const message = `${host} is not loopback: other machines may reach the sandbox there`
    const hint = 'leave --host out, or give --allow-remote if that is meant'
    throw new CallyardError('usage', message, { hint })
  }
  return {
    ...address,
    apiKey: secretOf('CALLYARD_API_KEY', env),
    controlToken: (control && secretOf(tokenName, env)) || false,
  }
}

const minSecretLength = 16

function secretOf(name: string, env: Environment): string | undefined {
  const secret = env[name]
  if (secret === undefined || secret === '') return undefined
  const problem = apiKeyProblem(secret)
  if (problem !== undefined) throw new CallyardError('usage', `the value of ${name} ${problem}`)
  if (secret.length >= minSecretLength) return secret
  throw new CallyardError(
    'usage',
    `${name} has ${count(secret.length, 'character')}; a sandbox with --allow-remote requires at least ${minSecretLength}`,
    { hint: `generate one: ${name}=$(openssl rand -hex 16)` },
  )
}

function controlText({ baseUrl, controlToken }: Sandbox, { allowRemote }: StartOptions): Text | undefined {
  if (controlToken === undefined) return undefined
  const token = allowRemote === true ? 'of CALLYARD_SANDBOX_TOKEN' : controlToken
  return text`Control API for tests: ${baseUrl}/__sandbox/, token ${token}`
}

/** The page of `--ui`; undefined without it. */
async function openUi(
  options: StartOptions,
  context: Context,
  running: () => Sandbox | undefined,
): Promise<SandboxPage | undefined> {
  if (options.ui !== true) return undefined
  const profile = profileName(options) ?? 'sandbox'
  const named = profile === 'sandbox' ? '' : ` --profile ${profile}`
  const { openSandboxFigures } = await import('./page-figures.ts')
  return openSandboxPage({
    figures: await openSandboxFigures(running),
    command: ownCommand(`call start --from +12025550100 --to +12025550123${named}`, context),
    pageCommand: ownCommand('sandbox start --ui', context),
  })
}

/** Returns the URL of the page on this machine, even with --public-url. Browsers do not send the part after #. */
function pageUrl(
  { path }: SandboxPage,
  { port, controlToken = '' }: Sandbox,
  { host }: StartOptions,
): string {
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return `${origin}${path}#token=${encodeURIComponent(controlToken)}`
}

function journalFile({ inMemory, data }: StartOptions, { env, resolve }: Context): string | undefined {
  if (inMemory === true) return undefined
  return data === undefined ? sandboxJournal(env) : resolve(data)
}

/** A profile that a person made for a service elsewhere, whose key would be lost. */
function isOfService({ baseUrl }: Profile): boolean {
  return !URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl))
}

function nextSteps(
  saved: SavedAs,
  { data, inMemory }: StartOptions,
  { baseUrl, apiKey, address }: Profile & { readonly address: ListenAddress },
): Text {
  const location = inMemory === true ? 'memory only' : data
  const where = location === undefined ? '' : `Records are kept in ${location}. `
  if (saved === undefined) {
    // No profile has its key, so it is printed unless it came from the environment.
    const key = address.apiKey === undefined ? [`CALLYARD_API_KEY=${apiKey}`] : []
    const exports = [`CALLYARD_BASE_URL=${baseUrl}`, ...key].map(
      variable => text`\n  ${cyan(whole(`export ${variable}`))}`,
    )
    return text`${where}No profile is saved: --save-profile <name> saves one. Ctrl-C stops it.\nNext, in another terminal:${exports}`
  }
  const { name, current } = saved
  const [use, flag] = current === name ? [', which is in use', ''] : ['', ` --profile ${name}`]
  const command = cyan(`callyard apply${flag}`)
  const next = advice(text`Next, in another terminal, in a project (callyard init): ${command}`)
  return text`${where}While it runs it is the profile ${bold(name)}${use}. Ctrl-C stops it.\n${next}`
}
