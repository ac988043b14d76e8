/**
 * Splits the output of a program into lines, however its bytes are chunked; a line ends with a line end or a carriage return. A line
 * longer than `maxLength` is split.
 */
export function createOutputLines(maxLength: number, onLine: (line: string) => void) {
  const decoder = new TextDecoder()
  let partialLine = ''
  let afterReturn = false

  const add = (text: string) => {
    if (text === '') return
    // The other half of a line end whose return ended the line.
    const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text
    afterReturn = text.endsWith('\r')
    const lines = (partialLine + rest).split(/\r\n|\n|\r/)
    partialLine = lines.pop() ?? ''
    for (const line of lines) takeInPieces(line)
    while (partialLine.length > maxLength) {
      onLine(partialLine.slice(0, maxLength))
      partialLine = partialLine.slice(maxLength)
    }
  }
  const takeInPieces = (line: string) => {
    for (let start = 0; start === 0 || start < line.length; start += maxLength) {
      onLine(line.slice(start, start + maxLength))
    }
  }
  return {
    push: (bytes: Uint8Array) => add(decoder.decode(bytes, { stream: true })),
    /** Gives out the line that has not ended, if there is one. */
    end() {
      add(decoder.decode())
      if (partialLine !== '') onLine(partialLine)
      partialLine = ''
    },
  }
}
