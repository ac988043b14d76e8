import { watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Calls `now` at the nth event of a file of a folder. What it returns stops watching. */
export async function killAtEvent(
  folder: string,
  { file, event }: { file: string; event: number },
  now: () => void,
): Promise<() => void> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  let events = 0
  const watcher = watch(dirname(path), (_kind, name) => {
    if (name !== basename(path)) return
    events += 1
    if (events === event) now()
  })
  return () => watcher.close()
}
