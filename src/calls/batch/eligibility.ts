import { resolve } from 'node:path'
import type { BatchFile } from '../../files/formats/batch.ts'
import type { CheckedFile, Diagnostic } from '../../files/source/index.ts'
import type { Clock, Timekeeper } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError } from '../../lib/error.ts'
import { isFile } from '../../lib/fs/read-file.ts'
import { findMissingProgram } from '../../lib/process/missing-program.ts'
import { endingText, startProgram } from '../../lib/process/program.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { Person } from './contacts.ts'
import { batchFinding } from './findings.ts'
import type { BatchState } from './state.ts'

/** A person who may be called, with the number of calls so far. */
export interface CheckedPerson {
  readonly person: Person
  readonly attempts: number
}

/** Returns a verdict for each person, in their order. Only `yes` is called. */
export type CheckPeople = (people: readonly CheckedPerson[]) => Promise<readonly string[]>

interface CheckOptions {
  readonly cwd: string
  readonly env: ProgramEnvironment
  readonly clock: Clock
  /** Ends the program. */
  readonly signal: AbortSignal
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 60_000
const shutdownMs = 2000
const maxOutputBytes = 8 * 1024 ** 2

/** Returns the problem of the command of `check` that prevents the whole batch. */
export async function findCheckProblems(
  {
    batch,
    file,
    baseFolder,
    checked,
  }: {
    readonly batch: BatchFile
    readonly file: string
    /** Absolute folder of the command. */
    readonly baseFolder: string
    /** The batch file, if there is one. */
    readonly checked: readonly CheckedFile[]
  },
  env: Environment,
): Promise<readonly Diagnostic[]> {
  const { check: command } = batch
  if (command === undefined) return []
  const path = ['check']
  const location = { file, path, position: checked[0]?.source.positionOf(path, 'value') }
  const isResolved = checked[0]?.fromEnvironment.some(([field]) => field === 'check')
  if (isResolved === true) return [batchFinding(location, 'check-with-variable')]
  const program = await findMissingProgram(command, { cwd: baseFolder, env })
  if (program === undefined) return []
  const isThere = /[\\/]/.test(program) && (await isFile(resolve(baseFolder, program)))
  return [batchFinding(location, isThere ? 'check-not-executable' : 'check-not-found', { program })]
}

/**
 * Creates a check that runs a program: one person per line on stdin as JSON, one verdict per line on stdout. The check throws
 * CallyardError `usage` if the program fails, is late, is interrupted, or prints another number of lines: then nobody of them is called.
 */
export function createCheck(
  command: string,
  { cwd, env, clock, signal, timeoutMs = defaultTimeoutMs }: CheckOptions,
): CheckPeople {
  return async people => {
    let printed = 0
    const output: Buffer[] = []
    const errors: Buffer[] = []
    const program = await startProgram({
      ...{ command, cwd, env, clock },
      input: people.map(person => `${JSON.stringify(toProgramInput(person))}\n`).join(''),
      onOutput(bytes, stream) {
        printed += bytes.length
        if (printed <= maxOutputBytes) (stream === 'stdout' ? output : errors).push(bytes)
      },
    })
    const ended = new AbortController()
    const ending = await Promise.race([
      program.ended,
      clock.sleep(timeoutMs, AbortSignal.any([ended.signal, signal])).then(
        () => undefined,
        () => undefined,
      ),
    ])
    ended.abort()
    if (ending === undefined) await program.end(shutdownMs)
    const fail = (reason: string) => {
      const errorOutput = oneLine(Buffer.concat(errors).toString()).trim().slice(0, 200)
      return new CallyardError(
        'usage',
        `check: ${command} ${reason}${errorOutput === '' ? '' : `: ${errorOutput}`}`,
        {
          hint: 'nobody else is called; run the same command again once it works',
        },
      )
    }
    if (signal.aborted) throw fail('was interrupted')
    if (ending === undefined) throw fail(`took more than ${timeoutMs / 1000} s`)
    if (ending.kind !== 'exit' || ending.code !== 0) throw fail(endingText(ending))
    const verdicts = Buffer.concat(output)
      .toString()
      .split('\n')
      .map(line => line.trim())
    if (verdicts.at(-1) === '') verdicts.pop()
    if (verdicts.length !== people.length)
      throw fail(`printed ${verdicts.length} lines for ${people.length} people`)
    return verdicts
  }
}

/** A verdict counts for the calls of the next minutes. */
const verdictMs = 5 * 60_000

/** Asks for verdicts shortly before people are called, for several at a time. */
export function createVerdicts(check: CheckPeople, state: BatchState, clock: Timekeeper) {
  const verdicts = new Map<string, { readonly verdict: string; readonly at: number }>()
  /** False for a time in the future: the clock was set back. */
  const isRecent = (at: number) => at <= clock.now() && clock.now() < at + verdictMs
  return {
    /** Returns the verdict for a person, who is checked together with those who may be called next. @throws as the check does */
    async of(person: Person, upcoming: readonly Person[]): Promise<string> {
      const lastVerdict = verdicts.get(person.id)
      verdicts.delete(person.id)
      if (lastVerdict !== undefined && isRecent(lastVerdict.at)) return lastVerdict.verdict
      const people = [person, ...upcoming]
      const attemptsOf = ({ id }: Person) => state.attempts.get(id)?.length ?? 0
      const newVerdicts = await check(
        people.map(personToCheck => ({ person: personToCheck, attempts: attemptsOf(personToCheck) })),
      )
      for (const [index, verdict] of newVerdicts.entries())
        if (index > 0) verdicts.set(people[index]?.id ?? '', { verdict, at: clock.now() })
      return newVerdicts[0] ?? 'no verdict'
    },
  }
}

/** A person as a program reads it; `row` has the cells by column. */
function toProgramInput({ person: { id, numbers, zone, list, row }, attempts }: CheckedPerson) {
  const { columns, rows } = list.table
  const written = rows.at(row)?.cells ?? []
  const cells = columns.map((column, index) => [column, written[index] ?? ''])
  return { id, numbers, timezone: zone, attempts, row: Object.fromEntries(cells) }
}
