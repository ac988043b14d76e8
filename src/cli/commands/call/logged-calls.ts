import { type LoggedCall, readCallLog } from '../../../calls/log/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { duration, localMinute } from '../../../lib/text/date-time.ts'
import { beginningHint, findByBeginning, shortIds } from '../../../lib/text/did-you-mean.ts'
import { type TableColumn, table } from '../../../lib/text/table.ts'
import { bold, type Text, yellow } from '../../../lib/text/text.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'

/** Reads the call log, oldest call first. Warns of lines that cannot be read. */
export async function readLog({ env, output }: Context): Promise<readonly LoggedCall[]> {
  const { calls, unreadable } = await readCallLog(env)
  if (unreadable > 0) output.warn(`${count(unreadable, 'line')} of the call log cannot be read; skipped`)
  return calls
}

/** Finds the logged call with this id or unique prefix; undefined if there is none. @throws CallyardError `usage` for an ambiguous prefix */
function findLogged(calls: readonly LoggedCall[], id: string): LoggedCall | undefined {
  const match = findByBeginning(id, calls, nameOfCall)
  if (match.kind === 'found') return match.item
  if (match.kind === 'missing') return undefined
  throw new CallyardError('usage', `several calls of the log start with ${JSON.stringify(id)}`, {
    hint: beginningHint(match, nameOfCall, { short: true }),
  })
}

/** Finds the call that a person means, by id or --last. @throws CallyardError `usage` if it is not in the log */
export async function requestedCall(
  id: string | undefined,
  { last }: { readonly last?: boolean | undefined },
  context: Context,
): Promise<LoggedCall> {
  if ((id === undefined) === (last !== true)) {
    throw new CallyardError(
      'usage',
      id === undefined ? 'no call is given' : `${id} and --last cannot be used together`,
      {
        ...suggest`pass the id of a call, or --last for the latest one; to list them: ${['call', 'list']}`,
      },
    )
  }
  const calls = await readLog(context)
  const call = id === undefined ? calls.at(-1) : findLogged(calls, id)
  if (call !== undefined) return call
  throw id === undefined ? emptyLog() : notLogged(id, calls)
}

/** Result of a command that controls a call. */
export function controlResult({ z, required }: SchemaBuilders) {
  return {
    document: z.object({ id: required(z.string(), 'Id of the call'), done: z.enum(['said', 'hung-up']) }),
  }
}

/** Returns the id of a call to control. A call that is not in the log may still be known to the service. */
export async function requestedCallId(
  id: string | undefined,
  options: { readonly last?: boolean | undefined },
  context: Context,
): Promise<string> {
  if (id !== undefined && options.last !== true) {
    const logged = findLogged(await readLog(context), id)
    return logged === undefined ? id : controllableId(logged, context)
  }
  return controllableId(await requestedCall(id, options, context), context)
}

async function controllableId(call: LoggedCall, context: Context): Promise<string> {
  await assertSameService(call, context)
  if (call.id !== null) return call.id
  throw new CallyardError('usage', 'the id of this call is unknown', {
    hint: 'the service did not return one; pass the id that its events show',
  })
}

/** @throws CallyardError `usage` if the call was placed at another service than the chosen one */
async function assertSameService({ id, service, profile }: LoggedCall, { settings }: Context): Promise<void> {
  const { baseUrl } = await settings()
  if (baseUrl.value === service) return
  throw new CallyardError(
    'usage',
    `call ${id} was placed at ${service}, not at ${baseUrl.value ?? 'a known service'}`,
    {
      hint: profile === null ? `pass --base-url ${service}` : `pass --profile ${profile}`,
    },
  )
}

function emptyLog(): CallyardError {
  return new CallyardError('usage', 'no calls have been placed from this machine', {
    ...suggest`the log begins with the next call: ${['call', 'start']}`,
  })
}

function notLogged(id: string, calls: readonly LoggedCall[]): CallyardError {
  const match = findByBeginning(id, calls, nameOfCall)
  const hint = match.kind === 'missing' ? beginningHint(match, nameOfCall) : undefined
  return new CallyardError('usage', `no call ${JSON.stringify(id)} in the call log`, {
    ...(hint === undefined ? suggest`to list the calls: ${['call', 'list']}` : { hint }),
  })
}

/** A call without id has its key in the log. */
function nameOfCall({ id, key }: LoggedCall): string {
  return id ?? key
}

/** Formats calls as a table. */
export function logTable(calls: readonly LoggedCall[], width: number): Text {
  return table(calls, columnsOf(calls), width)
}

function columnsOf(calls: readonly LoggedCall[]): TableColumn<LoggedCall>[] {
  const ids = shortIds(calls.map(nameOfCall))
  return [
    {
      heading: 'call',
      cell: call => ids.get(nameOfCall(call)) ?? '',
      min: 'CC-93be40c0'.length,
      cut: 'beginning',
      style: bold,
    },
    { heading: 'placed', cell: ({ at }) => localMinute(at), min: '2026-01-02 09:30'.length },
    { heading: 'to', cell: ({ to }) => to, min: '+12025550123'.length },
    { heading: 'from', cell: ({ from }) => from, min: '+12025550123'.length, leaveOut: 3 },
    { heading: 'assistant', cell: ({ assistant }) => assistant ?? '', min: 8, cut: 'beginning', leaveOut: 2 },
    { heading: 'took', cell: formatTook, min: 4, align: 'right', leaveOut: 1 },
    {
      heading: 'status',
      cell: ({ status }) => status,
      min: 8,
      style: cell => (isFine(cell) ? cell : yellow(cell)),
    },
    { heading: 'profile', cell: ({ profile }) => profile ?? '', min: 7, leaveOut: 4 },
  ]
}

function isFine(status: Text): boolean {
  return status === 'placed' || status === 'answered' || status === 'status'
}

export function formatTook({ seconds }: LoggedCall): string {
  return seconds === null ? '' : duration(seconds * 1000)
}
