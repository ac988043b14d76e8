import { failedParse, type Parsed, type ParseError } from './diagnostic.ts'

/**
 * Replaces the errors that follow from texts such as `{{name}} there`, which are not quoted and which YAML takes for mappings, by one for
 * each text. `parse` finds the other errors of the file.
 */
export async function explainPlaceholders(
  text: string,
  parsed: Parsed,
  parse: (text: string) => Promise<Parsed>,
): Promise<Parsed> {
  const parseErrors: ParseError[] = []
  let masked = text
  let { errors } = parsed
  while (parseErrors.length < maxFound) {
    const unquotedText = findUnquotedText(masked, errors)
    if (unquotedText === undefined) break
    const { offset, length } = unquotedText
    const plain = text.slice(offset, offset + length)
    parseErrors.push({
      code: 'broken-yaml',
      message: 'text that begins with {{ must be in quotes, because { begins a mapping',
      hint: `quote the text: ${plain.includes('"') ? `'${plain.replaceAll("'", "''")}'` : `"${plain}"`}`,
      offset,
    })
    masked = `${masked.slice(0, offset)}${'x'.repeat(length)}${masked.slice(offset + length)}`
    errors = (await parse(masked)).errors
  }
  if (parseErrors.length === 0) return parsed
  return failedParse(
    ...[...parseErrors, ...errors].sort((one, other) => (one.offset ?? 0) - (other.offset ?? 0)),
  )
}

/** Each takes another parse. */
const maxFound = 10

const blockStart = /^(?:.*?[:?-][ \t]+|[ \t]*)(?=\{\{)/
const blockText = /^.*?(?=\s*$|\s+#)/
const flowStart = /^.*?(?:[:?-][ \t]+|[[,][ \t]*)(?=\{\{)/
const flowText = /^.*?\}\}(?:[^,\]}]*[^,\]}\s])?/

/** Finds the text on the line of a syntax error, before it. */
function findUnquotedText(text: string, errors: readonly ParseError[]) {
  for (const { code, offset: errorOffset } of errors) {
    if (errorOffset === undefined || !['broken-yaml', 'key-not-text'].includes(code)) continue
    const lineStart = text.lastIndexOf('\n', errorOffset - 1) + 1
    const [line = ''] = /[^\n]*/.exec(text.slice(lineStart)) ?? []
    const [inFlow = ''] = flowStart.exec(line) ?? []
    const isFlow = /(?:^|[:-])[ \t]*[[{](?!\{)/.test(inFlow)
    const start = isFlow ? inFlow : blockStart.exec(line)?.[0]
    if (start === undefined || errorOffset < lineStart + start.length) continue
    const isQuoted = start.split('"').length % 2 === 0
    if (isQuoted) continue
    const [written = ''] = (isFlow ? flowText : blockText).exec(line.slice(start.length)) ?? []
    if (written !== '') return { offset: lineStart + start.length, length: written.length }
  }
  return undefined
}
