import type { AnyCommand } from '../../cli/flags/flag.ts'

export interface Found {
  /** The innermost command that the words name: the root where they name none. */
  readonly command: AnyCommand
  /** The word after it that names no command of the group. */
  readonly unknown?: string
}

/** The command that a command line means, also one that cannot be parsed. Global flags may stand between the words. */
export function findCommand(root: AnyCommand, argv: readonly string[]): Found {
  let command = root
  let isValue = false
  for (const word of argv) {
    if (isValue) {
      isValue = false
    } else if (word.startsWith('-')) {
      isValue = root.options.some(
        ({ required, short, long }) => required && (word === short || word === long),
      )
    } else if (command.commands.length === 0) {
      return { command }
    } else {
      const next = command.commands.find(candidate => candidate.name() === word)
      if (next === undefined) return { command, unknown: word }
      command = next
    }
  }
  return { command }
}
