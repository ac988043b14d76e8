import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RequestedCall } from '../../../calls/log/index.ts'
import {
  type CalledService,
  type CallRequest,
  calledService,
  callParams,
  chooseAssistant,
  describeNumberProblem,
  type PlacedCall,
  phoneNumberReader,
} from '../../../calls/place/index.ts'
import { doNotCallFile } from '../../../files/formats/batch.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isObject } from '../../../lib/json.ts'
import { toJsonDocument } from '../../../lib/text/escape.ts'
import { bold, dim, type Text, text, whole } from '../../../lib/text/text.ts'
import { listNames } from '../../../project/apply/index.ts'
import type { Context } from '../../shell/context.ts'
import { noteNext } from '../../shell/render/next-steps.ts'
import { agreeToAccess } from '../consent.ts'
import { printWarnings, showWarnings } from '../warnings.ts'
import { confirmCall } from './confirm-call.ts'
import type { PlaceCallOptions } from './flags.ts'
import { placeRecorded, recordCall } from './log-call.ts'
import { warnOfUnusedVariables } from './unused-variables.ts'

type ChosenAssistant = Awaited<ReturnType<typeof chooseAssistant>>

type ParsedField = { readonly value: string } | { readonly problem: string; readonly hint?: string }

/** A value of a call that a flag gives, or a person enters. */
export interface Field {
  readonly flag: string
  /** The question to a person. */
  readonly message: string
  /** Instruction, shown before the prompt and if nothing was entered. */
  readonly instruction?: string | undefined
  /** The value of the flag. */
  readonly value: string | undefined
  read(text: string): ParsedField
}

/** Request as shown to a person. */
interface Described {
  /** For the confirmation: label → value. */
  readonly facts: Readonly<Record<string, string>>
  /** From whom to whom, for the result. */
  readonly route: string
}

/** Checked input of a request. */
export interface CallDraft {
  /** The values of the two fields. */
  readonly values: readonly [string, string]
  readonly options: PlaceCallOptions
  /** Undefined until a person has chosen it. */
  readonly assistant: ChosenAssistant | undefined
  /** Undefined for a dry run. */
  readonly service: CalledService | undefined
  readonly follow: typeof import('./follow.ts') | undefined
}

/**
 * Checks everything that can be checked before the first prompt, and prompts for missing values.
 * @throws CallyardError `usage` for an invalid value, and for missing flags if prompting is impossible
 */
export async function draftCall(
  fields: readonly [Field, Field],
  flags: PlaceCallOptions,
  context: Context,
): Promise<CallDraft> {
  const follow = flags.follow === true ? await import('./follow.ts') : undefined
  await follow?.assertFollowable(flags, context)
  const missing = missingFlags(fields, context)
  const isNamed = flags.assistant !== undefined || flags.assistantId !== undefined
  const assistant = isNamed ? await choose(flags, context) : undefined
  const service = flags.dryRun === true ? undefined : await calledService(context)
  const [first, second] = fields
  const values = [await answerTo(first, context), await answerTo(second, context, first)] as const
  const asks = assistant === undefined && (missing.length > 0 || follow !== undefined)
  const options = asks ? await askForAssistant(flags, context) : flags
  return { values, options, assistant, service, follow }
}

