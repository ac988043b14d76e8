import { callPaths, parseBaseUrl } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import { bold, dim, join, type Text, text } from '../../lib/text/text.ts'
import { requireConnection } from '../../profile/index.ts'
import { listNames } from '../../project/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { callParams, chooseAssistant, warnOfUnusedVariables } from './call-params.ts'
import type { PlaceCallOptions } from './flags.ts'
import { assertFollowable, assertNotFollowed, followCall } from './follow.ts'

/** One of the two ways of placing a call. */
export interface CallRequest {
  readonly way: keyof typeof callPaths
  /** The part of the body that is not about the assistant. */
  readonly body: Readonly<Record<string, unknown>>
  /** For the question before it rings. */
  readonly facts: Readonly<Record<string, string>>
  /** From whom to whom, for the result. */
  readonly route: string
}

/** A request of which flags may be missing. */
export interface CallForm {
  /** Whether a person is asked for some of it: then for the assistant too. */
  readonly asks: boolean
  request(): Promise<CallRequest>
}

/** A call that was placed: the service's answer, and its id where there is one. */
interface Placed {
  readonly answer: Readonly<Record<string, unknown>>
  readonly id: string | undefined
  readonly status: string
}

type Send = (body: Readonly<Record<string, unknown>>, isFollowed: boolean) => Promise<Placed>

/** What can be said of the flags before anything is read or asked. @throws CallwrightError `usage` */
export async function checkFollow(options: PlaceCallOptions, context: Context): Promise<void> {
  if (options.follow === true) await assertFollowable(options, context)
  else assertNotFollowed(options)
}

/** Places a call, after a person has agreed where there is one; shows it to its end with --follow. */
export async function placeCall(
  form: CallForm,
  given: PlaceCallOptions,
  send: Send,
  context: Context,
): Promise<void> {
  const { output } = context
  if (given.showSecrets === true && given.dryRun !== true) {
    throw new CallwrightError('usage', '--show-secrets is about what --dry-run prints', {
      hint: 'give --dry-run too, or leave it out',
    })
  }
  // Everything that can fail by itself is settled before the first question.
  const named = namesAssistant(given) ? await chooseAssistant(given, context) : undefined
  const service = given.dryRun === true ? undefined : await namedService(context)
  const request = await form.request()
  const asks = named === undefined && (form.asks || given.follow === true)
  const options = asks ? await askForAssistant(given, context) : given
  const { fields, masked, shown, source } = named ?? (await chooseAssistant(options, context))
  const params = await callParams(options, context)
  if (options.var !== undefined && source !== undefined) {
    const { file } = source
    await warnOfUnusedVariables(options.var, { file, overrides: params.sent.assistantOverrides }, context)
  }
  const body = { ...request.body, ...fields, ...params.sent }
  if (service === undefined) {
    const visible = given.showSecrets === true ? body : { ...request.body, ...masked, ...params.shown }
    return printRequest(callPaths[request.way], visible, context)
  }
  await agreeToAccess(context, { yes: options.yes })
  await confirmCall({ service, facts: { Assistant: shown, ...request.facts }, yes: options.yes }, context)
  if (options.follow === true) {
    const place = async (followed: Readonly<Record<string, unknown>>) => {
      const placed = await send(followed, true)
      if (placed.id === undefined) {
        output.warn(
          'the answer has no id of the call',
          'its events come to an address of its own, and are shown',
        )
      }
      return { call: placed.answer, text: placedText(placed, request, service) }
    }
    return followCall(body, options, place, context)
  }
  const placed = await send(body, false)
  output.result(placed.answer, () => placedText(placed, request, service))
  noteNext(output, '--follow shows a call to its end; callwright webhook tail receives events')
}

function placedText({ id, status }: Placed, { route }: CallRequest, { name, isLocal }: NamedService): Text {
  const call = id === undefined ? text`Call ${status}` : text`Call ${bold(id)} ${status}`
  return text`${call} ${dim(route)}\non ${name}${isLocal ? ': no phone rings' : ''}`
}

const numbersDefault = 'the default assistant of the number'

/** Asks who talks. A followed call needs a file. */
async function askForAssistant(options: PlaceCallOptions, context: Context): Promise<PlaceCallOptions> {
  const known = await listNames('assistant', options, context)
  const choices = options.follow === true ? known : [...known, numbersDefault]
  if (known.length === 0) return options
  const assistant = await context.prompts.select({ message: 'Assistant', flag: '--assistant', choices })
  return assistant === numbersDefault ? options : { ...options, assistant }
}

function namesAssistant({ assistant, assistantId }: PlaceCallOptions): boolean {
  return assistant !== undefined || assistantId !== undefined
}

