import * as z from 'zod/mini'
import { describeAllowed, formatRange } from '../src/interface/allowed.ts'
import { assistantSchema } from '../src/interface/assistant.ts'
import { connectCallSchema, startCallSchema } from '../src/interface/call.ts'
import { faqInsertSchema, faqUpdateSchema } from '../src/interface/faq.ts'
import { toolSchema, toolUpdateSchema } from '../src/interface/tool.ts'
import { findField, unwrap } from '../src/interface/vocabulary.ts'
import { callStatuses, directions, phoneVendors, webhookStatuses } from '../src/interface/words.ts'

/** Fields with a separate table: path → section of docs/interface.md. */
const separate: Readonly<Record<string, string>> = {
  'config.speech': '2.2',
  startSpeakingOptions: '2.3',
  stopSpeakingOptions: '2.3',
  userInterruptionAckPlan: '2.3',
  assistantPredefinedTools: '2.3',
  assistantAnalysis: '2.4',
  assistantOverrides: '2.6',
  assistant: '2.1',
}

/** The tables of docs/interface.md by the name in their marker. */
const tables: Readonly<Record<string, () => string>> = {
  assistant: () => fieldTable(assistantSchema()),
  speech: () => fieldTable(partOf('config', 'speech')),
  startSpeakingOptions: () => fieldTable(partOf('startSpeakingOptions')),
  stopSpeakingOptions: () => fieldTable(partOf('stopSpeakingOptions')),
  userInterruptionAckPlan: () => fieldTable(partOf('userInterruptionAckPlan')),
  assistantPredefinedTools: () => fieldTable(partOf('assistantPredefinedTools')),
  assistantAnalysis: () => fieldTable(partOf('assistantAnalysis')),
  tool: () => fieldTable(toolSchema()),
  toolUpdate: () => fieldTable(toolUpdateSchema()),
  assistantOverrides: () => fieldTable(partOf('assistantOverrides')),
  startCall: () => fieldTable(startCallSchema()),
  connectCall: () => fieldTable(connectCallSchema()),
  faqInsert: () => fieldTable(faqInsertSchema()),
  faqUpdate: () => fieldTable(faqUpdateSchema()),
  limits: () =>
    table(
      ['Field of an assistant', 'Limit', 'Default'],
      fieldsOf(assistantSchema())
        .filter(({ schema }) => isLimited(schema))
        .map(({ path, schema, facts }) => [code(path), typeOf(schema), defaultOf(facts)]),
    ),
  words: () =>
    table(
      ['Where', 'Words'],
      [
        ['`status` of a call record', words(callStatuses)],
        ['`status` in a webhook', words(webhookStatuses)],
        ['`direction`', words(directions)],
        ['`phoneVendor`', words(phoneVendors)],
      ],
    ),
}

const marked = /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g

/**
 * The text with each table between `<!-- table: name -->` and `<!-- end -->` as the schemas of src/interface have it.
 * @throws Error for a name without a table, and for a table without its place
 */
export function withTables(text: string): string {
  const missing = new Set(Object.keys(tables))
  const filled = text.replace(marked, (_, start: string, name: string, end: string) => {
    const write = tables[name]
    if (write === undefined) throw new Error(`there is no table ${name}`)
    missing.delete(name)
    return `${start}\n${write()}\n${end}`
  })
  const linked = filled.replace(
    /: see \[([\d.]+)\](?!\()/g,
    (see, section: string) => `${see}(${anchorOf(text, section)})`,
  )
  if (missing.size > 0) throw new Error(`no marker for ${[...missing].join(', ')}`)
  return linked
}

/** `#26-overrides`, as GitHub makes it of the heading of a section. */
function anchorOf(text: string, section: string): string {
  const heading = text.split('\n').find(line => line.startsWith(`### ${section} `))
  if (heading === undefined) throw new Error(`there is no section ${section}`)
  const words = heading.replace(/^#+ /, '').toLowerCase()
  return `#${words.replace(/[^\w\s-]/g, '').replaceAll(' ', '-')}`
}

interface Field {
  /** `ttsData[].config.seed`. */
  readonly path: string
  readonly schema: z.ZodMiniType
  readonly isRequired: boolean
  readonly facts: Facts
}

/** Description of a field by `optional` and `required` of src/interface/fields.ts. */
const factsSchema = z.object({
  description: z.optional(z.string()),
  default: z.optional(z.unknown()),
  deprecatedValues: z.optional(z.array(z.string())),
})
type Facts = z.infer<typeof factsSchema>

function fieldTable(schema: z.ZodMiniType): string {
  return table(
    ['Field', 'Type and limits', 'Required', 'Default', 'What it is for'],
    fieldsOf(schema).map(({ path, schema: field, isRequired, facts }) => [
      code(path),
      [typeOf(field), ...(facts.deprecatedValues ?? []).map(word => `${code(word)} is deprecated`)].join(
        '; ',
      ),
      isRequired ? 'yes' : '',
      defaultOf(facts),
      purposeOf(path, facts),
    ]),
  )
}

function purposeOf(path: string, { description = '' }: Facts): string {
  const section = separate[path]
  return `${escapeMarkdown(description)}${section === undefined ? '' : `: see [${section}]`}`
}

/** Lists the fields of an object at every depth, in the order of the schema, without those of a separate table. */
function fieldsOf(schema: z.ZodMiniType, before = ''): Field[] {
  const { prefix, shape } = shapeOf(schema, before)
  return Object.entries(shape).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const own = {
      path,
      schema: unwrap(field),
      isRequired: !(field instanceof z.ZodMiniOptional),
      facts: factsSchema.parse(z.globalRegistry.get(field) ?? {}),
    }
    return separate[path] === undefined ? [own, ...fieldsOf(unwrap(field), path)] : [own]
  })
}

