import { open, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { CallyardError } from '../../lib/error.ts'
import { isStream, noRegularFile, notWritten } from '../../lib/fs/private-file.ts'
import type { Context } from './context.ts'
import { isStdout, type OutFlag, type OutputFile, type OutputFormat, outFilesIn } from './flags/out-flag.ts'

/** An output file that is an input, or another file than what is written into it. No report is written either. */
export class RefusedFile extends CallyardError {}

/**
 * Checks the files of `--out` before a command begins: their folders exist, and none is a file that an argument or another flag names.
 * @throws RefusedFile
 */
export async function assertOutFiles(
  flag: OutFlag,
  values: Readonly<Record<string, unknown>>,
  args: readonly unknown[],
  context: Context,
): Promise<void> {
  const { [flag.attributeName()]: value, ...others } = values
  const files = outFilesIn(value)
  const stdout = files.find(({ file }) => isStdout(file))
  if (stdout !== undefined && context.output.json)
    throw new RefusedFile('usage', `--json and --out ${stdout.file} cannot be used together`, {
      hint: 'both write to stdout; remove one of them',
    })
  const words = [args, ...Object.values(others)].flat(2).filter(word => typeof word === 'string')
  for (const { file } of files) {
    const path = context.resolve(file)
    if (isStream(path)) continue
    if (!flag.createsFolder) await assertFolder(file, path)
  }
  await assertNoInputs(files, words, context)
}

async function assertFolder(file: string, path: string): Promise<void> {
  // A slash at the end: an error for a file.
  await stat(join(dirname(path), '/')).catch(cause => {
    throw asRefused(notWritten(file, cause))
  })
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) throw asRefused(noRegularFile(file))
}

function asRefused({ kind, message, code, hint, details }: CallyardError): RefusedFile {
  return new RefusedFile(kind, message, { code, hint, details })
}

/** @throws RefusedFile if an output is one of the files that the command reads, by any name of it */
export async function assertNoInputs(
  out: readonly OutputFile[],
  inputs: readonly string[],
  { resolve, cwd }: Context,
): Promise<void> {
  if (out.length === 0) return
  const inputsByFile = new Map<string, string>()
  for (const input of inputs) {
    const key = await identityOf(resolve(input))
    if (key !== undefined && !inputsByFile.has(key)) inputsByFile.set(key, input)
  }
  for (const { file } of out) {
    const key = inputsByFile.size === 0 ? undefined : await identityOf(resolve(file))
    const input = key === undefined ? undefined : inputsByFile.get(key)
    if (input === undefined) continue
    const name = relative(cwd, resolve(input))
    throw new RefusedFile('usage', `--out ${file} would overwrite ${name}, which this command reads`, {
      hint: 'choose another name',
    })
  }
}

/** Device and inode of a regular file; undefined for anything else. */
async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (found?.isFile() !== true) return undefined
  // Some network drives have no inodes.
  return found.ino === 0n ? realpath(path) : `${found.dev}:${found.ino}`
}

/** Beginning of a report, without spaces. */
const beginnings: Partial<Record<OutputFormat, RegExp>> = {
  junit: /^<(?:\?xml|testsuites?\b)/,
  sarif: /^\{(?=.*(?:sarif|"runs"))/s,
  html: /^<!doctype html/i,
  json: /^\{\s*"kind":\s*"callyard-plan"/,
}

const sniffedBytes = 4096

/** @throws RefusedFile if an output is a file with other content than a report of its format */
export async function assertReports(out: readonly OutputFile[], { resolve }: Context): Promise<void> {
  for (const { file, format } of out) {
    const path = resolve(file)
    const found = isStream(path) ? undefined : await stat(path).catch(() => undefined)
    if (found?.isFile() !== true || found.size === 0) continue
    const handle = await open(path).catch(() => undefined)
    if (handle === undefined) continue
    const { buffer, bytesRead } = await handle
      .read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0)
      .finally(() => handle.close())
    const start = buffer.toString('utf8', 0, bytesRead).replace('\ufeff', '').trimStart()
    if (beginnings[format]?.test(start) !== false) continue
    throw new RefusedFile('usage', `--out ${file} would overwrite a file that is not a report`, {
      hint: 'choose another name, or remove the file first',
    })
  }
}
