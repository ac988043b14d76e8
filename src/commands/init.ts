import { defineCommand } from '../cli/cli-command.ts'

export const initCommand = defineCommand({
  description: 'Write a starter project: assistant, tool, FAQ, tests, schemas, CI',
  summary: 'Write a starter project: assistant, FAQ, tests, CI',
  examples: ['callwright init desk', "callwright init --json | jq -r '.written[]'"],
  topics: ['files', 'projects'],
  flags: command => command.argument('[dir]', 'Folder of the project; files that exist are kept', '.'),
  run: async (_options, context, [dir]) => (await import('./write-project.ts')).initProject(dir, context),
})