/** Places a call after a person has confirmed it; shows it to its end with --follow. */
export async function placeDraftedCall(
  draft: CallDraft,
  request: CallRequest,
  { facts, route }: Described,
  context: Context,
): Promise<void> {
  const { output } = context
  const { options, service, follow } = draft
  const { fields, masked, shown = numbersDefault, file } = draft.assistant ?? (await choose(options, context))
  const params = await callParams(options, context)
  printWarnings(params.diagnostics, context)
  if (options.var !== undefined && file !== undefined) {
    await warnOfUnusedVariables(options.var, { file, overrides: params.sent.assistantOverrides }, context)
  }
  const body = { ...request.body, ...fields, ...params.sent }
  if (service === undefined) {
    const visible = options.showSecrets === true ? body : { ...request.body, ...masked, ...params.shown }
    return printRequest(request.path, visible, context)
  }
  await assertMayCall(draft.values[1], options, context)
  await follow?.warnOfListener(options, service, context)
  await agreeToAccess(context)
  await confirmCall(service, { Assistant: shown, ...facts }, { yes: options.yes }, context)
  const place = async (sent: CallRequest['body']) => {
    // JSON output does not include it. The log is written meanwhile, and the call takes the connection.
    const asking = output.json ? false : service.isSandbox().catch(() => false)
    const record = await recordCall(requestedCall(draft, params.shown, context), options, context)
    const placed = await placeRecorded(
      record,
      context.api(),
      { way: request.way, body: sent },
      { isFollowed: follow !== undefined },
    )
    const isSandbox = await asking
    if (follow !== undefined && placed.id === undefined)
      output.warn('the response has no call id', 'its events are still received and shown')
    const where = `on ${service.name}${isSandbox ? ': no phone rings' : ''}`
    const said = text`${placedText(placed)} ${dim(route)}\n${where}`
    return { response: placed.response, text: said, onEnd: record.ended }
  }
  if (follow !== undefined) return follow.showFollowedCall(body, options, place, context)
  const { response, text: human } = await place(body)
  output.result(response, () => human)
  noteNext(output, 'to watch a call, pass --follow; to receive events: callyard webhook tail')
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

/** Returns what the call log records of a call before it is placed. */
function requestedCall(
  { values: [from, to], options, service }: CallDraft,
  { assistantOverrides }: Awaited<ReturnType<typeof callParams>>['shown'],
  { resolve }: Context,
): RequestedCall {
  const { assistant, assistantId, record } = options
  const { name = '', baseUrl = '' } = service ?? {}
  const variables = assistantOverrides?.dynamicVariables
  const values = isObject(variables) ? variables : {}
  return {
    profile: name === baseUrl ? null : name,
    service: baseUrl,
    from,
    to,
    assistant: assistant ?? assistantId ?? null,
    variables: Object.keys(values),
    values,
    recording: record === undefined ? null : resolve(record),
  }
}

/** Creates a field for a phone number in E.164 form. With `allowAny`, accepts any number unchanged. */
export async function phoneNumberField(allowAny = false): Promise<Pick<Field, 'instruction' | 'read'>> {
  if (allowAny) return { read: text => (text === '' ? { problem: 'a number is needed' } : { value: text }) }
  const readNumber = await phoneNumberReader()
  return {
    instruction: 'Enter a number with its country code, such as +12025550100',
    read(written) {
      const read = readNumber(written)
      if ('number' in read) return { value: read.number }
      const { problem, readings } = read
      const described = describeNumberProblem(problem, { written, readings })
      return {
        problem: described.message,
        hint: `${described.hint}; to skip this check, pass --allow-any-number`,
      }
    },
  }
}

const numbersDefault = 'the default assistant of the number'

async function choose(options: PlaceCallOptions, context: Context): Promise<ChosenAssistant> {
  const chosen = await chooseAssistant(options, context)
  printWarnings(chosen.diagnostics, context)
  showWarnings(chosen.warnings, context)
  return chosen
}

function placedText({ id, status }: PlacedCall): Text {
  return id === undefined ? text`Call ${status}` : text`Call ${bold(id)} ${status}`
}

/**
 * Returns the flags that a person is to be asked for. All fields are checked before the first question.
 * @throws CallyardError `usage` for a value that does not pass, and for missing flags if nobody can be asked
 */
function missingFlags(fields: readonly Field[], { prompts }: Context): string[] {
  for (const field of fields) if (field.value !== undefined) read(field, field.value)
  const missing = fields.flatMap(({ flag, value }) => (value === undefined ? [flag] : []))
  if (missing.length === 0 || prompts.available) return missing
  const are = missing.length === 1 ? 'is' : 'are'
  throw new CallyardError('usage', `${missing.join(' and ')} ${are} missing`, { details: { missing } })
}

/** An instruction that the `previous` question has shown is not repeated. */
async function answerTo(field: Field, { prompts, output }: Context, previous?: Field): Promise<string> {
  const { flag, message, instruction, value } = field
  if (value !== undefined) return read(field, value)
  const isShown = previous?.value === undefined && previous?.instruction === instruction
  if (instruction !== undefined && !isShown) output.note(dim(instruction), { isRequested: true })
  const validate = (entered: string) => {
    const parsed = field.read(entered)
    if ('value' in parsed) return true
    return (entered.trim() === '' ? instruction : undefined) ?? parsed.problem
  }
  return read(field, await prompts.text({ message, flag, validate }))
}

function read(field: Field, entered: string): string {
  const parsed = field.read(entered)
  if ('value' in parsed) return parsed.value
  throw new CallyardError('usage', `${field.flag}: ${parsed.problem}`, { hint: parsed.hint })
}

/** Asks who talks. A followed call needs a file. */
async function askForAssistant(options: PlaceCallOptions, context: Context): Promise<PlaceCallOptions> {
  const known = await listNames('assistant', options, context)
  const choices = options.follow === true ? known : [...known, numbersDefault]
  if (known.length === 0) return options
  const assistant = await context.prompts.select({ message: 'Assistant', flag: '--assistant', choices })
  return assistant === numbersDefault ? options : { ...options, assistant }
}

/** Prints the request that would be sent. */
function printRequest(path: string, body: CallRequest['body'], { output }: Context): void {
  output.result(
    { method: 'POST', path, body },
    () => text`${bold(`POST ${path}`)}\n${whole(toJsonDocument(body))}`,
  )
  output.note('Nothing was sent.')
}
