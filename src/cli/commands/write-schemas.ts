import { dirname, join } from 'node:path'
import { jsonSchema } from '../../files/formats/file-schema.ts'
import { type Kind, kinds } from '../../files/formats/kinds.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { KindName } from '../../interface/words.ts'
import { fileError } from '../../lib/error.ts'
import { fieldExtensions, hasExtension } from '../../lib/fs/extension.ts'
import { leadsInto, makeFolder } from '../../lib/fs/make-folder.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { toJsonDocument } from '../../lib/text/escape.ts'
import type { Context } from '../shell/context.ts'
import { projectKinds, readIfThere, schemaPath } from './project-schemas.ts'

/** Content of a schema file: the document that `callyard schema` prints. */
export function schemaFile(kind: KindName, vocabulary: Vocabulary): string {
  return `${toJsonDocument(jsonSchema(kind, vocabulary))}\n`
}

/**
 * Writes the schemas of a project, including its vocabulary. Files that are up to date are not touched.
 * @throws CallyardError `usage` if a file cannot be written
 */
export async function writeSchemas(folder: string, kindNames: readonly KindName[], { settings }: Context) {
  const vocabulary = (await settings()).vocabulary.value
  const written: string[] = []
  const unchanged: string[] = []
  for (const kind of kindNames) {
    const file = schemaPath(kind)
    const path = join(folder, file)
    try {
      const content = schemaFile(kind, vocabulary)
      if ((await readIfThere(path)) === content) {
        unchanged.push(file)
        continue
      }
      if (!(await leadsInto(folder, path))) throw new Error('a link leads outside of the folder')
      await makeFolder(dirname(path))
      await replaceFile(path, content)
      written.push(file)
    } catch (error) {
      throw fileError(`cannot write ${path}`, error)
    }
  }
  return { folder, written, unchanged }
}

/** VS Code settings that map folders to schemas, for files without a modeline too. */
export function editorSettings(): string {
  const patterns = projectKinds.map(kind => {
    const { fileName, folder, suffix = '', extensions = fieldExtensions }: Kind = kinds[kind]
    const files =
      fileName === undefined ? extensions.map(extension => `${folder}/**/*${suffix}${extension}`) : [fileName]
    return { schema: `./${schemaPath(kind)}`, files }
  })
  const ofJson = (file: string) => hasExtension(file, ['.json'])
  const yaml = patterns.map(({ schema, files }) => [schema, files.filter(file => !ofJson(file))] as const)
  const json = patterns.map(({ schema, files }) => ({
    fileMatch: files.filter(ofJson).map(file => `/${file}`),
    url: schema,
  }))
  return `${toJsonDocument({
    'yaml.schemas': Object.fromEntries(yaml),
    'json.schemas': json.filter(({ fileMatch }) => fileMatch.length > 0),
  })}\n`
}
