import type { CommandWords } from '../../lib/error.ts'
import { quoteForShell } from '../../lib/text/escape.ts'

/** Hint, and the commands that it names. */
export interface Advice {
  readonly hint: string
  readonly next?: readonly CommandWords[] | undefined
}

/** A sentence, and what to do next. */
export interface MessageText {
  readonly message: string
  readonly hint?: string | undefined
}

/** Advice by the code of an error or finding, or by the hint that it replaces; a function is given the details of the error and its hint. */
export type Hints = Readonly<
  Record<string, string | Advice | ((details: never, hint: string) => string | Advice)>
>

/** A sentence that names commands: suggest`create one: ${['init']}`. */
export function suggest(
  sentence: TemplateStringsArray,
  ...parts: readonly (string | CommandWords)[]
): Advice {
  const hint = String.raw(
    { raw: sentence },
    ...parts.map(part => (typeof part === 'string' ? part : commandLine(part))),
  )
  return { hint, next: parts.filter(part => typeof part !== 'string') }
}

/** `callyard apply --adopt tool/book=<id>`. */
export function commandLine(words: CommandWords): string {
  return ['callyard', ...words]
    .map(word => {
      const [placeholder = ''] = /<[^<>]+>$|^…$/.exec(word) ?? []
      const text = word.slice(0, word.length - placeholder.length)
      return `${text === '' ? '' : quoteForShell(text)}${placeholder}`
    })
    .join(' ')
}
