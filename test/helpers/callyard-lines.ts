import { parse } from 'shell-quote'

/** The arguments of each callyard in a command line with pipes, redirections and subshells. */
export function callyardsOf(commandLine: string): string[][] {
  const lines: string[][] = []
  let current: string[] | undefined
  let isTarget = false
  for (const token of parse(commandLine.replace(/\\\n/g, ' '))) {
    if (isTarget) isTarget = false
    else if (token === 'callyard' && current === undefined) {
      current = []
      lines.push(current)
    } else if (typeof token === 'string') current?.push(token)
    else if ('op' in token && token.op === 'glob') current?.push(token.pattern)
    else if ('op' in token && /^>>?$/.test(token.op)) isTarget = true
    else current = undefined
  }
  return lines
}
