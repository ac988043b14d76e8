import { loadTables, type TableOptions } from '../../files/source/index.ts'

const hints = {
  tooLarge: 'split it into several files, and call them as batches of their own',
  encoding: 'set encoding in the batch file, or save the list as UTF-8',
}

/** Opens a list of people, or of numbers that are not called (see openTable). */
export async function openList(file: string, options: Omit<TableOptions, 'hints'>) {
  const { openTable } = await loadTables()
  return openTable(file, { ...options, hints })
}

/** Opens and parses a list. */
export async function readList(...list: Parameters<typeof openList>) {
  return (await openList(...list)).parse()
}
