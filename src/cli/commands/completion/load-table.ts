import type { AnyCommand } from '../../shell/flags/flag.ts'
import { type CommandEntry, readCommandTable } from './read-table.ts'

/** Reads the command table, or declares the whole tree to make it. */
export async function loadCommandTable(root: AnyCommand): Promise<CommandEntry> {
  return readCommandTable() ?? (await import('./command-table.ts')).commandTable(root)
}

/** Returns the entry of a command; undefined for a hidden one. */
export function entryOf(command: AnyCommand, table: CommandEntry): CommandEntry | undefined {
  if (command.parent === null) return table
  return entryOf(command.parent, table)?.commands.find(({ value }) => value === command.name())
}
