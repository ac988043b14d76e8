import type { KindName } from '../../src/interface/words.ts'

/** A file as a person writes it, and which check says what is wrong with it. */
export interface EditorFile {
  readonly kind: KindName
  readonly name: string
  /** YAML; what begins with { is a JSON file. */
  readonly text: string
  /** Returns true if `validate` finds an error. */
  readonly passes: boolean
  /** Why the editor cannot see the error: `validate` alone reports it. */
  readonly validateOnly?: string
  /** The error is in the text; the value that ajv gets has none. */
  readonly ofText?: true
  readonly vocabulary?: Readonly<Record<string, string>>
}

const good = (kind: KindName, name: string, text: string, more: Partial<EditorFile> = {}): EditorFile => ({
  kind,
  name,
  text,
  passes: true,
  ...more,
})

const bad = (kind: KindName, name: string, text: string, more: Partial<EditorFile> = {}): EditorFile => ({
  kind,
  name,
  text,
  passes: false,
  ...more,
})

const elsewhere = 'a schema sees one file, and neither environment, folder nor service'
const beyondType = 'JSON Schema compares no two entries of a list'
const ofYaml = 'it is about how YAML is written, and the value fits'
const freeForm = 'the interface shows no fields there, so the schema takes any value'

const a = (fields: string) => `name: Desk\n${fields}\n`
const faq = (entries: string) => `faq:\n${entries}\n`
const call = (fields: string) => `userNumber: "+12025550101"\nassistantNumber: "+12025550102"\n${fields}\n`
const connect = (fields: string) =>
  `direction: outbound\nphoneNumberId: p1\ncustomer: { number: "+12025550101" }\n${fields}\n`
const tool = (fields: string) => `type: function\n${fields}\n`

