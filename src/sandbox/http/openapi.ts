import * as z from 'zod/mini'
import { assistantAnswer, callAnswer, faqAnswer, toolAnswer } from '../../interface/answers.ts'
import {
  activeFaultSchema,
  clockSchema,
  requestRecordSchema,
  webhookRecordSchema,
} from '../../interface/control-api.ts'
import { describedSchema, named, required } from '../../interface/fields.ts'
import { openApi } from '../../interface/openapi.ts'
import { type Operation, openApiDocument } from '../../interface/openapi-document.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { sandboxSnapshotSchema } from '../records/snapshot.ts'
import { serverSchema } from '../webhooks/delivery.ts'
import { controlPath, controlSchema, healthPath } from './call-control.ts'
import type { SandboxRoute } from './route-table.ts'

type Words = Pick<Operation, 'id' | 'summary' | 'answer'> & Partial<Operation>

/**
 * OpenAPI 3.1 of the control API, from its routes.
 * @throws Error for a route that is not described here
 */
export function controlOpenApi(
  routes: readonly SandboxRoute[],
  vocabulary: Vocabulary,
): Record<string, unknown> {
  const words = wordsOf(vocabulary)
  return openApiDocument({
    title: 'Control of a callwright sandbox',
    version: 'v1',
    description:
      'What a test needs to know of a sandbox and to do to it: its clock, faults, requests, records, snapshots and worlds.',
    servers: [{ url: '/' }],
    tags: [{ name: 'Control', description: 'Of the world that ?world= names, or of the first one' }],
    security: {
      name: 'controlToken',
      description: 'The control token that sandbox start printed (CALLWRIGHT_SANDBOX_TOKEN)',
    },
    operations: [
      { ...checkHealth, tag: 'Control' },
      ...routes.map(({ method, path, query, body, bodyOptions }) => {
        const own = words[`${method} ${path.replace(/^\/__sandbox/, '')}`]
        if (own === undefined) throw new Error(`${method} ${path} is not described`)
        return {
          method,
          path,
          tag: 'Control',
          query,
          body: body?.(vocabulary),
          isBodyOptional: bodyOptions?.isOptional === true,
          ...own,
          problems: [400, 403, 404, ...(own.problems ?? [])],
        } satisfies Operation
      }),
    ],
  })
}

function wordsOf(vocabulary: Vocabulary): Readonly<Record<string, Words>> {
  const call = callAnswer(vocabulary)
  return {
    'GET /openapi.json': { id: 'describeControl', summary: 'This document', answer: anyAnswer },
    'GET /requests': {
      id: 'listRequests',
      summary: 'List the last 1,000 requests',
      description: 'The oldest first, with bodies and answers as far as 8 MB hold them.',
      answer: listOf('requests', requestRecordSchema, 'The oldest first'),
    },
    'GET /webhooks': {
      id: 'listWebhooks',
      summary: 'List the last 1,000 webhooks',
      description:
        'What was sent to receivers, and what they answered. The body is in the answer to a single id.',
      answer: listOf('webhooks', webhookRecordSchema, 'The oldest first'),
    },
    'GET /calls': {
      id: 'listCalls',
      summary: 'List calls',
      answer: listOf('calls', call, 'In the order in which they were placed'),
    },
    'POST /calls/{id}/control': {
      id: 'controlCallOfWorld',
      summary: 'Control a call',
      description: 'What monitor.controlUrl does, without the API key of the world.',
      idOf: 'Id of the call',
      answer: doneAnswer,
      problems: [409],
    },
    'GET /records': {
      id: 'listRecords',
      summary: 'List assistants, tools and FAQ entries',
      answer: answerOf('Records', {
        assistants: required(z.array(assistantAnswer(vocabulary)), 'Assistants'),
        tools: required(z.array(toolAnswer), 'Function tools'),
        knowledgeBases: required(
          z.array(
            z.object({
              id: required(z.string(), 'Id of the knowledge base'),
              faq: faqAnswer.shape.faq,
            }),
          ),
          'Knowledge bases with their entries',
        ),
      }),
    },
    'GET /clock': { id: 'showClock', summary: 'Show the clock', answer: clockSchema },
    'POST /clock': {
      id: 'changeClock',
      summary: 'Advance, freeze or pace the clock',
      description: 'Advancing resolves when all that fell due in that time has happened.',
      answer: clockSchema,
      examples: { body: { advance: '2d' } },
    },
    'GET /faults': { id: 'listFaults', summary: 'List the faults in force', answer: faultsAnswer },
    'POST /faults': {
      id: 'addFault',
      summary: 'Add a fault',
      answer: activeFaultSchema,
      examples: { body: { drop: 1, times: 2, type: 'status-update' } },
    },
    'DELETE /faults': { id: 'clearFaults', summary: 'Remove all faults', answer: faultsAnswer },
    'DELETE /faults/{id}': {
      id: 'removeFault',
      summary: 'Remove a fault',
      idOf: 'Id of the fault',
      answer: faultsAnswer,
    },
    'POST /snapshot': { id: 'takeSnapshot', summary: 'Take a snapshot', answer: sandboxSnapshotSchema },
    'POST /restore': {
      id: 'restore',
      summary: 'Restore a snapshot',
      description: 'Calls that go on are dropped; they send no more webhooks.',
      body: sandboxSnapshotSchema,
      answer: clockSchema,
    },
    'POST /reset': {
      id: 'reset',
      summary: 'Go back to what the world began with',
      description: 'Calls that go on are dropped; they send no more webhooks.',
      answer: clockSchema,
    },
    'GET /events': {
      id: 'streamEvents',
      summary: 'Stream what happens, as server-sent events',
      description: 'Of all worlds together 100 streams are open at most.',
      answer: undefined,
      problems: [429],
    },
    'GET /worlds': { id: 'listWorlds', summary: 'List worlds', answer: worldsAnswer },
    'POST /worlds': {
      id: 'openWorld',
      summary: 'Open another world',
      description:
        'A world has an API key, records, calls, a clock and faults of its own. Beside the first one 1,000 are open at most.',
      answer: answerOf('OpenedWorld', {
        teamId: required(z.string(), 'Team id of the world'),
        apiKey: required(z.string(), 'API key of the world'),
        clock: clockSchema,
      }),
      problems: [409],
    },
    'DELETE /worlds/{id}': {
      id: 'closeWorld',
      summary: 'Close a world',
      idOf: 'Team id of the world',
      answer: worldsAnswer,
      problems: [409],
    },
  }
}

