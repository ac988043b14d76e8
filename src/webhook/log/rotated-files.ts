import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

interface RotatedFile {
  readonly path: string
  readonly number: number
}

/**
 * What `--rotate` put aside of a recording, oldest first. `calls.ndjson` becomes `calls.1.ndjson`, the next one
 * `calls.2.ndjson`: a file that was put aside keeps its name, and the highest number is the newest.
 * @throws what the system throws for a folder that cannot be listed.
 */
export function rotatedFiles(path: string): RotatedFile[] {
  const { stem, extension } = partsOf(path)
  return readdirSync(dirname(path))
    .flatMap(name => {
      if (!name.startsWith(`${stem}.`) || !name.endsWith(extension)) return []
      const between = name.slice(stem.length + 1, name.length - extension.length)
      // Nine digits: a date in a name is no number of ours.
      if (!/^[1-9]\d{0,8}$/.test(between)) return []
      return [{ path: join(dirname(path), name), number: Number(between) }]
    })
    .sort((one, other) => one.number - other.number)
}

/** The name under which a recording is put aside next; no file has it. */
export function nextRotated(path: string): string {
  const { stem, extension } = partsOf(path)
  const newest = rotatedFiles(path).at(-1)?.number ?? 0
  return join(dirname(path), `${stem}.${newest + 1}${extension}`)
}

function partsOf(path: string): { stem: string; extension: string } {
  const extension = extname(path)
  return { stem: basename(path, extension), extension }
}
