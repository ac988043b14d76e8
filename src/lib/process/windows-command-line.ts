/** The words of a command, or why it cannot be read, as a sentence. */
export type WindowsWords = { readonly words: readonly string[] } | { readonly refused: string }

/**
 * Splits a command as Windows programs split their own command line: at spaces and tabs, double quotes hold a word
 * together, and a backslash is a plain character unless it stands before a double quote. There is no shell, so what only
 * cmd.exe would do is refused instead of handed on as text.
 */
export function splitWindowsCommand(command: string): WindowsWords {
  const words: string[] = []
  let word = ''
  let begun = false
  let quoted = false
  for (let index = 0; index < command.length; index++) {
    const character = command[index] ?? ''
    if (character === '\\') {
      const end = endOfBackslashes(command, index)
      const count = end - index
      const beforeQuote = command[end] === '"'
      word += '\\'.repeat(beforeQuote ? Math.floor(count / 2) : count)
      begun = true
      index = end - 1
      if (beforeQuote && count % 2 === 1) {
        word += '"'
        index = end
      }
    } else if (character === '"') {
      begun = true
      // Two of them inside of quotes are one that is meant.
      if (quoted && command[index + 1] === '"') {
        word += '"'
        index++
      } else quoted = !quoted
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (begun) words.push(word)
      word = ''
      begun = false
    } else {
      const refused = quoted ? undefined : unread(character)
      if (refused !== undefined) return { refused }
      word += character
      begun = true
    }
  }
  if (quoted) return { refused: 'a quote " is not closed' }
  if (begun) words.push(word)
  const variable = words.find(each => /%[A-Za-z_]\w*%/.test(each))
  if (variable !== undefined) return { refused: `${variable} names a variable, which is for a shell` }
  return { words }
}

function unread(character: string): string | undefined {
  if ('|&<>^'.includes(character)) return `the operator ${character} is for a shell`
  return /\s/.test(character) ? 'a command is one line of words with spaces between them' : undefined
}

function endOfBackslashes(text: string, start: number): number {
  let end = start
  while (text[end] === '\\') end++
  return end
}
