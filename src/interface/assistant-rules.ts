import * as z from 'zod/mini'
import { findDenial, mentionsRecording } from './disclosure.ts'
import type { Finding } from './finding.ts'

/** The fields that interface.md 2.1 allows only beside an enabled built-in tool. */
const dependencies = {
  assistantKnowledgeBaseIds: 'knowledgeBase',
  endCallMessage: 'endCall',
  endCallToolDescription: 'endCall',
  endCallPhrases: 'endCall',
} as const

/** The rules between fields: checked in code, and for editors as conditions of the JSON Schema. */
export function withRules<Shape extends z.core.$ZodShape>(shape: Shape) {
  const schema = z.strictObject(shape).check(z.superRefine(checkRules, { when: () => true }))
  return schema.register(z.globalRegistry, { allOf: conditions })
}

const conditions = [
  ...Object.entries(dependencies).map(([field, tool]) =>
    condition(
      { required: [field], properties: { [field]: {} } },
      {
        required: ['assistantPredefinedTools'],
        properties: {
          assistantPredefinedTools: {
            type: 'object',
            required: [tool],
            properties: { [tool]: { const: true } },
          },
        },
      },
    ),
  ),
  condition(
    { required: ['assistantProvider'], properties: { assistantProvider: { const: 'custom-llm' } } },
    { required: ['assistantLLMUrl'], properties: { assistantLLMUrl: {} } },
  ),
]

/** `if` and `then` of JSON Schema. An object literal with a key `then` looks like a promise to linters. */
function condition(met: object, rule: object): Record<string, object> {
  return Object.fromEntries([
    ['if', met],
    ['then', rule],
  ])
}

type Loose = Readonly<Record<string, unknown>>

/** Runs beside the field checks, also when some failed, so that all findings are reported at once. */
function checkRules(value: unknown, { addIssue }: z.core.$RefinementCtx): void {
  if (typeof value !== 'object' || value === null) return
  const assistant = value as Loose
  const switches = (assistant.assistantPredefinedTools ?? {}) as Loose
  const report = (field: string, message: string, params: Partial<Finding>) =>
    addIssue({
      code: 'custom',
      input: assistant[field],
      path: [field],
      message: `${field} ${message}`,
      params,
    })

  for (const [field, tool] of Object.entries(dependencies)) {
    if (assistant[field] === undefined || switches[tool] === true) continue
    report(field, `is allowed only when assistantPredefinedTools.${tool} is true`, {
      code: 'needs',
      at: 'key',
      hint: `set assistantPredefinedTools.${tool}: true, or remove ${field}`,
    })
  }
  const hasOwnServer = assistant.assistantProvider === 'custom-llm'
  if (hasOwnServer && assistant.assistantLLMUrl === undefined) {
    report('assistantProvider', 'custom-llm needs assistantLLMUrl', {
      code: 'needs',
      hint: 'add assistantLLMUrl: the base URL of your model server',
    })
  }
  if (!hasOwnServer && assistant.assistantLLMUrl !== undefined) {
    report('assistantLLMUrl', 'has no effect: it is used only with assistantProvider custom-llm', {
      code: 'no-effect',
      severity: 'warning',
      at: 'key',
      hint: 'set assistantProvider: custom-llm, or remove assistantLLMUrl',
    })
  }
  if (assistant.ttsAudioCacheScope === 'global') {
    report('ttsAudioCacheScope', 'global is deprecated and will be removed', {
      code: 'deprecated',
      severity: 'warning',
      hint: 'use assistant or team',
    })
  }
  checkDisclosure(assistant, report)
}

/** Warns of a prompt that denies being an AI, and of a recording that nobody announces. */
function checkDisclosure(
  assistant: Loose,
  report: (field: string, message: string, params: Partial<Finding>) => void,
): void {
  const { assistantSystemPrompt: prompt, assistantOverrides } = assistant
  const overrides = (assistantOverrides ?? {}) as Loose
  const denial = typeof prompt === 'string' ? findDenial(prompt) : undefined
  if (denial !== undefined) {
    report(
      'assistantSystemPrompt',
      `makes the assistant deny that it is an AI, in line ${denial} of the prompt`,
      {
        code: 'denies-ai',
        severity: 'warning',
        hint: 'many laws require that a caller who asks is told; remove these words, and let the assistant say what it is',
      },
    )
  }
  const spokenTexts = [overrides.welcomeMessage ?? assistant.welcomeMessage, prompt]
  if (overrides.recordingEnabled !== true) return
  if (spokenTexts.some(text => typeof text === 'string' && mentionsRecording(text))) return
  report('assistantOverrides', 'records the call, and neither the welcome nor the prompt says so', {
    code: 'untold-recording',
    severity: 'warning',
    hint: 'add a sentence such as "This call is recorded." to welcomeMessage',
  })
}
