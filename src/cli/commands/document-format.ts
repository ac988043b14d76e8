import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import type { TranscriptFormat } from '../../events/transcript/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { isStream, writePrivateFile } from '../../lib/fs/private-file.ts'
import { paint, type Text } from '../../lib/text/text.ts'
import type { Context, Output } from '../shell/context.ts'
import { forceFlag, type NoOptions, type OptionsOf } from '../shell/flags/flag.ts'
import { isStdout, outBesideFormat } from '../shell/flags/out-flag.ts'

const documentFormats = [
  'text',
  'markdown',
  'json',
  'html',
  'csv',
] as const satisfies readonly TranscriptFormat[]

/** Adds --format, --out and --force. */
export function withDocumentFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .addOption(
      new Option(
        '--format <format>',
        'Output format (default: from the extension of --out, or text)',
      ).choices(documentFormats),
    )
    .addOption(outBesideFormat('Write a new file (.txt, .md, .html, .json or .csv)', documentFormats))
    .addOption(forceFlag('Overwrite the file of --out'))
}

type DocumentFlags = OptionsOf<typeof withDocumentFlags<[], NoOptions>>

/**
 * Returns the format of --format or of --out.
 * @throws CallyardError `usage` if they differ, and for a format that --json excludes
 */
export function chooseFormat({ format, out }: DocumentFlags, { json }: Output): TranscriptFormat {
  if (out !== undefined) {
    const chosen = out.format ?? format
    if (chosen === undefined)
      throw new CallyardError('usage', `the format of --out ${out.file} is unknown`, {
        hint: `pass --format, or a name with its extension, such as ${out.file}.html`,
      })
    if (format === undefined || format === chosen) return chosen
    throw new CallyardError('usage', `--out ${out.file} is ${out.format}, and --format ${format} is not`, {
      hint: `remove --format, or pass --out ${format}:${out.file}`,
    })
  }
  if (json && format !== undefined && format !== 'json') {
    throw new CallyardError('usage', `--json and --format ${format} cannot be used together`, {
      hint: 'remove one of them, or write the document with --out',
    })
  }
  return format ?? 'text'
}

/** Columns of text in a file. */
export const fileWidth = 80

/**
 * Writes a document to a new file with mode 0600, or over an existing one with `force`.
 * @throws CallyardError `usage` if it cannot be written or already exists
 */
export async function writeDocument(
  out: string,
  document: Text,
  { format, force = false }: { readonly format: TranscriptFormat; readonly force?: boolean | undefined },
  context: Context,
): Promise<void> {
  // Byte order mark: without it Excel reads Windows-1252.
  const mark = format === 'csv' && !isStream(context.resolve(out)) ? '\ufeff' : ''
  await writeOut(out, `${mark}${paint(document, { color: false })}\n`, { force }, context)
}

/** Writes the file of --out, which may be stdout. @throws as writePrivateFile does */
export async function writeOut(
  out: string,
  content: string,
  options: { readonly force: boolean },
  context: Context,
): Promise<void> {
  if (isStdout(out)) context.output.data(content)
  else await writePrivateFile(out, content, options, context)
}
