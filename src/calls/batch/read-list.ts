import { loadTables, type TableOptions } from '../../files/source/index.ts'

const hintsForPeople = {
  tooLarge: 'split it into several files, and call them as batches of their own',
  encoding: 'set encoding in the batch file, or save the list as UTF-8',
}

const hintsForNumbers = { tooLarge: 'split it into several files', encoding: 'save it as UTF-8' }

export interface ListOptions extends Omit<TableOptions, 'hints'> {
  readonly isDoNotCall?: boolean
}

/** Opens a list of people, or of numbers that are not called (see openTable). */
export async function openList(file: string, { isDoNotCall = false, ...options }: ListOptions) {
  const { openTable } = await loadTables()
  return openTable(file, { ...options, hints: isDoNotCall ? hintsForNumbers : hintsForPeople })
}

export type ReadList = Awaited<ReturnType<typeof readList>>

/** Opens and parses a list. */
export async function readList(file: string, options: ListOptions) {
  return (await openList(file, options)).parse()
}
