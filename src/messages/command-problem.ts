import type { CommandProblem } from '../lib/process/command-line.ts'

/** Explains why a command cannot be run without a shell. */
export function commandProblemText({ code, text = '' }: CommandProblem): string {
  return texts[code](text.replace('\n', '(line end)'))
}

const texts: Readonly<Record<CommandProblem['code'], (part: string) => string>> = {
  assignment: () => 'setting a variable before the command requires a shell',
  'backslash-at-end': () => 'the command ends with a backslash',
  comment: () => '# starts a shell comment',
  escape: part => `${part} requires a shell`,
  home: () => '~ requires a shell',
  'line-goes-on': () => 'line continuation requires a shell',
  'no-program': () => 'the command is empty',
  'open-quote': part => `unclosed quote ${part}`,
  operator: part => `the operator ${part} requires a shell`,
  pattern: part => `the pattern starting with ${part} requires a shell`,
  'several-lines': () => 'a command must be a single line',
  substitution: () => '` requires a shell',
  unreadable: () => 'the command cannot be read',
  variable: part => `the variable ${part} requires a shell`,
  'zero-byte': () => 'a command cannot contain a null byte',
}
