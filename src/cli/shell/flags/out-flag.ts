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

/** `--out <file>`, whose files are checked before its command begins. */
export class OutFlag extends Flag<'--out <file>'> {
  /** The command creates the folder of its file. */
  createsFolder = false
  readonly formats: readonly OutputFormat[]

  constructor(description: string, formats: readonly OutputFormat[]) {
    super('--out <file>', description)
    this.formats = formats
  }
}

interface OutOptions {
  /** True if the command creates the folder of its file. */
  readonly createsFolder?: boolean
  /** Why stdout cannot be the file: a sentence with what to do. */
  readonly needsFile?: string
}

/** `--out <file>`, in the first format that the extension selects, or in that of a prefix, as in `junit:/dev/stdout`. */
export function outFlag<const Format extends OutputFormat>(
  description: string,
  formats: readonly Format[],
  { createsFolder = false, needsFile }: OutOptions = {},
) {
  const parse = (text: string) => {
    const output = parseOutput(text, formats)
    if (needsFile !== undefined && isStdout(output.file)) throw new InvalidArgumentError(needsFile)
    return output
  }
  const flag = flagFor(description, formats)
  flag.createsFolder = createsFolder
  return flag.argParser(Object.assign(parse, schemaOf(formats)))
}

/** True for the name of stdout. */
export function isStdout(file: string): boolean {
  return /^\/(?:dev\/(?:stdout|fd\/1)|proc\/(?:self|\d+)\/fd\/1)$/.test(file)
}

/** Returns the files in the value of an output flag. */
export function outFilesIn(value: unknown): readonly OutputFile[] {
  return value === undefined ? [] : ([value].flat() as OutputFile[])
}

/** `--out <file>` beside `--format`, which a file without an extension needs. */
export function outBesideFormat<const Format extends OutputFormat>(
  description: string,
  formats: readonly Format[],
) {
  const parse = (text: string): { readonly file: string; readonly format: Format | undefined } =>
    /^[^:]+$/.test(text) && text !== '-' && extensionOf(text) === ''
      ? { file: text, format: undefined }
      : parseOutput(text, formats)
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
  return new OutFlag(description, formats).completesExtensions(firstExtensions(formats))
}

/** @throws InvalidArgumentError for an extension of none of the formats */
function parseOutput<Format extends OutputFormat>(
  text: string,
  formats: readonly Format[],
): OutputFile<Format> {
  const [, prefix, named = ''] = /^(\w+):(.+)$/s.exec(text) ?? []
  const byPrefix = formats.find(format => format === prefix)
  if (byPrefix !== undefined) return { file: named === '-' ? stdoutPath : named, format: byPrefix }
  const streamed = formats.filter(format => format !== 'folder')
  const [only] = streamed
  if (text === '-' && only !== undefined) {
    if (streamed.length === 1) return { file: stdoutPath, format: only }
    throw new InvalidArgumentError(`Put the format before it, such as ${only}:-.`)
  }
  const byExtension = formats.find(format => hasExtensionOf(format, text))
  if (byExtension !== undefined) return { file: text, format: byExtension }
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(firstExtensions(formats))
  const example = text === '' || text.includes(':') ? 'name' : text
  throw new InvalidArgumentError(
    `Use the extension ${either}, or put the format before the name, such as ${formats[0]}:${example}.`,
  )
}

const stdoutPath = '/dev/stdout'

function hasExtensionOf(format: OutputFormat, file: string): boolean {
  if (format === 'folder') return file !== '' && extensionOf(file) === ''
  return extensions[format].some(extension => file.toLowerCase().endsWith(extension))
}

function firstExtensions(formats: readonly OutputFormat[]): string[] {
  return formats.flatMap(format => extensions[format].slice(0, 1))
}
