import { onTestFinished } from 'vitest'
import { createStore } from '../../../src/sandbox/records/store.ts'
import { createKnowledge } from '../../../src/sandbox/tools/knowledge.ts'
import { createToolClient } from '../../../src/sandbox/tools/tool-client.ts'
import { type ToolConfig, type ToolDeps, toolsOf } from '../../../src/sandbox/tools/tools-of.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { manualClock } from '../manual-clock.ts'

const brief: ToolConfig = {
  callId: 'CC-1',
  functionTools: [],
  switches: {},
  knowledgeBaseIds: [],
  endCallMessage: '',
  forwardTargets: [],
}

/** The tools of one call; the client is closed when the test ends. */
export function toolsOfCall(changed: Partial<ToolConfig>, world: Partial<ToolDeps> = {}) {
  const client = createToolClient({ clock: realClock })
  onTestFinished(() => client.close())
  const offered = toolsOf(
    { ...brief, ...changed },
    {
      client,
      clock: manualClock(),
      pace: 1,
      knowledge: createKnowledge(createStore()),
      call: () => ({ id: 'CC-1', status: 'ongoing' }),
      customer: { number: '+12025550123' },
      simulates: false,
      ...world,
    },
  )
  const named = new Map(offered.tools.map(tool => [tool.name, tool]))
  return { ...offered, client, names: [...named.keys()], tool: (name: string) => named.get(name) }
}
