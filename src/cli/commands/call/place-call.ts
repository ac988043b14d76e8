import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type CallRequest,
  type ChosenAssistant,
  calledService,
  callParams,
  chooseAssistant,
  type PlacedCall,
} from '../../../calls/place/index.ts'
import { doNotCallFile } from '../../../files/formats/batch.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isObject } from '../../../lib/json.ts'
import { toJsonDocument } from '../../../lib/text/escape.ts'
import { bold, dim, type Text, text, whole } from '../../../lib/text/text.ts'
import { listNames } from '../../../project/apply/index.ts'
import type { Context } from '../../shell/context.ts'
import { noteNext } from '../../shell/render/next-steps.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { agreeToAccess } from '../consent.ts'
import { printWarnings, showWarnings } from '../warnings.ts'
import { type Field, fillIn, missingFlags } from './call-fields.ts'
import { confirmCall } from './confirm-call.ts'
import type { PlaceCallOptions } from './flags.ts'
import { placeRecorded, recordCall } from './log-call.ts'
import { warnOfUnusedVariables } from './unused-variables.ts'

/** A request, and how a person reads it. */
interface DescribedRequest {
  readonly request: CallRequest
  /** For the confirmation: label → value. */
  readonly facts: Readonly<Record<string, string>>
  /** From whom to whom, for the result. */
  readonly route: string
}

/** Result of `call start` and `call connect`. */
export async function placeCallResult(builders: SchemaBuilders) {
  const { z, required } = builders
  return {
    document: z.union([
      z.object({
        method: required(z.literal('POST'), 'With --dry-run: the request'),
        path: z.string(),
        body: z.record(z.string(), z.unknown()),
      }),
      required(z.record(z.string(), z.unknown()), 'The call as the service returned it'),
    ]),
    /** With --follow. */
    event: await (await import('./follow.ts')).followEventSchema(builders),
  }
}

/**
 * Places a call after a person has confirmed it, and shows it to its end with --follow. Everything that can be checked is checked before
 * the first question.
 * @param fields of the caller and the called one
 * @throws CallyardError `usage` for an invalid value, and for missing flags if nobody can be asked; `cancelled` if declined
 */
export async function placeCall(
  fields: readonly [Field, Field],
  toRequest: (...values: readonly [string, string]) => DescribedRequest,
  flags: PlaceCallOptions,
  context: Context,
): Promise<void> {
  const { output, resolve } = context
  const follow = flags.follow === true ? await import('./follow.ts') : undefined
  await follow?.assertFollowable(flags, context)
  const missing = missingFlags(fields, context)
  const isNamed = flags.assistant !== undefined || flags.assistantId !== undefined
  const namedAssistant = isNamed ? await resolveAssistant(flags, context) : undefined
  const service = flags.dryRun === true ? undefined : await calledService(context)

  const from = await fillIn(fields[0], context)
  const to = await fillIn(fields[1], context, fields[0])
  const asksForAssistant = !isNamed && (missing.length > 0 || follow !== undefined)
  const options = asksForAssistant ? await askForAssistant(flags, context) : flags
  const { request, facts, route } = toRequest(from, to)

  const assistant = namedAssistant ?? (await resolveAssistant(options, context))
  const params = await callParams(options, context)
  printWarnings(params.diagnostics, context)
  if (options.var !== undefined && assistant.file !== undefined) {
    const texts = { file: assistant.file, overrides: params.sentParams.assistantOverrides }
    await warnOfUnusedVariables(options.var, texts, context)
  }
  const body = { ...request.body, ...assistant.fields, ...params.sentParams }

  if (service === undefined) {
    const visibleBody = { ...request.body, ...assistant.masked, ...params.maskedParams }
    return printRequest(request.path, options.showSecrets === true ? body : visibleBody, context)
  }

  await assertMayCall(to, options, context)
  await follow?.warnOfListener(options, service, context)
  await agreeToAccess(context)
  const shownFacts = { Assistant: assistant.label ?? defaultAssistant, ...facts }
  await confirmCall(service, shownFacts, { yes: options.yes }, context)

  const send = async (sentBody: CallRequest['body']) => {
    // JSON output does not include it. The log is written meanwhile, and the call takes the connection.
    const sandboxCheck = output.json ? false : service.isSandbox().catch(() => false)
    const variables = params.maskedParams.assistantOverrides?.dynamicVariables
    const values = isObject(variables) ? variables : {}
    const requested = {
      profile: service.name === service.baseUrl ? null : service.name,
      service: service.baseUrl,
      ...{ from, to, values, variables: Object.keys(values) },
      assistant: options.assistant ?? options.assistantId ?? null,
      recording: options.record === undefined ? null : resolve(options.record),
    }
    const record = await recordCall(requested, options, context)
    const placed = await placeRecorded(
      record,
      context.api(),
      { ...request, body: sentBody },
      { isFollowed: follow !== undefined },
    )
    const where = `on ${service.name}${(await sandboxCheck) ? ': no phone rings' : ''}`
    if (follow !== undefined && placed.id === undefined)
      output.warn('the response has no call id', 'its events are still received and shown')
    const placedLine = text`${placedText(placed)} ${dim(route)}\n${where}`
    return { response: placed.response, text: placedLine, onEnd: record.ended }
  }
  if (follow !== undefined) return follow.showFollowedCall(body, options, send, context)
  const sentBody = await send(body)
  output.result(sentBody.response, () => sentBody.text)
  noteNext(output, 'to watch a call, pass --follow; to receive events: callyard webhook tail')
}

