import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startToolServer } from '../../helpers/tool-server.ts'
import { toolsOfCall } from './call-tools.ts'
import { toldBy, useTool } from './use-tool.ts'

const everything = {
  knowledgeBase: true,
  endCall: true,
  appointment: true,
  volumeControl: true,
  waitList: true,
  callForward: true,
}
const predefinedNames = [
  'search_knowledge_base',
  'end_call',
  'book_appointment_slot',
  'change_volume',
  'join_wait_list',
  'forward_call',
]

test('only what is switched on is offered', () => {
  expect(toolsOfCall({ knowledgeBaseIds: ['desk'] }).names).toEqual([])
  expect(toolsOfCall({ switches: { endCall: true, waitList: false } }).names).toEqual(['end_call'])
  const { names, problems, tools } = toolsOfCall({ switches: everything, knowledgeBaseIds: ['desk'] })
  expect(names).toEqual(predefinedNames)
  expect(tools.map(({ predefined }) => predefined)).toEqual(Object.keys(everything))
  expect(problems).toEqual([])
})

test('function tools take precedence by name, and unavailable ones are reported', async () => {
  const server = await startToolServer({ json: { mine: true } })
  const named = (name: string) => ({ _id: `t-${name}`, function: { name }, server: { url: server.url } })
  const { names, problems, tool } = toolsOfCall({
    functionTools: [named('end_call'), named('ping'), { ...named('ping'), server: {} }, named('no good')],
    switches: { endCall: true, knowledgeBase: true, volumeControl: true },
  })
  expect(names).toEqual(['end_call', 'ping', 'change_volume'])
  expect(problems).toEqual([
    'two tools are called ping: only the first is offered',
    expect.stringContaining('the tool with the id t-no good is not offered'),
    'the predefined tool knowledgeBase is not offered: assistantKnowledgeBaseIds names no knowledge base',
    'the predefined tool endCall is not offered: a function tool is called end_call too',
  ])
  expect(await toldBy(useTool(tool('end_call')))).toEqual({ mine: true })
  expect(await toldBy(useTool(tool('ping')))).toEqual({ mine: true })
})

test('variables of what is spoken are filled', async () => {
  const server = await startToolServer({ json: {} })
  const messages = [{ type: 'request-start', content: 'One moment, {{name}}.' }]
  const { tool } = toolsOfCall({
    functionTools: [{ function: { name: 'ping' }, messages, server: { url: server.url } }],
    fill: text => text.replace('{{name}}', 'Ada'),
  })
  const used = useTool(tool('ping'))
  await used.outcome
  expect(used.spoken).toEqual(['One moment, Ada.'])
})

test('sends the server the call as it is when the tool is used', async () => {
  const server = await startToolServer({ json: {} })
  let status = 'queued'
  const { tool } = toolsOfCall(
    { functionTools: [{ function: { name: 'ping' }, server: { url: server.url } }] },
    { call: () => ({ status }) },
  )
  status = 'ongoing'
  await useTool(tool('ping')).outcome
  expect(server.requests[0]?.body.message.call).toEqual({ status: 'ongoing' })
})

test('names are unique and valid for any names of function tools', () => {
  const name = fc.oneof(fc.constantFrom(...predefinedNames, 'ping', 'no good'), fc.string())
  fc.assert(
    fc.property(fc.array(name), names => {
      const { tools } = toolsOfCall({
        functionTools: names.map(each => ({ function: { name: each } })),
        switches: everything,
        knowledgeBaseIds: ['desk'],
      })
      const offered = tools.map(tool => tool.name)
      expect(new Set(offered).size).toBe(offered.length)
      for (const each of offered) expect(each).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      for (const each of predefinedNames) expect(offered).toContain(each)
    }),
  )
})
