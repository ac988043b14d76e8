import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Address } from '../../files/formats/address.ts'
import { type CheckedResource, createFromFile } from '../../project/apply/index.ts'
import { resourceInProject } from '../../project/resources/index.ts'
import { requireConnection } from '../../service/profile/index.ts'
import type { Context } from '../shell/context.ts'
import {
  type NoOptions,
  type OptionsOf,
  withFileFlags,
  withTargetFlag,
  yesFlag,
} from '../shell/flags/flag.ts'
import type { SchemaBuilders } from '../shell/schema-builders.ts'
import { agreeToAccess } from './consent.ts'
import { loadResource } from './resolve-args.ts'
import { requireBaseUrl } from './target.ts'
import { printWarnings } from './warnings.ts'

/** Adds the flags of `assistant create` and `tool create`. */
export function withCreateFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withFileFlags(
    withTargetFlag(command)
      .option('--allow-duplicate', 'Create it even if the target already has one')
      .addOption(yesFlag()),
  )
}

export type CreateFlags = OptionsOf<typeof withCreateFlags<[], NoOptions>>

/** Creates a resource with one POST, after all checks, from a file or a form. The lockfile records files of a project. */
export async function createAssistantOrTool(
  kind: 'assistant' | 'tool',
  input: { readonly file: string | undefined; readonly body?: Readonly<Record<string, unknown>> },
  options: CreateFlags,
  context: Context,
): Promise<{ record: { readonly _id: string; readonly name?: unknown }; address?: Address }> {
  const { file } = input
  const inProject = file === undefined ? undefined : await resourceInProject(file, context.files)
  if (inProject?.kind === kind) {
    await requireBaseUrl(context)
    const named = { ...inProject, kind }
    const { response, id = '' } = await createFromFile(named, options, context, sendEvents(context))
    return { record: withNotStored({ ...response, _id: id }, context), address: inProject.address }
  }
  const body = input.body ?? (await loadResource(context, file ?? '', kind, options))
  await agreeToAccess(context)
  const api = context.api()
  const record = kind === 'tool' ? await api.createTool(body) : await api.createAssistant(body)
  return { record: withNotStored(record, context) }
}

/** Schema of the record as the service returned it, and the fields that it did not store. */
export async function sentRecordSchema({ z }: SchemaBuilders) {
  const { storedRecordSchema } = await import('../../files/formats/control-api.ts')
  const { notStoredSchema } = await import('../../service/api/not-stored-schema.ts')
  return z.extend(storedRecordSchema(), { notStored: notStoredSchema })
}

/** Adds the fields that the service did not store to the record that it returned. */
export function withNotStored<Record extends object>(record: Record, { notStored }: Context): Record {
  return notStored.length > 0 ? { ...record, notStored } : record
}

/** Callbacks for sending one file of a project: show warnings, and ask once for access. */
export function sendEvents(context: Context) {
  return {
    onChecked: ({ checked }: CheckedResource) => printWarnings(checked.diagnostics, context),
    async beforeSending() {
      requireConnection(await context.settings())
      await agreeToAccess(context)
    },
  }
}
