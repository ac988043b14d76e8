/** Indentation stops here: a hostile nesting would grow it without end. */
const maxDepth = 50

/** The same document with one member per line. Works on the text, so that no number is rounded and no key is lost. */
export function indentJsonText(json: string): string {
  let depth = 0
  let output = ''
  const line = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`
  const tokens = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  for (const [index, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      output += token
      if (!isClosing(tokens[index + 1])) output += line()
    } else if (isClosing(token)) {
      depth -= 1
      output += tokens[index - 1] === '{' || tokens[index - 1] === '[' ? token : line() + token
    } else if (token === ',') output += token + line()
    else output += token === ':' ? ': ' : token
  }
  return output
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}
