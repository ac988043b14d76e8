import { escapeForTerminal, toJsonLine } from '../../lib/text/escape.ts'

/** Indentation stops here: a hostile nesting would grow it without end. */
const maxDepth = 50

/** Whether a text is one JSON document. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * A JSON text with every character that could harm a terminal \u-escaped. The document stays the same, number by number:
 * in JSON such characters stand only inside strings, and tab, newline and carriage return only between tokens.
 */
export function escapeJsonText(json: string): string {
  let escaped = ''
  for (const character of json) {
    if (character === '\n' || character === '\t') escaped += character
    else if (character === '\r') escaped += ' '
    else
      escaped += escapeForTerminal(character) === character ? character : toJsonLine(character).slice(1, -1)
  }
  return escaped
}

/** The same document with one member per line. Works on the text, so that no number is rounded and no key is lost. */
export function indentJsonText(json: string): string {
  let depth = 0
  let indented = ''
  const line = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`
  const tokens = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      indented += token
      if (!isClosing(tokens[index + 1])) indented += line()
    } else if (isClosing(token)) {
      depth -= 1
      indented += tokens[index - 1] === '{' || tokens[index - 1] === '[' ? token : line() + token
    } else if (token === ',') indented += token + line()
    else indented += token === ':' ? ': ' : token
  }
  return indented
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}