/** The fields that an object, the items of a list, or the values of a mapping have. */
function shapeOf(
  schema: z.ZodMiniType,
  path: string,
): { readonly prefix: string; readonly shape: Readonly<Record<string, z.ZodMiniType>> } {
  if (schema instanceof z.ZodMiniObject) {
    return { prefix: path === '' ? '' : `${path}.`, shape: schema.shape as Record<string, z.ZodMiniType> }
  }
  if (schema instanceof z.ZodMiniArray) return shapeOf(schema.def.element as z.ZodMiniType, `${path}[]`)
  if (schema instanceof z.ZodMiniRecord)
    return shapeOf(schema.def.valueType as z.ZodMiniType, `${path}.<name>`)
  if (schema instanceof z.ZodMiniUnion) {
    const options = schema.def.options as z.ZodMiniType[]
    return shapeOf(options.find(option => option instanceof z.ZodMiniObject) ?? z.unknown(), path)
  }
  return { prefix: path, shape: {} }
}

function partOf(...path: readonly string[]): z.ZodMiniType {
  return path.reduce<z.ZodMiniType>((schema, name) => {
    const field = schema instanceof z.ZodMiniObject ? findField(schema, name) : undefined
    if (field === undefined) throw new Error(`an assistant has no field ${path.join('.')}`)
    return unwrap(field)
  }, assistantSchema())
}

function typeOf(schema: z.ZodMiniType): string {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodMiniEnum) return words(inner.options.map(String))
  if (inner instanceof z.ZodMiniLiteral) return words([...inner.def.values].map(String))
  if (inner instanceof z.ZodMiniUnion)
    return inner.def.options.map(option => typeOf(option as z.ZodMiniType)).join(', or ')
  if (inner instanceof z.ZodMiniArray) return `list of ${typeOf(inner.def.element as z.ZodMiniType)}s`
  if (inner instanceof z.ZodMiniRecord) {
    const values = typeOf(inner.def.valueType as z.ZodMiniType)
    return values === 'any value' ? 'object' : `object of ${values}s`
  }
  if (inner instanceof z.ZodMiniObject) return 'object'
  return escapeMarkdown(describeAllowed(inner).replace(/^an? /, ''))
}

function isLimited(schema: z.ZodMiniType): boolean {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodMiniUnion)
    return inner.def.options.some(option => isLimited(option as z.ZodMiniType))
  if (inner instanceof z.ZodMiniNumber) return /\d/.test(formatRange(inner) ?? '')
  const checks = inner instanceof z.ZodMiniString ? (inner.def.checks ?? []) : []
  return checks.some(one => one instanceof z.core.$ZodCheckMaxLength)
}

function words(list: readonly string[]): string {
  return list.map(code).join(', ')
}

function defaultOf({ default: value }: Facts): string {
  return value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value))
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return [head, head.map(() => '---'), ...rows].map(line).join('')
}

function code(text: string): string {
  return `\`${text}\``
}

/** Escapes text so that Markdown shows it unchanged. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[<>|*]/g, character => `\\${character}`)
}
