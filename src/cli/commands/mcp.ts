import { approvableActions } from '../../files/formats/approval.ts'
import { CallyardError } from '../../lib/error.ts'
import { defineCommand } from '../shell/cli-command.ts'

export const mcpCommand = defineCommand({
  description: 'Serve tools to a coding agent over the Model Context Protocol',
  summary: 'Serve tools to a coding agent',
  examples: ['callyard mcp', 'callyard mcp --allow apply,call'],
  topics: ['agents'],
  effect: 'none',
  flags: command =>
    command.option(
      '--allow <actions>',
      `Actions that the agent may request: ${approvableActions.join(', ')} (comma-separated)`,
    ),
  // stdout belongs to the protocol.
  result: undefined,
  async run({ allow }, context) {
    const allowed = allow === undefined ? new Set<string>() : parseAllowed(allow)
    const { serve } = await import('./mcp/serve.ts')
    await serve(context, allowed)
  },
  handlesSignal: () => true,
})

/** @throws CallyardError `usage` for an unknown action of --allow */
function parseAllowed(text: string): ReadonlySet<string> {
  const actionNames: readonly string[] = approvableActions
  const actions = text.split(',').map(word => word.trim())
  const unknown = actions.find(action => !actionNames.includes(action))
  if (unknown === undefined) return new Set(actions)
  throw new CallyardError('usage', `--allow ${unknown}: unknown action`, {
    hint: `use one or more of ${actionNames.join(', ')}, separated by commas`,
  })
}
