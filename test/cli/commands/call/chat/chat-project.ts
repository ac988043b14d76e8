/** A project with an assistant that replies from its knowledge base, and the arguments to chat with it. */
export const assistant = `
name: Front desk
welcomeMessage: Hello {{name}}, how can I help?
assistantPredefinedTools: { knowledgeBase: true, endCall: true }
assistantKnowledgeBaseIds: [workshop]
endCallPhrases: [goodbye]
endCallMessage: Thank you for calling.
assistantAnalysis: { summary: { enabled: true } }
`
const knowledge = `
knowledgeBaseId: workshop
faq:
  - { question: When are you open?, answer: From nine to six. }
  - { question: Where is the workshop?, answer: At 12 Canal Street. }
`
export const project = { 'assistants/desk.yaml': assistant, 'knowledge-bases/workshop.yaml': knowledge }
export const desk = ['call', 'chat', 'assistants/desk.yaml', '--var', 'name=Ada']

export const spoken = (stdout: string) => stdout.split('\n').filter(line => /^(user|assistant) /.test(line))
