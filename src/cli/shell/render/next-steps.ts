import { cyan, dim, join, type Text, text, whole } from '../../../lib/text/text.ts'
import type { Context, Output } from '../context.ts'
import { commandAsStarted } from '../started-as.ts'

/** Lists next commands, each behind its purpose; `why` is empty if the command says enough. */
export function nextSteps(steps: readonly { readonly command: string; readonly why: string }[]): Text {
  const width = Math.max(...steps.map(({ why }) => why.length))
  const lines = steps.map(({ command, why }) => {
    const purpose = why === '' ? '' : text`${dim(why)}${' '.repeat(width - why.length + 2)}`
    return text`  ${purpose}${cyan(whole(command))}`
  })
  return text`Try next:\n${join(lines)}`
}

/** Prints the next step on a dim line; scripts get none. */
export function noteNext({ json, note }: Output, step: string): void {
  if (!json) note(dim(`Next: ${step}`))
}

/** Returns a command line of callyard as the person started it, for the folder of the context. */
export function ownCommand(words: string, { host: { script, platform }, env, cwd }: Context): string {
  return `${commandAsStarted({ script, platform, env }, cwd)} ${words}`
}

/** Says where the page of `--ui` is. `subject` is what it shows: `The calls are`. */
export function describePage(subject: string, url: string, output: Output): void {
  output.event({ kind: 'ui', url }, () => undefined)
  if (!output.json) output.note(`${subject} shown at\n  ${url}`, { isRequested: true })
}
