import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type BatchFile, batchSchema } from '../../files/formats/batch.ts'
import { checkFile, displayName } from '../../files/source/index.ts'
import { check } from '../../interface/check.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import type { CallDeps } from '../place/index.ts'

/** Settings of a batch that are given beside its file. */
export type BatchSettings = Partial<BatchFile>

/**
 * Reads a batch file with settings that replace those of the file.
 * @throws CallyardError `usage` for a setting that is not valid
 */
export async function readBatchFile(
  path: string,
  settings: BatchSettings,
  { allowUnknown }: { readonly allowUnknown?: boolean | undefined },
  deps: CallDeps,
) {
  const vocabulary = (await deps.settings()).vocabulary.value
  const checked = await checkFile(path, 'batch', { ...deps.files, vocabulary, allowUnknown })
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error')
  const missing = errors.filter(({ path: field }) => !Object.hasOwn(settings, String(field[0])))
  const batch =
    missing.length > 0
      ? emptyBatch
      : mergeSettings(await withAssistantFile(checked.value, path, deps), settings)
  return { batch, problems: missing, checked: [checked], displayPath: displayName(path, deps.cwd) }
}

/** An assistant that is a file is relative to the batch, as the list is. */
async function withAssistantFile(fields: unknown, path: string, { cwd }: CallDeps): Promise<unknown> {
  if (!isObject(fields) || typeof fields.assistant !== 'string') return fields
  const file = resolve(dirname(path), fields.assistant)
  const isFile = await stat(file).then(
    status => status.isFile(),
    () => false,
  )
  return isFile ? { ...fields, assistant: displayName(file, cwd) } : fields
}

const emptyBatch: BatchFile = { list: '', from: '' }

/**
 * Returns the fields of a batch with settings that replace them.
 * @throws CallyardError `usage` for a setting that is not valid
 */
export function mergeSettings(fields: unknown, settings: BatchSettings): BatchFile {
  const base = typeof fields === 'object' && fields !== null ? fields : {}
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const before = merged[name]
    const isGroup = !Array.isArray(value) && isObject(value) && isObject(before)
    merged[name] = isGroup ? { ...before, ...value } : value
  }
  const [finding] = check(batchSchema(), merged)
  if (finding === undefined) return batchSchema().parse(merged)
  if (finding.code === 'missing') {
    const [field] = finding.path
    throw new CallyardError('usage', finding.message, {
      hint: 'name the number that the calls come from',
      // Names the flag: `--json` lists what is missing in this form.
      details: { missing: [`--${field}`] },
    })
  }
  throw new CallyardError('usage', finding.message, { hint: finding.hint })
}
