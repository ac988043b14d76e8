// Generates TypeScript types of resources from the JSON Schemas for the package's declarations (library.js), so that programs need
// neither the schemas nor zod.
import * as z from 'zod/mini'
import { toolResultSchema } from '../src/files/formats/call-observation.ts'
import { faultRuleSchema, requestRecordSchema } from '../src/files/formats/control-api.ts'
import { kinds } from '../src/files/formats/kinds.ts'
import { named } from '../src/interface/fields.ts'
import { componentSchemas, type Schema } from '../src/interface/json-schema.ts'
import { assistantResponse, callResponse, toolResponse } from '../src/interface/responses.ts'
import { webhooks } from '../src/interface/webhooks.ts'
import { isObject, mapValues } from '../src/lib/json.ts'
import {
  jsonSchemaOptionsSchema,
  kindNameSchema,
  nextOptionsSchema,
  receiveOptionsSchema,
  validateOptionsSchema,
  webhookFieldsSchema,
} from '../src/library/option-schemas.ts'
import {
  callOptionsSchema,
  requestFilterSchema,
  sandboxFields,
  worldFields,
} from '../src/library/sandbox-options.ts'

/** The text of each module of src/library/ whose types zod makes: an interface for each schema, and each of its parts that has a name. */
export function writtenTypes(): Readonly<Record<string, string>> {
  const interfaces = interfacesOf(resources())
  const parts = interfacesOf(sandboxParts()).filter(([name]) => !interfaces.some(([other]) => other === name))
  const text = textOf(parts)
  const imported = interfaces.map(([name]) => name).filter(name => new RegExp(`: .*\\b${name}\\b`).test(text))
  return {
    resources: `${head}\n${textOf(interfaces)}\nexport type WebhookEvent = StatusUpdate | ConversationUpdate\n`,
    'sandbox-parts': [
      head,
      "import type { JsonObject } from './public-types.js'\n",
      `import type { ${imported.join(', ')} } from './resources.js'\n\n`,
      text,
    ].join(''),
  }
}

function sandboxParts(): readonly z.ZodMiniType[] {
  const objectOf = (fields: Readonly<Record<string, () => z.ZodMiniType>>) =>
    z.strictObject(mapValues(fields, build => build()))
  return [
    faultRuleSchema(),
    named('WorldOptions', objectOf(worldFields)),
    named('SandboxOptions', objectOf(sandboxFields)),
    named('CallOptions', callOptionsSchema()),
    named('SandboxRequest', requestRecordSchema()),
    named('RequestFilter', requestFilterSchema()),
    named('ToolCall', z.omit(toolResultSchema, { id: true, startedAt: true, endedAt: true })),
  ]
}

/** Each resource, and each webhook event. */
function resources(): readonly z.ZodMiniType[] {
  return [
    kinds.assistant.schema({}),
    kinds['inline-assistant'].schema({}),
    kinds.tool.schema(),
    kinds['tool-update'].schema(),
    kinds.overrides.schema(),
    kinds['call-start'].schema({}),
    kinds['call-connect'].schema({}),
    named('KnowledgeBase', kinds['knowledge-base'].schema()),
    named('Project', kinds.project.schema()),
    assistantResponse(),
    toolResponse,
    callResponse(),
    ...Object.values(webhooks).map(({ body }) => body({})),
    kindNameSchema(),
    named('ValidateOptions', validateOptionsSchema()),
    named('JsonSchemaOptions', jsonSchemaOptionsSchema()),
    named('NextOptions', nextOptionsSchema()),
    named('ReceiveOptions', receiveOptionsSchema()),
    named(
      'WebhookFields',
      webhookFieldsSchema(),
      'Events that `next` waits for; every given field must match.',
    ),
  ]
}

const head = '// Generated from the schemas of the interface (scripts/resource-types.ts).\n'

/** The name and the declaration of each schema, and of each of its parts that has a name. */
function interfacesOf(schemas: readonly z.ZodMiniType[]): (readonly [string, string])[] {
  return Object.entries(componentSchemas(schemas, name => name)).map(([name, schema]) => [
    name,
    `${comment(schema, '')}export ${declaration(name, schema)}\n`,
  ])
}

function textOf(interfaces: readonly (readonly [string, string])[]): string {
  return interfaces.map(([, text]) => text).join('\n')
}

function declaration(name: string, schema: Schema): string {
  return isObject(schema.properties)
    ? `interface ${name} ${typeOf(schema, '')}`
    : `type ${name} = ${typeOf(schema, '')}`
}

function typeOf(schema: unknown, indent: string): string {
  if (!isObject(schema)) return 'unknown'
  const { $ref, tsType, anyOf, oneOf, enum: words, const: word, type, items, properties } = schema
  if (typeof tsType === 'string') return tsType
  if (typeof $ref === 'string') return $ref
  // Choices beside properties only say which of them are required together, which no interface can.
  const choices = isObject(properties) ? undefined : (anyOf ?? oneOf)
  if (Array.isArray(choices)) return union(choices.map(choice => typeOf(choice, indent)))
  if (Array.isArray(words)) return wordsOf(words)
  if (word !== undefined) return JSON.stringify(word)
  if (Array.isArray(type)) return union(type.map(each => typeOf({ ...schema, type: each }, indent)))
  if (type === 'array') {
    const item = typeOf(items, indent)
    return `readonly ${/[ |]/.test(item) && !item.startsWith('{') ? `(${item})` : item}[]`
  }
  if (type === 'object' || isObject(properties)) return objectType(schema, indent)
  return scalars[String(type)] ?? 'unknown'
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A placeholder of the interface is a deployment's own word, which no type can contain. */
function wordsOf(words: readonly unknown[]): string {
  const own = words.some(word => /^</.test(String(word))) ? ['(string & {})'] : []
  return union([...words.map(word => JSON.stringify(word)), ...own])
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function objectType({ properties, required, additionalProperties }: Schema, indent: string): string {
  const fields = isObject(properties) ? Object.entries(properties) : []
  const needed = Array.isArray(required) ? required : []
  const inner = `${indent}  `
  const lines = fields.map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const isNeeded = needed.includes(name)
    return `${comment(field, inner)}${inner}readonly ${key}${isNeeded ? '' : '?'}: ${typeOf(field, inner)}${isNeeded ? '' : ' | undefined'}\n`
  })
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const rest = isOpen && isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  if (fields.length === 0)
    return `{ readonly [key: string]: ${rest ? typeOf(additionalProperties, indent) : 'unknown'} }`
  const open = isOpen ? [`${inner}readonly [key: string]: unknown\n`] : []
  return `{\n${[...lines, ...open].join('')}${indent}}`
}

function comment(schema: unknown, indent: string): string {
  if (!isObject(schema) || typeof schema.description !== 'string') return ''
  return `${indent}/** ${schema.description.replaceAll('*/', '*\\/')} */\n`
}