const anyAnswer = describedSchema('OpenApiDocument', 'An OpenAPI 3.1 document', {})

const faultsAnswer = listOf('faults', activeFaultSchema, 'In the order in which they came')

const worldsAnswer = listOf(
  'worlds',
  z.object({ teamId: required(z.string(), 'Team id of the world') }),
  'The first one first',
)

function answerOf<Fields extends z.core.$ZodShape>(name: string, fields: Fields) {
  return named(name, z.object(fields))
}

function listOf(name: string, item: z.ZodMiniType, description: string) {
  return answerOf(`${name[0]?.toUpperCase()}${name.slice(1)}`, {
    [name]: required(z.array(item), description),
  })
}

const tag = { name: 'Sandbox', description: 'What the sandbox has and the interface does not publish' }

/** The document of the interface, with what the sandbox adds to it. */
export function sandboxOpenApi(vocabulary: Vocabulary): Record<string, unknown> {
  return openApi({
    vocabulary,
    // Relative to the document: the sandbox, by any of its names.
    servers: [{ url: '/' }],
    replaced: [serverSchema],
    more: {
      tag,
      operations: [
        {
          id: 'identify',
          method: 'GET',
          path: '/',
          summary: 'Which sandbox this is',
          tag: tag.name,
          isOpen: true,
          answer: identityAnswer,
        },
        { ...checkHealth, tag: tag.name },
        {
          id: 'showCall',
          method: 'GET',
          path: controlPath,
          summary: 'Show a call',
          description: 'monitor.controlUrl: the record of the call, and what was said.',
          tag: tag.name,
          idOf: 'Id of the call',
          answer: callAnswer(vocabulary),
          problems: [404],
        },
        {
          id: 'controlCall',
          method: 'POST',
          path: controlPath,
          summary: 'Control a call',
          description: 'monitor.controlUrl: speak in the call, press keys, say nothing, or hang up.',
          tag: tag.name,
          idOf: 'Id of the call',
          body: controlSchema,
          answer: doneAnswer,
          problems: [404, 409],
        },
      ],
    },
  })
}

const checkHealth = {
  id: 'checkHealth',
  method: 'GET',
  path: healthPath,
  summary: 'Check that the sandbox takes requests',
  isOpen: true,
  answer: answerOf('Health', { status: required(z.string(), 'Always ok') }),
} as const satisfies Partial<Operation>

const identityAnswer = answerOf('Identity', {
  service: required(z.string(), 'Always callwright sandbox'),
  teamId: required(z.string(), 'Team of its first API key'),
})

export const doneAnswer = answerOf('Done', { message: required(z.string(), 'Always done') })
