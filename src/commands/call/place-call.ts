import { callPaths } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { CallwrightError } from '../../lib/error.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import { bold, dim, type Text, text, whole } from '../../lib/text/text.ts'
import { listNames } from '../../project/index.ts'
import { agreeToAccess } from '../in-project.ts'
import { callParams, chooseAssistant, numbersDefault, warnOfUnusedVariables } from './call-params.ts'
import { calledService, confirmCall } from './confirm-call.ts'
import type { PlaceCallOptions } from './flags.ts'

/** One of the two ways of placing a call, and what it asks for in its order. */
export interface CallForm {
  readonly way: keyof typeof callPaths
  readonly fields: readonly [Field, Field]
  /** Of what the flags give, or what a person gives now. */
  request(first: string, second: string): CallRequest
  /** The service's answer, and the id of the call where it has one. */
  send(
    body: Body,
    isFollowed: boolean,
  ): Promise<{ readonly answer: Body; readonly id: string | undefined; readonly status: string }>
}

interface Field {
  readonly flag: string
  /** The question, where there is a person. */
  readonly message: string
  /** What to enter: shown before the question, and where nothing was entered. */
  readonly instruction?: string | undefined
  /** From the flag. */
  readonly given: string | undefined
  read(text: string): FieldAnswer
}

type FieldAnswer = { readonly value: string } | { readonly problem: string; readonly hint?: string }

interface CallRequest {
  /** The part of the body that is not about the assistant. */
  readonly body: Body
  /** For the question before it rings: a word for each fact, and the fact. */
  readonly facts: Readonly<Record<string, string>>
  /** From whom to whom, for the result. */
  readonly route: string
}

type Body = Readonly<Record<string, unknown>>

/** Places a call, after a person has agreed where there is one; shows it to its end with --follow. */
export async function placeCall(form: CallForm, given: PlaceCallOptions, context: Context): Promise<void> {
  const { output } = context
  const follow = given.follow === true ? await import('./follow.ts') : undefined
  await follow?.assertFollowable(given, context)
  const missing = missingFlags(form.fields, context)
  // Everything that can fail by itself is settled before the first question.
  const isNamed = given.assistant !== undefined || given.assistantId !== undefined
  const named = isNamed ? await chooseAssistant(given, context) : undefined
  const service = given.dryRun === true ? undefined : await calledService(context)
  const [first, second] = form.fields
  const request = form.request(await answerTo(first, context), await answerTo(second, context, first))
  const asks = named === undefined && (missing.length > 0 || follow !== undefined)
  const options = asks ? await askForAssistant(given, context) : given
  const { fields, masked, shown, file } = named ?? (await chooseAssistant(options, context))
  const params = await callParams(options, context)
  if (options.var !== undefined && file !== undefined) {
    await warnOfUnusedVariables(options.var, { file, overrides: params.sent.assistantOverrides }, context)
  }
  const body = { ...request.body, ...fields, ...params.sent }
  if (service === undefined) {
    const visible = given.showSecrets === true ? body : { ...request.body, ...masked, ...params.shown }
    return printRequest(callPaths[form.way], visible, context)
  }
  await follow?.warnOfListener(options, service, context)
  await agreeToAccess(context, { yes: options.yes })
  if (options.yes !== true) await confirmCall(service, { Assistant: shown, ...request.facts }, context)
  const place = async (sent: Body) => {
    const [{ answer, id, status }, isSandbox] = await Promise.all([
      form.send(sent, follow !== undefined),
      // JSON output does not include it.
      !output.json && service.isSandbox(),
    ])
    if (follow !== undefined && id === undefined)
      output.warn('the answer has no id of the call', 'its events come to their own address, and are shown')
    const call = id === undefined ? text`Call ${status}` : text`Call ${bold(id)} ${status}`
    const where = `on ${service.name}${isSandbox ? ': no phone rings' : ''}`
    return { call: answer, text: text`${call} ${dim(request.route)}\n${where}` }
  }
  if (follow !== undefined) return follow.followCall(body, options, place, context)
  const placed = await place(body)
  output.result(placed.call, () => placed.text)
  noteNext(output, '--follow shows a call to its end; callwright webhook tail receives events')
}

/** A call that was placed: the service's answer, and how a person reads it. */
export interface PlacedCall {
  readonly call: Body
  readonly text: Text
}

/**
 * The flags that a person is to be asked for. All fields are looked at before the first question.
 * @throws CallwrightError `usage` for a value that does not pass, and outside a terminal one that names all missing flags
 */
function missingFlags(fields: readonly Field[], { prompts }: Pick<Context, 'prompts'>): string[] {
  for (const field of fields) if (field.given !== undefined) read(field, field.given)
  const missing = fields.flatMap(({ flag, given }) => (given === undefined ? [flag] : []))
  if (missing.length === 0 || prompts.available) return missing
  const are = missing.length === 1 ? 'is' : 'are'
  throw new CallwrightError('usage', `${missing.join(' and ')} ${are} missing`, { details: { missing } })
}

/** An instruction that the `previous` question has shown is not repeated. */
async function answerTo(
  field: Field,
  { prompts, output }: Pick<Context, 'prompts' | 'output'>,
  previous?: Field,
): Promise<string> {
  const { flag, message, instruction, given } = field
  if (given !== undefined) return read(field, given)
  const isShown = previous?.given === undefined && previous?.instruction === instruction
  if (instruction !== undefined && !isShown) output.note(dim(instruction), { asked: true })
  const validate = (text: string) => {
    const answer = field.read(text)
    if ('value' in answer) return true
    return (text.trim() === '' ? instruction : undefined) ?? answer.problem
  }
  return read(field, await prompts.text({ message, flag, validate }))
}

function read(field: Field, text: string): string {
  const answer = field.read(text)
  if ('value' in answer) return answer.value
  throw new CallwrightError('usage', `${field.flag}: ${answer.problem}`, { hint: answer.hint })
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
function printRequest(path: string, body: Body, { output }: Context): void {
  output.result(
    { method: 'POST', path, body },
    () => text`${bold(`POST ${path}`)}\n${whole(toJsonDocument(body))}`,
  )
  output.note('Nothing was sent.')
}

/**
 * Reads phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With `allowAny` a number is
 * taken as it is.
 */
export async function phoneNumbers(allowAny = false): Promise<Pick<Field, 'instruction' | 'read'>> {
  if (allowAny) return { read: text => (text === '' ? { problem: 'a number is needed' } : { value: text }) }
  const { default: parse } = await import('libphonenumber-js')
  const read: Field['read'] = text => {
    const parsed = parse(text.trim(), { extract: false })
    if (parsed?.isPossible() === true && parsed.ext === undefined) return { value: parsed.number }
    return {
      problem: `${JSON.stringify(text)} is not a phone number with its country code`,
      hint: 'write + and country code first: +12025550123; --allow-any-number skips this check',
    }
  }
  return { instruction: 'Enter a number with its country code, such as +12025550100', read }
}
