import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BatchSettings, openBatch } from '../../../src/calls/batch/index.ts'
import { realClock } from '../../helpers/real-clock.ts'

type Deps = Parameters<typeof openBatch>[3]

/** Writes a list of people into a folder, and opens it as a batch outside of any project. */
export async function openList(
  folder: string,
  rows: readonly (readonly string[])[],
  settings: BatchSettings,
) {
  await writeFile(join(folder, 'list.csv'), rows.map(cells => `${cells.join()}\n`).join(''))
  // Without an assistant, nothing else of a project is used.
  const deps = {
    clock: realClock,
    cwd: folder,
    settings: async () => ({ project: undefined }),
  } as Partial<Deps> as Deps
  return openBatch('list.csv', { from: '+12025550100', ...settings }, {}, deps)
}