/** Prints the request that would be sent. */
function printRequest(path: string, body: Record<string, unknown>, { output }: Context): void {
  output.result({ method: 'POST', path, body }, () => text`${bold(`POST ${path}`)}\n${toJsonDocument(body)}`)
  output.note('Nothing was sent.')
}

interface Question {
  readonly service: NamedService
  /** What the call is made of: a word for each fact, and the fact. */
  readonly facts: Readonly<Record<string, string>>
  readonly yes: boolean | undefined
}

/**
 * Asks before a phone rings: on a terminal, and for a service that is not on this machine.
 * @throws CallwrightError `cancelled` for a no
 */
async function confirmCall({ service, facts, yes }: Question, context: Context): Promise<void> {
  const { prompts, output } = context
  if (yes === true || service.isLocal || !prompts.available) return
  const { name, baseUrl } = service
  const rows = Object.entries({
    Service: name === baseUrl ? baseUrl : `${name} (${baseUrl})`,
    ...facts,
  })
  const width = Math.max(...rows.map(([word]) => word.length))
  const lines = rows.map(([word, fact]) => text`${dim(word.padEnd(width))}  ${fact}`)
  output.note(join(lines, '\n'), { asked: true })
  if (await prompts.confirm({ message: 'Place this call?', flag: '--yes', default: false })) return
  throw new CallwrightError('cancelled', 'cancelled; no call was placed')
}

/** The service that a call is placed at, as a person knows it. */
interface NamedService {
  /** The profile that names it; else its base URL. */
  readonly name: string
  readonly baseUrl: string
  /** On this machine: a sandbox, where no phone rings. */
  readonly isLocal: boolean
}

/** @throws CallwrightError as requireConnection does */
async function namedService(context: Pick<Context, 'settings'>): Promise<NamedService> {
  const settings = await context.settings()
  const { baseUrl } = requireConnection(settings)
  const { profile, baseUrl: setting } = settings
  const byProfile = setting.from === 'profile' ? profile.value : undefined
  const url = parseBaseUrl(baseUrl)
  return { name: byProfile ?? baseUrl, baseUrl, isLocal: isLoopback(url) }
}

/** What a text from a flag or a person comes to. */
export type FormAnswer = { readonly value: string } | { readonly problem: string; readonly hint?: string }

export interface Field {
  readonly flag: string
  /** The question, where there is a person. */
  readonly message: string
  /** From the flag. */
  readonly given: string | undefined
  read(text: string): FormAnswer
}

export interface Form {
  /** Whether a person is asked for at least one of the fields. */
  readonly asks: boolean
  /** The value that was given, or that a person gives now. */
  answer(field: Field): Promise<string>
}

/**
 * The fields that a command needs. All of them are looked at before the first question.
 * @throws CallwrightError `usage` for a value that does not pass, and outside a terminal one that names all missing flags
 */
export function openForm(fields: readonly Field[], { prompts }: Pick<Context, 'prompts'>): Form {
  for (const field of fields) if (field.given !== undefined) read(field, field.given)
  const missing = fields.flatMap(({ flag, given }) => (given === undefined ? [flag] : []))
  if (missing.length > 0 && !prompts.available) {
    const are = missing.length === 1 ? 'is' : 'are'
    throw new CallwrightError('usage', `${missing.join(' and ')} ${are} missing`, { details: { missing } })
  }
  return {
    asks: missing.length > 0,
    answer: async field => read(field, field.given ?? (await ask(field, prompts))),
  }
}

function read(field: Field, text: string): string {
  const answer = field.read(text)
  if ('value' in answer) return answer.value
  throw new CallwrightError('usage', `${field.flag}: ${answer.problem}`, { hint: answer.hint })
}

async function ask(field: Field, prompts: Context['prompts']): Promise<string> {
  const { flag, message } = field
  return prompts.text({
    message,
    flag,
    validate: text => {
      const answer = field.read(text)
      return 'value' in answer || answer.problem
    },
  })
}

/**
 * Phone numbers as people write them, in E.164 form: `+1 (202) 555-0100` is `+12025550100`. With `allowAny` a number is
 * taken as it is.
 */
export async function phoneNumbers(allowAny: boolean): Promise<(text: string) => FormAnswer> {
  if (allowAny) return text => (text === '' ? { problem: 'a number is needed' } : { value: text })
  const { default: parse } = await import('libphonenumber-js')
  return text => {
    const parsed = parse(text.trim(), { extract: false })
    if (parsed?.isPossible() === true && parsed.ext === undefined) return { value: parsed.number }
    return {
      problem: `${JSON.stringify(text)} is not a phone number with its country code`,
      hint: 'write + and country code first: +12025550123; --allow-any-number skips this check',
    }
  }
}
