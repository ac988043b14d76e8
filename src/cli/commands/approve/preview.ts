import { stringify } from 'yaml'
import { type ApprovalRequest, argvOf, validMs } from '../../../calls/approval/index.ts'
import { displayName } from '../../../files/source/index.ts'
import { isObject } from '../../../lib/json.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine, quoteForShell } from '../../../lib/text/escape.ts'
import { bold, dim, indented, join, type Text, text, whole } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'
import { type Prepared, planning } from './prepare.ts'

interface PreviewOptions {
  /** True to show all texts and numbers. */
  readonly full: boolean
}

const maxLines = 30
const maxNumbers = 20

/** Returns what an action would do, as the command that shows it prints it, and the files that `apply` would send. */
export async function previewText(
  prepared: Prepared,
  code: string,
  options: PreviewOptions,
  context: Context,
): Promise<Text> {
  const { action, argv, cwd } = prepared
  const words = action.action === 'call' ? [...argv, '--dry-run'] : planning(argv)
  const { stdout } = await context.runCommand(words, { cwd, json: false })
  return join([whole(stdout.trimEnd()), ...bodiesOf(prepared, code, options)], '\n\n')
}

/** Returns the bodies of the files that are sent, without values from the environment. */
function bodiesOf(
  { preview, sending, cwd }: Prepared,
  code: string,
  { full }: PreviewOptions,
): readonly Text[] {
  const actions = Array.isArray(preview.actions) ? preview.actions.filter(isObject) : []
  const changed = actions.filter(({ action }) => ['create', 'update', 'replace'].includes(String(action)))
  return changed.flatMap(({ address, file }) => {
    const checked = sending.find(({ source }) => displayName(source.path, cwd) === file)
    const body = checked?.render({ env: () => '****', resource: ({ kind, name }) => `\${${kind}:${name}}` })
    if (body === undefined) return []
    const lines = stringify(body, { lineWidth: 0 }).trimEnd().split('\n')
    const more = full ? 0 : lines.length - maxLines
    return [
      join([
        text`${bold(oneLine(String(address)))} (request body)`,
        ...(more > 0 ? lines.slice(0, maxLines) : lines).map(bodyLine),
        ...(more > 0 ? [dim(`  … ${count(more, 'more line')}: callyard approve ${code} --full`)] : []),
      ]),
    ]
  })
}

/** Indents a line of YAML; if it is wrapped, its rest too. */
function bodyLine(line: string): Text {
  const indent = /^ */.exec(line)?.[0].length ?? 0
  return indented('  '.padEnd(indent + 2), indent + 4, oneLine(line.trimStart()))
}

/** Returns the facts below the preview, which may be long, so that the question follows them. */
export async function factsText(
  request: ApprovalRequest,
  { action, service, profile, calls, minutes, cwd, batch }: Prepared,
  options: PreviewOptions,
  { clock }: Context,
): Promise<Text> {
  const left = Math.ceil((request.createdAt + validMs - clock.now()) / 60_000)
  const facts: Readonly<Record<string, Text | undefined>> = {
    Request: text`${bold(request.code)}, expires in ${count(left, 'minute')}`,
    Service: profile === null ? service : `${profile} (${service})`,
    Command: whole(oneLine(commandOf(request))),
    Folder: oneLine(cwd),
    From: action.action === 'call' ? oneLine(action.from ?? action.phoneNumberId ?? '') : undefined,
    To: action.action === 'call' ? oneLine(action.to) : undefined,
    People: batch && (await peopleText(batch.people, request.code, options)),
    Calls: action.action === 'apply' ? 'none' : `up to ${calls}`,
    Minutes: action.action === 'apply' ? undefined : minutes === null ? 'no limit' : `up to ${minutes}`,
  }
  const rows = Object.entries(facts).flatMap(([name, fact]) =>
    fact === undefined ? [] : [text`${dim(name.padEnd('Request'.length))}  ${fact}`],
  )
  return join(['', ...rows, ''])
}

/** `3 in DE, US: +1…, +49…`: the number of people, their countries, and the first numbers. */
async function peopleText(
  people: readonly { readonly numbers: readonly string[] }[],
  code: string,
  { full }: PreviewOptions,
): Promise<string> {
  const { default: parse } = await import('libphonenumber-js')
  const numbers = people.flatMap(person => person.numbers)
  const countries = new Set(
    numbers.map(number => {
      const parsed = parse(number)
      return parsed?.country ?? `+${parsed?.countryCallingCode ?? '?'}`
    }),
  )
  const first = full ? numbers : numbers.slice(0, maxNumbers)
  const more = numbers.length - first.length
  const rest = more === 0 ? '' : `, and ${more} more: callyard approve ${code} --full`
  return `${people.length} in ${[...countries].sort().join(', ')}: ${first.join(', ')}${rest}`
}

/** The command of a request, for a shell. */
export function commandOf({ action }: ApprovalRequest): string {
  return ['callyard', ...argvOf(action)].map(quoteForShell).join(' ')
}
