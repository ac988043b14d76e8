import type { Context } from '../cli/context.ts'

/** Says where the page of `--ui` is. `subject` is what it shows: `The calls are`. */
export function tellPage(subject: string, url: string, output: Context['output']): void {
  output.event({ kind: 'ui', url }, () => undefined)
  if (!output.json) output.note(`${subject} shown at\n  ${url}`, { asked: true })
}
