import { starterProject } from '../../src/cli/commands/starter-project.ts'

/** Text of a function tool. */
export function toolText(name: string, more = ''): string {
  return `type: function\nfunction: { name: ${name} }\n${more}`
}

export interface AssistantOptions {
  /** Names of the project. */
  readonly tools?: readonly string[]
  readonly knowledgeBases?: readonly string[]
  /** Further fields, as text. */
  readonly more?: string
}

/** Text of an assistant. */
export function assistantText(
  name: string,
  { tools = [], knowledgeBases = [], more = '' }: AssistantOptions = {},
): string {
  const list = (field: string, kind: string, names: readonly string[]) =>
    names.length === 0 ? '' : `${field}:\n${names.map(item => `  - \${${kind}:${item}}\n`).join('')}`
  return `name: ${name}\n${list('assistantToolIds', 'tool', tools)}${list('assistantKnowledgeBaseIds', 'kb', knowledgeBases)}${more}`
}

/** Text of a knowledge base with these entries, or with that many. Entries have no ids. */
export function knowledgeBaseText(
  id: string,
  entries: number | Readonly<Record<string, string>> = { Question: 'Answer' },
): string {
  const pairs =
    typeof entries === 'number'
      ? Array.from({ length: entries }, (_, index) => [`${id} ${index}?`, `a ${index}`] as const)
      : Object.entries(entries)
  const lines = pairs.map(
    ([question, answer]) =>
      `  - question: ${JSON.stringify(question)}\n    answer: ${JSON.stringify(answer)}\n`,
  )
  return `knowledgeBaseId: ${id}\nfaq:\n${lines.join('')}`
}

/** Files of the starter project of `init`, without those in these folders. */
export function starterFiles(...without: readonly string[]): Record<string, string> {
  const files = Object.entries(starterProject())
  return Object.fromEntries(files.filter(([name]) => !without.some(folder => name.startsWith(`${folder}/`))))
}