export const editorFiles: readonly EditorFile[] = [
  good('assistant', 'the least', a('')),
  good(
    'assistant',
    'much of what it can hold',
    a(`welcomeMessage: Hello {{name}}
welcomeMessageMode: automatic
assistantProvider: <provider_1>
assistantTemperature: 0.7
config:
  speech:
    stt: { vendor: <vendor>, languages: en }
    ttsData:
      - { enabled: true, vendor: <vendor>, language: en, voice: v, config: { stability: 0.5, seed: 4 } }
hints: [spokes, chain]
backgroundSound: https://example.com/rain.mp3
backgroundSoundVolume: 33.5
maxCallDuration: 120
startSpeakingOptions: { waitSeconds: 0.4, smartEndpointing: Service, RtcBaseValue: 1 }
userInterruptionAckPlan: { enabled: true, count: 2, words: 3, phrases: [yes] }
callForwardData: [{ phoneNumber: "+12025550123" }]
assistantOutcome: [{ type: booked, field: day }]
persistHistory: { enabled: true, retentionPeriod: 30 }
assistantAnalysis:
  structuredData: { enabled: true, schema: { type: object, properties: { day: { type: string, format: date, example: 2026-01-01 } } } }`),
  ),
  good('assistant', 'a $schema of editors, in YAML', '$schema: ./assistant.schema.json\nname: Desk\n'),
  good('assistant', 'a $schema of editors, in JSON', '{"$schema": "./a.schema.json", "name": "Desk"}'),
  bad('assistant', 'a $schema that is no text', '{"$schema": 1, "name": "Desk"}'),
  bad('assistant', 'no name', 'welcomeMessage: hi\n'),
  bad('assistant', 'a number as name', 'name: 2024\n'),
  bad('assistant', 'an empty name', 'name:\n'),
  bad('assistant', 'an unknown field', a('idleTimout: 30')),
  bad('assistant', 'an unknown nested field', a('stopSpeakingOptions: { numberOfWord: 2 }')),
  bad('assistant', 'a field of the answer', a('_id: a1')),
  bad('assistant', 'a list', '- name: Desk\n'),
  good(
    'assistant',
    'the lowest and highest numbers',
    a('maxCallDuration: 1\nidleTimeout: 600\nbackgroundSoundVolume: 100'),
  ),
  bad('assistant', 'too short a call', a('maxCallDuration: 0')),
  bad('assistant', 'too long a call', a('maxCallDuration: 121')),
  bad('assistant', 'part of a minute', a('maxCallDuration: 1.5')),
  good('assistant', 'a whole number with a point', a('maxCallDuration: 10.0')),
  bad('assistant', 'a number in quotes', a('idleTimeout: "30"')),
  bad('assistant', 'a reference for a number', a('idleTimeout: ${env:IDLE:-30}')),
  bad('assistant', 'a reference for a switch', a('ttsCacheEnabled: ${env:CACHE:-true}')),
  bad('assistant', 'yes for true', a('dtmfInputEnabled: yes')),
  bad('assistant', 'a word that is none', a('assistantType: single_promt')),
  good('assistant', 'a reference for a word', a('assistantType: ${env:TYPE:-single_prompt}')),
  bad('assistant', 'a reference that comes to no word', a('assistantType: ${env:TYPE:-other}'), {
    validateOnly: elsewhere,
  }),
  good('assistant', 'a reference for text', a('welcomeMessage: Hello ${env:WHO:-there}!')),
  good('assistant', 'literal ${', a('welcomeMessage: Pay $${5} or $5 or ${env:X:-$}.')),
  bad('assistant', 'a broken reference', a('welcomeMessage: Hello ${name}')),
  bad('assistant', 'a reference that nothing closes', a('welcomeMessage: "Hello ${env:NAME"')),
  bad('assistant', 'a broken reference in a list', a('hints: ["${enw:HINT}"]')),
  bad(
    'assistant',
    'a broken reference in a URL',
    a('assistantServer: { url: "https://example.com/${path}" }'),
  ),
  bad('assistant', 'a variable that is not set', a('welcomeMessage: ${env:NOT_SET}'), {
    validateOnly: elsewhere,
  }),
  good('assistant', 'an included file', a('assistantSystemPrompt: ${file:prompt.txt}')),
  bad('assistant', 'a file that is not there', a('assistantSystemPrompt: ${file:gone.txt}'), {
    validateOnly: elsewhere,
  }),
  good('assistant', 'a tool of the project', a('assistantToolIds: ["${tool:known}"]')),
  bad('assistant', 'a tool that the project has not', a('assistantToolIds: ["${tool:gone}"]'), {
    validateOnly: elsewhere,
  }),
  bad('assistant', 'one id instead of a list', a('assistantToolIds: t1')),
  bad('assistant', 'custom-llm without its URL', a('assistantProvider: custom-llm')),
  good(
    'assistant',
    'custom-llm',
    a('assistantProvider: custom-llm\nassistantLLMUrl: http://127.0.0.1:11434/v1'),
  ),
  bad(
    'assistant',
    'a model server that is no URL',
    a('assistantProvider: custom-llm\nassistantLLMUrl: localhost:1'),
  ),
  good('assistant', 'a URL without effect, which is a warning', a('assistantLLMUrl: https://example.com/v1')),
  bad(
    'assistant',
    'a model server at no port',
    a('assistantProvider: custom-llm\nassistantLLMUrl: http://a:99999/'),
    {
      validateOnly: 'no pattern tells a port from its digits',
    },
  ),
  good(
    'assistant',
    'webhooks to a URL of the environment',
    a('assistantServer: { url: "${env:HOOK:-http://127.0.0.1:1/}", secret: s }'),
  ),
  bad('assistant', 'webhooks to no URL', a('assistantServer: { url: example.com/hook }')),
  bad('assistant', 'webhooks to null', a('assistantServer: { url: null }')),
  bad(
    'assistant',
    'a broken reference where the shape is not shown',
    a('assistantServer: { headers: { a: "${b}" } }'),
    {
      validateOnly: freeForm,
    },
  ),
  bad('assistant', 'an end message without the tool', a('endCallMessage: Bye')),
  bad(
    'assistant',
    'an end message with the tool off',
    a('endCallMessage: Bye\nassistantPredefinedTools: { endCall: false }'),
  ),
  good(
    'assistant',
    'an end message with its tool',
    a('endCallMessage: Bye\nassistantPredefinedTools: { endCall: true }'),
  ),
  bad(
    'assistant',
    'knowledge bases without the tool',
    a('assistantKnowledgeBaseIds: [kb]\nassistantPredefinedTools: { endCall: true }'),
  ),
  bad(
    'assistant',
    'phrases and description without the tool',
    a('endCallPhrases: [bye]\nendCallToolDescription: Ends'),
  ),
  good('assistant', 'a deprecated word, which is a warning', a('ttsAudioCacheScope: global')),
  bad('assistant', 'a scope that is none', a('ttsAudioCacheScope: world')),
  bad('assistant', 'a background sound in clear', a('backgroundSound: http://example.com/rain.mp3')),
  bad(
    'assistant',
    'a background sound too long',
    a(`backgroundSound: https://example.com/${'x'.repeat(1000)}`),
  ),
  good('assistant', 'one forward target', a('callForwardData: { phoneNumber: "+12025550123" }')),
  bad('assistant', 'a forward number without quotes', a('callForwardData: { phoneNumber: +12025550123 }')),
  bad('assistant', 'a forward target that is text', a('callForwardData: "+12025550123"')),
  bad(
    'assistant',
    'variables that are numbers',
    a('assistantOverrides: { dynamicVariables: { year: 2024 } }'),
  ),
  bad('assistant', 'a field twice', 'name: Desk\nname: Other\n'),
  bad('assistant', 'a field twice, in JSON', '{"name": "Desk", "name": "Other"}', { ofText: true }),
  bad(
    'assistant',
    'a variable whose name is a number',
    a('assistantOverrides: { dynamicVariables: { 1: x } }'),
    {
      ofText: true,
    },
  ),
  bad('assistant', 'a merge key', 'name: Desk\nassistantOverrides: &o { welcomeMessage: hi }\n<<: *o\n', {
    validateOnly: ofYaml,
    ofText: true,
  }),
  bad('assistant', 'no finite number', a('assistantTemperature: .inf'), {
    validateOnly: ofYaml,
    ofText: true,
  }),
  bad('assistant', 'a whole number beyond 2^53', a('assistantMaxTokens: 99007199254740993')),
  bad('assistant', 'broken YAML', 'name: [\n'),
  bad('assistant', 'two documents', 'name: Desk\n---\nname: Other\n', { validateOnly: ofYaml }),
  bad('assistant', 'only a comment', '# nothing yet\n', { validateOnly: ofYaml }),
  good(
    'assistant',
    'an anchor and its alias',
    a('welcomeMessage: &hi Hello\nendCallMessage: *hi\nassistantPredefinedTools: { endCall: true }'),
  ),
  good(
    'assistant',
    'a real word of the deployment',
    a('assistantProvider: acme\nstartSpeakingOptions: { AcmeBaseValue: 1 }'),
    {
      vocabulary: { '<provider_1>': 'acme', Rtc: 'Acme' },
    },
  ),
  bad('assistant', 'a real word without a vocabulary', a('assistantProvider: acme')),
  good('inline-assistant', 'nothing', '{}'),
  bad('inline-assistant', 'an end message without the tool', 'endCallMessage: Bye\n'),
  good('tool', 'the least', 'type: function\n'),
  good(
    'tool',
    'with a server',
    tool(
      'async: true\nserver: { url: http://127.0.0.1:1/ }\nfunction: { name: book, parameters: { $schema: x } }\nmessages: [{ type: request-start, content: One moment., extra: 1 }]',
    ),
  ),
  bad(
    'tool',
    'a variable of callyard itself',
    tool('messages: [{ type: request-start, content: "${env:CALLYARD_API_KEY}" }]'),
  ),
  bad(
    'tool',
    'one in lower case',
    tool('messages: [{ type: request-start, content: "${env:callyard_api_key:-x}" }]'),
  ),
  good(
    'tool',
    'a variable with such a beginning',
    tool('messages: [{ type: request-start, content: "${env:CALLYARDS_URL:-http://x.test}" }]'),
  ),
  bad('tool', 'another type', 'type: webhook\n'),
  bad('tool', 'no type', 'async: true\n'),
  bad('tool', 'a message without content', tool('messages: [{ type: request-start }]')),
  bad('tool', 'a message whose content is a number', tool('messages: [{ type: request-start, content: 1 }]')),
  bad('tool', 'a function that is text', tool('function: book')),
  good('tool-update', 'one field', 'async: false\n'),
  bad('tool-update', 'the type, which cannot be changed', 'type: function\n'),
  good(
    'knowledge-base',
    'new and known entries',
    faq(
      '  - { question: Q, answer: A }\n  - { id: f1, question: R, answer: B }\n  - { id: , question: S, answer: C }',
    ),
  ),
  good('knowledge-base', 'none yet', 'knowledgeBaseId: desk\nfaq: []\n'),
  bad('knowledge-base', 'no list', 'knowledgeBaseId: desk\n'),
  bad('knowledge-base', 'an entry without an answer', faq('  - { question: Q }')),
  bad('knowledge-base', 'an empty question', faq('  - { question: "", answer: A }')),
  bad('knowledge-base', 'an answer that is a number', faq('  - { question: Q, answer: 9 }')),
  bad('knowledge-base', 'an id that is a number', faq('  - { id: 7, question: Q, answer: A }')),
  bad(
    'knowledge-base',
    'the same question twice',
    faq('  - { question: Q, answer: A }\n  - { question: Q, answer: B }'),
    {
      validateOnly: beyondType,
    },
  ),
  bad('knowledge-base', 'an answer that comes to nothing', faq('  - { question: Q, answer: "${env:E:-}" }'), {
    validateOnly: elsewhere,
  }),
  good(
    'overrides',
    'all of them',
    'welcomeMessage: hi\nrecordingEnabled: true\nrecordingPath: /r\ndynamicVariables: { name: Ada }\n',
  ),
  bad('overrides', 'a mode that is none', 'welcomeMessageMode: loud\n'),
  bad('overrides', 'the prompt, which cannot be overridden', 'assistantSystemPrompt: x\n'),
  good('call-start', 'numbers in quotes', call('')),
  bad('call-start', 'a number without quotes', 'userNumber: +12025550101\nassistantNumber: "+12025550102"\n'),
  bad('call-start', 'one number', 'userNumber: "+12025550101"\n'),
  bad('call-start', 'an empty number', 'userNumber: ""\nassistantNumber: "+12025550102"\n'),
  bad(
    'call-start',
    'an inline assistant that breaks a condition',
    call('assistant: { endCallMessage: Bye }'),
  ),
  good(
    'call-start',
    'an inline assistant without a name',
    call('assistant: { welcomeMessage: hi }\nmetadata: { caller: [Hello], a: { b: 1 } }'),
  ),
  bad('call-start', 'a $schema further in', call('assistant: { $schema: x }')),
  good('call-connect', 'the least', connect('')),
  bad(
    'call-connect',
    'a direction that is none',
    'direction: sideways\nphoneNumberId: p1\ncustomer: { number: "1" }\n',
  ),
  bad(
    'call-connect',
    'a customer without a number',
    'direction: inbound\nphoneNumberId: p1\ncustomer: { name: Ada }\n',
  ),
  good('project', 'only a comment', '# nothing yet\n'),
  good(
    'project',
    'a vocabulary and an endpoint',
    'vocabulary: { <provider_1>: acme, Rtc: Acme }\nassistants: replace\nendpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" }\n',
  ),
  bad('project', 'a placeholder that is none', 'vocabulary: { provider: acme }\n'),
  bad('project', 'an empty word', 'vocabulary: { <provider_1>: "" }\n'),
  bad('project', 'an endpoint without an id', 'endpoints: { updateAssistant: PATCH /assistants }\n'),
  bad('project', 'a switch that is none', 'assistants: overwrite\n'),
]
