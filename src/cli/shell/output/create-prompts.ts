import { isCi } from '../../../lib/ci.ts'
import type { Environment } from '../../../lib/environment.ts'
import { CallyardError } from '../../../lib/error.ts'
import type { Prompts } from '../context.ts'
import type { GlobalOptions } from '../flags/flag.ts'

interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/** Questions to a person, by @inquirer/prompts; loaded when the first one is asked. They are drawn on stderr. */
export function createPrompts(
  streams: Streams,
  { options, env, signal }: { options: GlobalOptions; env: Environment; signal: AbortSignal },
): Prompts {
  // In this order: a pipe is not opened for a question that nobody sees.
  const isTerminal = streams.stderr.isTTY === true && streams.stdin.isTTY === true
  const obstacle = obstacleIn(options, env) ?? (isTerminal ? undefined : 'not a terminal')
  const available = obstacle === undefined
  const isRefused = isTerminal && options.input === false && options.json !== true && !isCi(env)
  const asking = () => ({ input: streams.stdin, output: streams.stderr, signal })

  async function ask<Answer>(
    flag: string,
    prompt: (inquirer: typeof import('@inquirer/prompts')) => Promise<Answer>,
  ) {
    if (obstacle !== undefined) {
      throw new CallyardError('usage', `${flag} is missing`, {
        hint: `pass ${flag}; callyard cannot prompt: ${obstacle}`,
        details: { missing: [flag] },
      })
    }
    try {
      return await prompt(await import('@inquirer/prompts'))
    } catch (error) {
      if (error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name)) {
        throw new CallyardError('cancelled', 'cancelled; nothing was sent')
      }
      throw error
    }
  }

  return {
    available,
    confirms: available || isRefused,
    text: ({ flag, ...question }) => ask(flag, inquirer => inquirer.input(question, asking())),
    secret: ({ flag, ...question }) =>
      ask(flag, inquirer => inquirer.password({ ...question, mask: '*' }, asking())),
    confirm: ({ flag, ...question }) =>
      ask(flag, inquirer => inquirer.confirm({ ...question, default: false }, asking())),
    select: ({ flag, choices, ...question }) =>
      ask(flag, inquirer => inquirer.select({ ...question, choices: [...choices] }, asking())),
    choose: ({ flag, choices, ...question }) =>
      ask(flag, inquirer =>
        inquirer.checkbox(
          {
            ...question,
            choices: choices.map((choice, value) => ({ ...choice, value })),
            loop: false,
            pageSize: 12,
          },
          asking(),
        ),
      ),
  }
}

/** Why no question can be asked even at a terminal; undefined where one can. */
function obstacleIn(options: GlobalOptions, env: Environment): string | undefined {
  if (options.json === true) return '--json is given'
  if (options.input === false) return '--no-input is given'
  return isCi(env) ? 'CI is set' : undefined
}
