import { InvalidArgumentError } from '@commander-js/extra-typings'
import { extensionOf, yamlExtensions } from '../../../lib/fs/extension.ts'
import { Flag } from './flag.ts'

/** Extensions that select a format; errors and completion offer the first. A folder has none. */
const extensions = {
  sarif: ['.sarif', '.sarif.json'],
  junit: ['.xml'],
  text: ['.txt'],
  markdown: ['.md', '.markdown'],
  html: ['.html', '.htm'],
  json: ['.json'],
  ndjson: ['.ndjson', '.jsonl'],
  csv: ['.csv'],
  yaml: yamlExtensions,
  folder: [],
} as const satisfies Record<string, readonly string[]>

export type OutputFormat = keyof typeof extensions

/** A file that `--out` names, and what is written into it. */
export interface OutputFile<Format extends OutputFormat = OutputFormat> {
  readonly file: string
  readonly format: Format
}

/** `--out <file>`, in the first format that the extension selects, or in that of a prefix, as in `junit:/dev/stdout`. */
export function outFlag<const Format extends OutputFormat>(description: string, formats: readonly Format[]) {
  const parse = (text: string) => parseOutput(text, formats)
  return flagFor(description, formats).argParser(Object.assign(parse, schemaOf(formats)))
}

/** `--out <file>` of a command that writes several files at once. */
export function outFlags<const Format extends OutputFormat>(description: string, formats: readonly Format[]) {
  const collect = (text: string, collected: readonly OutputFile<Format>[] = []) => [
    ...collected,
    parseOutput(text, formats),
  ]
  return flagFor(description, formats).repeatable(Object.assign(collect, schemaOf(formats)))
}

/** JSON Schema of the value (decision 0009). */
function schemaOf(formats: readonly OutputFormat[]) {
  return {
    schema: { type: 'string', examples: firstExtensions(formats).map(candidate => `name${candidate}`) },
  }
}

function flagFor(description: string, formats: readonly OutputFormat[]) {
  return new Flag('--out <file>', description).completesExtensions(firstExtensions(formats))
}

/** @throws InvalidArgumentError for an extension of none of the formats */
function parseOutput<Format extends OutputFormat>(
  text: string,
  formats: readonly Format[],
): OutputFile<Format> {
  const [, prefix, named = ''] = /^(\w+):(.+)$/s.exec(text) ?? []
  const byPrefix = formats.find(format => format === prefix)
  if (byPrefix !== undefined) return { file: named, format: byPrefix }
  const byExtension = formats.find(format => hasExtensionOf(format, text))
  if (byExtension !== undefined) return { file: text, format: byExtension }
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(firstExtensions(formats))
  const example = text === '' || text === '-' || text.includes(':') ? 'name' : text
  throw new InvalidArgumentError(
    `Use the extension ${either}, or put the format before the name, such as ${formats[0]}:${example}.`,
  )
}

function hasExtensionOf(format: OutputFormat, file: string): boolean {
  if (format === 'folder') return file !== '' && extensionOf(file) === ''
  return extensions[format].some(extension => file.toLowerCase().endsWith(extension))
}

function firstExtensions(formats: readonly OutputFormat[]): string[] {
  return formats.flatMap(format => extensions[format].slice(0, 1))
}
