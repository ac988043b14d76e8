import { InvalidInput } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isObject, mapValues, parseJson } from '../../../lib/json.ts'
import { withoutQuery } from '../../../lib/net/address.ts'
import { certificateHint } from '../../../lib/net/http.ts'
import { isSecretHeader, redacted } from '../../../lib/net/secrets.ts'
import { bold, join, type Text, text, whole } from '../../../lib/text/text.ts'
import { openTool, type TriedTool } from '../../../sandbox/index.ts'
import { createRedactor } from '../../../service/api/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Operand, withFileFlags, yesFlag } from '../../shell/flags/flag.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { agreeToAccess } from '../consent.ts'
import { readJsonFlag } from '../read-json-flag.ts'
import { checkResourceInProject, requestedFile } from '../resolve-args.ts'

export const toolTryCommand = defineCommand({
  description: "Send one tool call to a tool's server",
  examples: [
    `callyard tool try book --args '{"day": "2026-01-02"}'`,
    'callyard tool try tools/book.yaml --args @arguments.json --dry-run',
  ],
  topics: ['sandbox-replies', 'files', 'exit-codes'],
  effect: 'none',
  flags: command =>
    withFileFlags(
      command
        .addArgument(
          new Operand('<file>', 'YAML or JSON file of the tool or its name in the project').completes(
            'tool',
            'files',
          ),
        )
        .option('--args <json>', 'Arguments as JSON, @file, or @- for stdin (default: {})')
        .option('--dry-run', 'Print the request without sending it')
        .addOption(yesFlag()),
    ),
  result: tryResult,
  /**
   * `tool try` (interface.md 2.5): sends one request to the tool's server, as in a call. The file and the arguments are checked first.
   * @throws CallyardError `invalid` before anything is sent, `unreachable` without a response, `partial` for an unusable one
   */
  async run(options, context, [toolArg]) {
    const { output, clock, signal } = context
    const { dryRun = false } = options
    const args = await readArguments(options.args, context)
    const file = await requestedFile(toolArg, 'tool', context)
    const { checked, masked } = await checkResourceInProject(file, 'tool', options, context)
    if (!isObject(checked.body)) throw new InvalidInput(checked.diagnostics)
    const tool = openTool(checked.body)
    for (const problem of tool.problems) output.warn(problem)
    if ('unusable' in tool) {
      throw new CallyardError('invalid', `${file}: ${tool.unusable}; nothing was sent`)
    }
    const { unusable, misfit } = await tool.check(args)
    if (unusable !== undefined)
      throw new CallyardError('invalid', `${file}: function.parameters ${unusable}; nothing was sent`)
    if (misfit !== undefined) {
      const message = `the arguments do not fit the function.parameters of ${file}: ${misfit}; nothing was sent`
      const sample = JSON.stringify(tool.sample(new Date(clock.now())))
      throw new CallyardError('invalid', message, {
        hint: `for example: --args '${sample}'`,
      })
    }
    if (!dryRun && tool.noServer !== undefined) {
      throw new CallyardError('invalid', `${file}: ${tool.noServer}; nothing was sent`, {
        hint: 'set server.url to the URL of your server; to see the request, pass --dry-run',
      })
    }
    if (!dryRun) await agreeToAccess(context, { service: false })
    const tried = await tool.run(args, { clock, dryRun, signal, timeout: context.options.timeout })
    if (signal.aborted)
      throw new CallyardError('cancelled', 'cancelled; the tool’s server may have received the request')
    const redact = createRedactor('', [
      ...checked.references.variables.values(),
      ...Object.entries(tried.target.headers).flatMap(([header, value]) =>
        isSecretHeader(header) ? [value, value.replace(/^\w+ /, '')] : [],
      ),
    ])
    const request = formatRequest(tried, masked(), redact.body)
    const messages = tried.messages.map(message => ({ ...message, text: redact.body(message.text) }))
    const answer = tried.answer && formatResponse(tried.answer, redact.body)
    const failure = tried.outcome.failure && redact.body(tried.outcome.failure)
    const result = {
      ...{ tool: tool.name, file: checked.source.file, async: tool.async, request },
      ...(answer === undefined
        ? { dryRun }
        : { answer, said: messages, content: redact.body(tried.outcome.content), failure }),
    }
    output.result(result, () => render(request, answer, { messages, isAsync: tool.async }))
    if (tried.answer === undefined || failure === undefined) return
    throw new CallyardError('failure' in tried.answer ? 'unreachable' : 'partial', failure, {
      hint: failureHint(tried.answer),
    })
  },
  handlesSignal: () => true,
})

