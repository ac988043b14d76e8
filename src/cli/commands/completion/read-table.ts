import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CandidateSource } from '../../shell/flags/flag.ts'
import type { Candidate } from './project-values.ts'

/** A command as plain data, without hidden commands and flags. The build writes the whole tree to dist (scripts/build.js). */
export interface CommandEntry extends Candidate {
  readonly description: string
  readonly flags: readonly FlagEntry[]
  readonly args: readonly ArgumentEntry[]
  readonly commands: readonly CommandEntry[]
  /** Completed in addition to command names. */
  readonly topics?: readonly Candidate[]
}

export interface FlagEntry extends Value {
  /** `-q` and `--quiet`. */
  readonly names: readonly string[]
  readonly description: string
  /** Undefined for a flag without a value. */
  readonly takesValue?: 'always' | 'optionally'
  readonly isRepeatable: boolean
}

interface ArgumentEntry extends Value {
  readonly isVariadic: boolean
}

/** Values that are looked up at each Tab. */
export type ValueSource = Exclude<CandidateSource, 'files' | 'topics' | 'command-schemas'>

export interface Value {
  readonly choices?: readonly string[]
  readonly source?: ValueSource
  /** Values that the shell itself completes beside them. */
  readonly alsoTakes?: 'files' | 'folders'
  /** Extensions for the name of a new file. */
  readonly extensions?: readonly string[]
}

/** Reads the command table that the build wrote; undefined where it cannot be read, as when running from source. */
export function readCommandTable(): CommandEntry | undefined {
  try {
    const table = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'completion.json'), 'utf8'))
    return isEntry(table) ? table : undefined
  } catch {
    return undefined
  }
}

function isEntry(entry: CommandEntry): boolean {
  return [entry.flags, entry.args, entry.commands].every(Array.isArray) && entry.commands.every(isEntry)
}
