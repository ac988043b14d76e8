/** Where the parts of a call are from, as people see the names. */
export interface Sources {
  readonly assistant: string
  readonly tools: readonly string[]
  readonly knowledge: readonly string[]
}

/** One line that says where each part came from. */
export function describeSources({ assistant, tools, knowledge }: Sources): string {
  const parts = [
    `Assistant: ${assistant}`,
    ...(tools.length === 0 ? [] : [`tools: ${list(tools)}`]),
    ...(knowledge.length === 0 ? [] : [`knowledge: ${list(knowledge)}`]),
  ]
  return parts.join(' · ')
}

const maxNamed = 3

function list(names: readonly string[]): string {
  const all = [...new Set(names)]
  const shown = all.slice(0, maxNamed).join(', ')
  return all.length > maxNamed ? `${shown} and ${all.length - maxNamed} more` : shown
}