function tryResult({ z, objectList, optional, required }: SchemaBuilders) {
  const milliseconds = required(z.int(), 'Time that the response took')
  const answer = z.union([
    z.object({
      status: z.int(),
      milliseconds,
      body: required(z.unknown(), 'JSON of the response; its text if it is not JSON'),
    }),
    z.object({ failure: required(z.string(), 'Reason for the missing response'), milliseconds }),
  ])
  return {
    document: z.object({
      tool: required(z.string(), 'Name of the function'),
      file: z.string(),
      async: z.boolean(),
      request: z.object({
        method: z.literal('POST'),
        url: z.string(),
        headers: required(z.record(z.string(), z.string()), 'Secrets are masked'),
        timeoutSeconds: z.number(),
        body: z.unknown(),
      }),
      dryRun: optional(z.boolean(), 'Nothing was sent'),
      answer: z.optional(answer),
      said: optional(
        objectList({
          text: z.string(),
          milliseconds: required(z.number(), 'Time since the call of the tool'),
        }),
        'What the assistant said meanwhile',
      ),
      content: optional(z.string(), 'JSON text for the model'),
      failure: optional(z.string(), 'Why the tool failed'),
    }),
  }
}

function failureHint(answer: NonNullable<TriedTool['answer']>): string | undefined {
  if (!('failure' in answer)) return undefined
  if (answer.unsent) return 'nothing was sent: start the server, or correct server.url'
  if (answer.untrusted) return `nothing was sent: ${certificateHint}`
  return 'the server may have done what the tool does; it is not asked again'
}

async function readArguments(argsFlag: string | undefined, context: Context) {
  if (argsFlag === undefined) return {}
  const value: unknown = JSON.parse(await readJsonFlag(argsFlag, '--args', context))
  if (isObject(value)) return value
  throw new CallyardError('invalid', '--args is not a JSON object; nothing was sent', {
    hint: 'pass an object such as {"day": "2026-01-02"}',
  })
}

type PrintedRequest = ReturnType<typeof formatRequest>

/** The request without secrets: what came from the environment and headers that carry keys are `****`. */
function formatRequest(
  { target, headers, body }: TriedTool,
  masked: unknown,
  clean: (text: string) => string,
) {
  const server = isObject(masked) && isObject(masked.server) ? masked.server : {}
  const written = isObject(server.headers) ? server.headers : {}
  const plain = new Map(Object.entries(written).map(([name, value]) => [name.toLowerCase(), String(value)]))
  return {
    method: 'POST',
    url: formatServerUrl(target.url, server.url),
    headers: mapValues(headers, (value, name) =>
      isSecretHeader(name) ? redacted : name === 'content-type' ? value : (plain.get(name) ?? redacted),
    ),
    timeoutSeconds: target.timeoutSeconds,
    body: parseJson(clean(JSON.stringify(body))),
  }
}

function formatServerUrl(url: string, masked: unknown): string {
  if (masked !== url)
    return typeof masked === 'string' && URL.canParse(masked) ? withoutQuery(masked) : redacted
  return withoutQuery(url) + (new URL(url).search === '' ? '' : `?${redacted}`)
}

type PrintedResponse = ReturnType<typeof formatResponse>

function formatResponse(answer: NonNullable<TriedTool['answer']>, clean: (text: string) => string) {
  const { milliseconds } = answer
  if ('failure' in answer) return { failure: clean(answer.failure), milliseconds }
  const text = clean(answer.text)
  const body = parseJson(text)
  return { status: answer.status, milliseconds, body: body === undefined ? text : body }
}

function render(
  request: PrintedRequest,
  response: PrintedResponse | undefined,
  { messages, isAsync }: { readonly messages: TriedTool['messages']; readonly isAsync: boolean },
): Text {
  const { method, url, headers, timeoutSeconds, body } = request
  const lines: Text[] = [
    text`${bold(`${method} ${url}`)} (within ${String(timeoutSeconds)} s)`,
    ...Object.entries(headers).map(([name, value]) => whole(name, ': ', value)),
    whole(indented(body)),
  ]
  if (response === undefined) return join([...lines, '', 'Nothing was sent: --dry-run.'])
  const result = response.status === undefined ? response.failure : `HTTP ${response.status}`
  lines.push('', text`${bold(result)} after ${String(response.milliseconds)} ms`)
  const content = typeof response.body === 'string' ? response.body : indented(response.body)
  if (response.status !== undefined && content !== '') lines.push(whole(cut(content)))
  if (messages.length > 0) lines.push('', ...messages.map(message => text`assistant  ${message.text}`))
  if (isAsync) lines.push('', 'async: the model reads only that the tool was accepted.')
  return join(lines)
}

const maxShown = 4000

function cut(content: string): string {
  return content.length <= maxShown
    ? content
    : `${content.slice(0, maxShown)}… (${content.length} characters)`
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}
