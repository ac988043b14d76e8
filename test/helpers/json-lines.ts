import { createInterface } from 'node:readline'

/** Values of JSON Lines, such as the stdout of a stream with `--json`, or a journal. */
export function jsonLines(text: string) {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

export function toJsonLines(values: readonly unknown[]): string {
  return values.map(value => `${JSON.stringify(value)}\n`).join('')
}

/** Lines of a stream as they arrive. Reads on while nobody asks for lines, so that the stream can end. */
export function lines(stream: NodeJS.ReadableStream | null): AsyncGenerator<string, undefined> {
  const waiting: string[] = []
  let ended = false
  let wake = () => {}
  const arrived = (line?: string) => {
    if (line === undefined) ended = true
    else waiting.push(line)
    wake()
  }
  if (stream === null) ended = true
  else createInterface({ input: stream }).on('line', arrived).on('close', arrived)
  return (async function* () {
    while (true) {
      const line = waiting.shift()
      if (line !== undefined) yield line
      else if (ended) return undefined
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
  })()
}
