/** Words that follow `callyard` in a command. */
export const commandWords =
  'demo|init|plan|apply|assistant|tool|faq|validate|test|schema|call|webhook|mcp|approve|report|sandbox|profile|api|completion|doctor|help|' +
  'create|update|try|push|ask|record|gaps|start|connect|chat|tail|replay|trigger|show|exec|export|import|add|list|use|protect|remove'

/** Start of a command in a sentence, but not `the callyard sandbox`. */
const command = new RegExp(
  String.raw`(?<![\w./-])callyard(?= (?:--\w|(?:${commandWords})(?![\w-])))(?! sandbox(?! (?:start|exec|export|import)\b))`,
  'g',
)

/** Replaces the name of callyard in each command of a text by the command that started it. */
export function asStarted(text: string, startedAs: () => string): string {
  return text.replace(command, startedAs)
}
