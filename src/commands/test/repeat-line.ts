import { quoteForShell } from '../../lib/text/escape.ts'
import type { ObservedCall, TestCase } from '../../scenario/index.ts'

/**
 * The command line that holds the call of a test again, up to a turn or to its end; of a test with a model, the whole test. In bash and zsh it can be pasted as it is.
 * `assistantFile`: of the assistant with that name, as people see it.
 */
export function repeatLine(
  test: TestCase,
  call: ObservedCall,
  turn: number | undefined,
  assistantFile: (name: string) => string | undefined,
): string | undefined {
  const { assistant, variables, overrides } = test
  // In a chat another model would answer, or none.
  if (test.model !== 'none') return `callwright test ${quoted(test.file)}`
  const lines = call.turns
    .slice(0, (turn ?? call.turns.length) + 1)
    .flatMap(({ caller }) => (caller === undefined ? [] : [caller.line]))
  const file =
    'inline' in assistant
      ? contentOf(assistant.inline)
      : quoted(assistantFile(assistant.name) ?? assistant.name)
  const command = [
    `printf '%s\\n' ${lines.length === 0 ? '/hangup' : lines.map(quoted).join(' ')} |`,
    `callwright call chat ${file}`,
    ...Object.entries(variables).map(([name, value]) => `--var ${quoted(`${name}=${value}`)}`),
    ...(overrides === undefined ? [] : [`--overrides ${contentOf(overrides)}`]),
  ].join(' ')
  return command.length > maxLength ? undefined : command
}

/** Longer than people paste. */
const maxLength = 4000

/** A file of this content, which the shell makes. */
function contentOf(value: unknown): string {
  return `<(printf %s ${quoted(JSON.stringify(value))})`
}

/** What shows as an escape, or is no text on one line, cannot be pasted as it is shown: the shell makes it of the escape. */
function quoted(text: string): string {
  const plain = quoteForShell(text)
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? `$'${text.replace(escaped, escapeOf)}'` : plain
}

const escaped = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\']/gu

function escapeOf(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
