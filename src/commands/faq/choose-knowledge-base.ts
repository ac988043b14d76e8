import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import type { FaqFile } from '../../project/index.ts'
import type { CheckedFile } from '../../source/index.ts'

interface KnowledgeBaseOption {
  /** Knowledge base id; wins over the file's own. */
  readonly kb?: string
}

/**
 * The lockfile, and with it every target, knows the ids in a project's file as those of one knowledge base.
 * @throws CliError `usage` for a --kb that is another one.
 */
export function assertOwnKnowledgeBase(
  { kb }: KnowledgeBaseOption,
  { fromEnvironment }: CheckedFile,
  { knowledgeBaseId, source }: FaqFile,
): void {
  if (kb === undefined || kb === '' || knowledgeBaseId === undefined || kb === knowledgeBaseId) return
  const concealed = fromEnvironment.some(([field]) => field === 'knowledgeBaseId')
  const own = concealed ? 'the knowledge base that it names' : `knowledge base ${knowledgeBaseId}`
  throw new CallwrightError(
    'usage',
    `${source.file} belongs to a project, and its ids are those of ${own}; nothing was sent`,
    {
      hint: `for ${kb}, copy the file out of knowledge-bases/ and take the ids out of the copy; or change knowledgeBaseId`,
    },
  )
}

/** The one of --kb, else the file's own. @throws CliError `usage` when neither says which. */
export function chooseKnowledgeBase({ kb }: KnowledgeBaseOption, file: FaqFile, { output }: Context): string {
  const { knowledgeBaseId, source } = file
  if (kb === '') throw new CallwrightError('usage', '--kb is empty')
  if (kb !== undefined && knowledgeBaseId !== undefined && kb !== knowledgeBaseId) {
    output.warn(`${source.file} names knowledge base ${knowledgeBaseId}; --kb ${kb} is used instead`)
  }
  const chosen = kb ?? knowledgeBaseId
  if (chosen !== undefined) return chosen
  throw new CallwrightError('usage', `which knowledge base do the entries of ${source.file} belong to?`, {
    hint:
      source.format === 'csv'
        ? 'give --kb <id>; a CSV file has no place for it, a YAML or JSON file takes knowledgeBaseId'
        : 'give --kb <id>, or write knowledgeBaseId: <id> into the file',
  })
}
