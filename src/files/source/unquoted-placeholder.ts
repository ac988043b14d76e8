import type { ParseError } from './diagnostic.ts'

/** Finds the text before an offset, on its line, that begins with `{{` and is not quoted: YAML takes it for a mapping. */
export function findUnquotedPlaceholder(text: string, offset: number): ParseError | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const [line = ''] = /[^\n]*/.exec(text.slice(lineStart)) ?? []
  const [start] = /^(.*?(?::|-|\?)[ \t]+|[ \t]*)(?=\{\{)/.exec(line) ?? []
  if (start === undefined || offset < lineStart + start.length) return undefined
  return {
    code: 'broken-yaml',
    message: 'text that begins with {{ must be in quotes, because { begins a mapping',
    hint: `quote the text: "${line.slice(start.length).trimEnd()}"`,
    offset: lineStart + start.length,
  }
}
