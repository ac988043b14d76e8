import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../../context.ts'
import { InvalidInput } from '../../../errors.ts'
import { isObject } from '../../../interface/is-object.ts'
import { kinds } from '../../../interface/kinds.ts'
import { readEntries } from '../../../project/faq/entries.ts'
import type { Entry } from '../../../sandbox/records/entries.ts'
import { type CheckedFile, checkFile } from '../../../source/check-file.ts'

export interface FoundKnowledge {
  readonly entry: Entry
  /** As people see its name. */
  readonly file: string
}

/**
 * The knowledge base of this id in a file of the project around an assistant's file: in the same folder, in a
 * `knowledge-bases/` below or beside it. Undefined when there is none.
 * @throws InvalidInput when the file is there and does not pass
 */
export async function findKnowledge(
  id: string,
  assistantFile: string,
  context: Context,
): Promise<FoundKnowledge | undefined> {
  for (const path of await filesAround(dirname(context.resolve(assistantFile)))) {
    const checked = await check(path, context)
    if (!isObject(checked.value) || checked.value.knowledgeBaseId !== id) continue
    if (checked.diagnostics.some(({ severity }) => severity === 'error'))
      throw new InvalidInput(checked.diagnostics)
    return { entry: toEntry(id, checked), file: checked.source.file }
  }
  return undefined
}

async function filesAround(folder: string): Promise<string[]> {
  const name = kinds['knowledge-base'].folder
  const folders = [join(dirname(folder), name), join(folder, name), folder]
  const found = await Promise.all(
    folders.map(async each => {
      const names = await readdir(each).catch(() => [])
      return names
        .filter(file => /\.(ya?ml|json)$/i.test(file))
        .sort()
        .map(file => join(each, file))
    }),
  )
  return found.flat()
}

async function check(path: string, context: Context): Promise<CheckedFile> {
  const vocabulary = (await context.settings()).vocabulary.value
  return checkFile(path, 'knowledge-base', { cwd: context.cwd, env: context.env, vocabulary })
}

/** Entries that the service has given no id get one that is the same in every run. */
function toEntry(knowledgeBaseId: string, { source, body }: CheckedFile): Entry {
  const entries = readEntries(source, body).entries.map(({ id, content }) => ({
    ...content,
    id: id ?? `faq-${createHash('sha256').update(content.question).digest('hex').slice(0, 12)}`,
  }))
  return { kind: 'faq', knowledgeBaseId, entries }
}
