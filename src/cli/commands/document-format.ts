import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import type { TranscriptFormat } from '../../events/transcript/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { extensionOf } from '../../lib/fs/extension.ts'
import { writePrivateFile } from '../../lib/fs/private-file.ts'
import { listed } from '../../lib/text/count.ts'
import { paint, type Text } from '../../lib/text/text.ts'
import type { Context, Output } from '../shell/context.ts'
import { forceFlag, type NoOptions, type OptionsOf } from '../shell/flags/flag.ts'

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
    .option('--out <file>', 'Write to a new file (mode 0600)')
    .addOption(forceFlag('Overwrite the file of --out'))
}

type DocumentFlags = OptionsOf<typeof withDocumentFlags<[], NoOptions>>

const formatsByEnding: Readonly<Record<string, TranscriptFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
  '.csv': 'csv',
  '.txt': 'text',
}

/**
 * Returns the format of --format, or that of the extension of --out.
 * @throws CallyardError `usage` for an unknown extension, and for a format that --json excludes
 */
export function chooseFormat(
  { format, out }: DocumentFlags,
  { json }: Pick<Output, 'json'>,
): TranscriptFormat {
  if (out !== undefined) {
    const found = format ?? formatsByEnding[extensionOf(out)]
    if (found !== undefined) return found
    throw new CallyardError('usage', `--out ${out}: unknown extension`, {
      hint: `use ${listed(Object.keys(formatsByEnding), 9, ' or')}, or pass --format`,
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
  context: Pick<Context, 'resolve'>,
): Promise<void> {
  // Byte order mark: without it Excel reads Windows-1252.
  const mark = format === 'csv' ? '\ufeff' : ''
  await writePrivateFile(out, `${mark}${paint(document, { color: false })}\n`, { force }, context)
}
