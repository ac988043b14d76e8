import { randomInt, randomUUID } from 'node:crypto'
import type { Context } from '../../cli/context.ts'
import { resolveLlm } from '../../cli/flags/llm-flags.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { type Text, text, yellow } from '../../lib/text/text.ts'
import { openProjectForSandbox, type SandboxProject } from '../../library/apply-project.ts'
import {
  type HttpFaults,
  type Log,
  readNumbers,
  type Sandbox,
  startSandbox,
  type WebhookFaults,
} from '../../sandbox/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { warnOf } from '../project/in-project.ts'
import type { ServiceOptions } from './flags.ts'

interface ServicePlace {
  readonly host: string
  readonly port: number
  /** The journal; undefined keeps nothing. */
  readonly data: string | undefined
  /** Folder of the project that it begins with. */
  readonly project: string | undefined
  readonly log: Log
}

export interface Service {
  readonly sandbox: Sandbox
  /** Of ids and faults, where one was given or made up. */
  readonly seed: number | undefined
  readonly vocabulary: Vocabulary
  /** How many resources of the project it began with. */
  readonly created: number
}

/** Starts the service as the flags say; the project's resources are there when this resolves. */
export async function openService(
  options: ServiceOptions,
  { project: folder, log, ...place }: ServicePlace,
  context: Context,
): Promise<Service> {
  const { clock, cwd } = context
  const llm = resolveLlm(options, context)
  const seed = seedOf(options)
  const around = (await context.settings()).vocabulary.value
  const project = folder === undefined ? undefined : await readProject(folder, around, context)
  const vocabulary = project?.vocabulary ?? around
  const { numbers } = options
  const sandbox = await startSandbox({
    ...place,
    pace: options.pace,
    numbers: numbers === undefined ? undefined : await readNumbers(numbers, { cwd, vocabulary }),
    vocabulary,
    clock,
    llm,
    modelTimeout: context.options.timeout,
    caller: options.caller,
    webhookFaults: options.fault,
    httpFaults: options.faultHttp,
    controlToken: options.control ? context.env.CALLWRIGHT_SANDBOX_TOKEN || undefined : false,
    seed,
    teamId: options.seed === undefined ? `team-${randomUUID()}` : undefined,
    log,
  })
  try {
    const created = (await project?.applyTo(sandbox.first))?.size ?? 0
    sandbox.first.keepAsBeginning()
    return { sandbox, seed, vocabulary, created }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

async function readProject(
  folder: string,
  vocabulary: Vocabulary,
  context: Context,
): Promise<SandboxProject> {
  const project = await openProjectForSandbox(folder, { ...context.files, vocabulary })
  warnOf(project.warnings, context)
  for (const file of project.files) context.willSend(file)
  // The sandbox calls the servers that the files name.
  await agreeToAccess(context, { service: false })
  return project
}

/** Faults come from a seed that is printed, so that a run can be repeated. */
function seedOf({ seed, fault, faultHttp }: ServiceOptions): number | undefined {
  return seed ?? (fault === undefined && faultHttp === undefined ? undefined : randomInt(2 ** 32))
}

export function faultsText(
  { fault, faultHttp }: Pick<ServiceOptions, 'fault' | 'faultHttp'>,
  { seed }: Pick<Service, 'seed'>,
): Text | undefined {
  if (fault === undefined && faultHttp === undefined) return undefined
  const lists = [
    ...(fault === undefined ? [] : [`to webhooks ${probabilities(fault)}`]),
    ...(faultHttp === undefined ? [] : [`to requests ${probabilities(faultHttp)}`]),
  ]
  return text`${yellow('Faults on request:')} ${lists.join('; ')}. --seed ${String(seed)} repeats them.`
}

function probabilities(faults: WebhookFaults | HttpFaults): string {
  return Object.entries(faults)
    .map(([name, probability]) => `${name}=${probability}`)
    .join(', ')
}
