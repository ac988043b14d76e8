import type * as z from 'zod/mini'
import { assistantSchema, inlineAssistantSchema, overridesSchema } from '../../interface/assistant.ts'
import { connectCallSchema, startCallSchema } from '../../interface/call.ts'
import { knowledgeBaseSchema } from '../../interface/faq.ts'
import { toolSchema, toolUpdateSchema } from '../../interface/tool.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { type KindName, kindNames, type ResourceKind } from '../../interface/words.ts'
import { yamlExtensions } from '../../lib/fs/extension.ts'
import { batchSchema } from './batch.ts'
import { guardSchema } from './guard.ts'
import { projectSchema } from './project.ts'
import { testSchema } from './scenario.ts'

export interface Kind {
  /** Name in a sentence. */
  readonly title: string
  /** The folder whose files are of this kind, or the one file name. */
  readonly folder?: string
  readonly fileName?: string
  /** Only files with such names are of this kind in its folder: `.test` of `hours.test.yaml`. */
  readonly suffix?: string
  /** Only files with these extensions are of this kind in its folder, which may contain data as well. */
  readonly extensions?: readonly string[]
  /** Every setting is optional: a file with only comments is valid. */
  readonly mayBeEmpty?: boolean
  schema(vocabulary: Vocabulary): z.ZodMiniType
}

/** Every kind of file, closed: the folder that tells it, and its schema. */
export const kinds = {
  assistant: { title: 'assistant', folder: 'assistants', schema: assistantSchema },
  'inline-assistant': { title: 'inline assistant', schema: inlineAssistantSchema },
  tool: { title: 'tool', folder: 'tools', schema: toolSchema },
  'tool-update': { title: 'tool update', schema: toolUpdateSchema },
  'knowledge-base': { title: 'knowledge base', folder: 'knowledge-bases', schema: knowledgeBaseSchema },
  overrides: { title: 'assistant overrides', folder: 'overrides', schema: overridesSchema },
  'call-start': { title: 'call start request', schema: startCallSchema },
  'call-connect': { title: 'call connect request', schema: connectCallSchema },
  test: { title: 'test', folder: 'tests', suffix: '.test', schema: testSchema },
  batch: { title: 'batch', folder: 'batches', extensions: yamlExtensions, schema: batchSchema },
  guard: { title: 'guard', folder: 'guards', extensions: yamlExtensions, schema: guardSchema },
  project: { title: 'project', fileName: 'callyard.yaml', mayBeEmpty: true, schema: projectSchema },
} as const satisfies Record<KindName, Kind>

export const fileKinds = {
  tool: 'tool',
  kb: 'knowledge-base',
  assistant: 'assistant',
} as const satisfies Record<ResourceKind, KindName>

/** Folders whose files all have the kind of the folder, whatever their names. */
const unmixedFolders = Object.values<Kind>(kinds).flatMap(({ folder, suffix }) =>
  folder === undefined || suffix !== undefined ? [] : [folder],
)

/** The hint for one file of unknown kind; `give` is how the kind is given. */
export function moveOrGiveKind(give = 'give its kind'): string {
  return `move it to ${unmixedFolders.map(folder => `${folder}/`).join(', ')}, or ${give} (${kindNames.join(', ')}); a test is called *.test.yaml`
}
