import { isUtf8 } from 'node:buffer'
import { Argument } from '@commander-js/extra-typings'
import { calledService } from '../../calls/place/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { parseJson } from '../../lib/json.ts'
import { count } from '../../lib/text/count.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { escapeJsonText, toJsonLine } from '../../lib/text/escape.ts'
import { indentJsonText } from '../../lib/text/indent-json.ts'
import { bold, join, type Text, whole } from '../../lib/text/text.ts'
import { parseBaseUrl, type RawResponse, writesBelowCalls } from '../../service/api/index.ts'
import { readServiceRules, requireConnection } from '../../service/profile/index.ts'
import { suggest } from '../shell/advice.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { yesFlag } from '../shell/flags/flag.ts'
import { confirmCall } from './call/confirm-call.ts'
import { readJsonFlag } from './read-json-flag.ts'

export const apiCommand = defineCommand({
  description: 'Make an authenticated request to the service',
  examples: [
    'callyard api GET /assistants/v1/assistants/6650f0c2',
    `callyard api PATCH /assistants/v1/tools/6650f0c2 --body '{"async":true}'`,
  ],
  effect: 'calls',
  flags: command =>
    command
      .addArgument(new Argument('<METHOD>', 'HTTP method').choices(methods).argParser(checkMethod))
      .argument('<path>', 'Path of the request, such as /assistants/v1/assistants')
      .option('--body <json>', 'Request body as JSON, @file, or @- for stdin')
      .addOption(yesFlag('Send a request below /calls/ without confirmation'))
      .option('-i, --include', 'Also print the response status and headers'),
  result: ({ z, required }) => ({ document: required(z.unknown(), 'The response of the service') }),
  /** `api`: sends one request as typed and prints the response, whose status determines the exit code. */
  async run({ body, yes = false, include = false }, context, [method, givenPath]) {
    if (body !== undefined && ['GET', 'HEAD'].includes(method)) {
      throw new CallyardError('usage', `${method} requests cannot have --body`)
    }
    const { baseUrl } = requireConnection(await context.settings())
    const base = parseBaseUrl(baseUrl)
    const path = pathBelow(base, givenPath)
    const json = body === undefined ? undefined : await readJsonFlag(body, '--body', context)
    const url = new URL(`${base.origin}${base.pathname}${path}`)
    const isCall = writesBelowCalls({ method, url })
    if (isCall) await assertUnlimited(baseUrl, context)
    if (isCall)
      await confirmCall(await calledService(context), { Request: `${method} ${path}` }, { yes }, context)
    const response = await context.api().request({ method, path, json })
    show(response, include, context)
    if (response.failure !== undefined) throw response.failure
  },
})

const methods: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Calls that count are in the call log, and those of `api` are not. @throws CallyardError `usage` */
async function assertUnlimited(baseUrl: string, { env }: Context): Promise<void> {
  const { limits } = await readServiceRules(baseUrl, env)
  if (limits.length === 0) return
  throw new CallyardError('usage', 'calls to this service are limited; api does not place them', {
    ...suggest`use ${['call', 'start']} or ${['call', 'connect']}`,
    details: { outcome: 'not-sent' },
  })
}

function checkMethod(methodArg: string): string {
  const method = methodArg.toUpperCase()
  if (methods.includes(method)) return method
  throw new CallyardError('usage', `unsupported method ${methodArg}`, {
    hint: meantHint(didYouMean(method, methods)) ?? `use one of ${methods.join(', ')}`,
  })
}

/** The path to append to the base URL. A whole address is fine when it lies below the base URL. */
function pathBelow(base: URL, pathArg: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(pathArg)) return pathArg.startsWith('/') ? pathArg : `/${pathArg}`
  const url = URL.canParse(pathArg) ? new URL(pathArg) : undefined
  const prefix = base.pathname.replace(/\/+$/, '')
  if (url === undefined || url.origin !== base.origin || !url.pathname.startsWith(`${prefix}/`)) {
    const where = url?.origin ?? 'that address'
    throw new CallyardError('usage', `${where} is not below the base URL ${base.origin}${prefix}`, {
      hint: 'the key is sent only to the base URL; use a path such as /assistants/v1/assistants',
    })
  }
  return url.pathname.slice(prefix.length) + url.search
}

function show(answer: RawResponse, include: boolean, { output }: Context): void {
  const { status, headers, body, bytes } = answer
  const json = parseJson(body) !== undefined ? escapeJsonText(body) : undefined
  const isBinary = json === undefined && !isUtf8(bytes)
  if (output.json) {
    const other = isBinary ? { base64: Buffer.from(bytes).toString('base64') } : body
    const document = json ?? (body === '' ? 'null' : toJsonLine(other))
    const head = `{"status":${status},"headers":${toJsonLine(headers)},"body":`
    output.data(include ? `${head}${document}}\n` : `${document}\n`)
    return
  }
  if (json === undefined && !include && output.bytes(bytes)) return
  const kind = headers['content-type'] ?? 'unknown type'
  const size = `${count(bytes.byteLength, 'byte')} of ${kind}, not shown; redirect stdout to a file to save them`
  const bodyText = json === undefined ? (isBinary ? size : body) : indentJsonText(json)
  const parts: Text[] = include ? [headText(answer)] : []
  if (bodyText !== '') parts.push(whole(bodyText))
  if (parts.length > 0) output.result(undefined, () => join(parts, '\n\n'))
}

function headText({ status, headers }: RawResponse): Text {
  const lines = Object.entries(headers).map(([name, value]) => whole(name, ': ', value))
  return join([bold(`HTTP ${status}`), ...lines])
}