const defaultAssistant = 'the default assistant of the number'

async function resolveAssistant(options: PlaceCallOptions, context: Context): Promise<ChosenAssistant> {
  const assistant = await chooseAssistant(options, context)
  printWarnings(assistant.diagnostics, context)
  showWarnings(assistant.warnings, context)
  return assistant
}

/** Asks who talks. A followed call needs a file. */
async function askForAssistant(options: PlaceCallOptions, context: Context): Promise<PlaceCallOptions> {
  const names = await listNames('assistant', options, context)
  const choices = options.follow === true ? names : [...names, defaultAssistant]
  if (names.length === 0) return options
  const assistant = await context.prompts.select({ message: 'Assistant', flag: '--assistant', choices })
  return assistant === defaultAssistant ? options : { ...options, assistant }
}

/** Prints the request that would be sent. */
function printRequest(path: string, body: CallRequest['body'], { output }: Context): void {
  output.result(
    { method: 'POST', path, body },
    () => text`${bold(`POST ${path}`)}\n${whole(toJsonDocument(body))}`,
  )
  output.note('Nothing was sent.')
}

/**
 * Asks before a person is called who is on the project's do-not-call list.
 * @throws CallyardError `usage` without --despite-opt-out, `cancelled` if declined
 */
async function assertMayCall(
  number: string,
  { despiteOptOut = false, yes = false }: PlaceCallOptions,
  context: Context,
): Promise<void> {
  const { project } = await context.settings()
  const folder = project === undefined ? context.cwd : dirname(project.file)
  if (!existsSync(join(folder, doNotCallFile))) return
  const { findOnDoNotCallList } = await import('../../../calls/batch/index.ts')
  const list = await findOnDoNotCallList(number, context)
  if (list === undefined) return
  if (!despiteOptOut) {
    throw new CallyardError('usage', `${number} is in ${list}; nobody was called`, {
      hint: 'if this person wants to be called anyway, pass --despite-opt-out',
    })
  }
  if (yes) return
  const message = `${number} is in ${list}. Call anyway?`
  if (!(await context.prompts.confirm({ message, flag: '--yes' })))
    throw new CallyardError('cancelled', 'cancelled; no call was placed')
}

function placedText({ id, status }: PlacedCall): Text {
  return id === undefined ? text`Call ${status}` : text`Call ${bold(id)} ${status}`
}
