import { onTestFinished } from 'vitest'
import { startTimer } from '../../../src/lib/clock.ts'
import { createJsonSender, maxToolResponseBytes } from '../../../src/sandbox/outgoing/json-sender.ts'
import { createStore } from '../../../src/sandbox/records/store.ts'
import type { ToolConfig } from '../../../src/sandbox/tools/call-tool.ts'
import { createKnowledge } from '../../../src/sandbox/tools/knowledge.ts'
import { selectTools, type ToolDeps } from '../../../src/sandbox/tools/tools-of.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { realClock } from '../../helpers/real-clock.ts'

const brief: ToolConfig = {
  callId: 'CC-1',
  functionTools: [],
  switches: {},
  knowledgeBaseIds: [],
  endCallMessage: '',
  forwardTargets: [],
}

/** The tools of one call; the sender is closed when the test ends. */
export function toolsOfCall(changed: Partial<ToolConfig>, world: Partial<ToolDeps> = {}) {
  const sender = createJsonSender({ clock: realClock, maxResponseBytes: maxToolResponseBytes })
  onTestFinished(() => sender.close())
  const offered = selectTools(
    { ...brief, ...changed },
    {
      sender,
      after: (milliseconds, onTime) => startTimer(milliseconds, onTime, manualClock()),
      atPeer: work => work,
      knowledge: createKnowledge(createStore()),
      call: () => ({ id: 'CC-1', status: 'ongoing' }),
      customer: { number: '+12025550123' },
      simulates: false,
      ...world,
    },
  )
  const named = new Map(offered.tools.map(tool => [tool.name, tool]))
  return { ...offered, sender, names: [...named.keys()], tool: (name: string) => named.get(name) }
}
