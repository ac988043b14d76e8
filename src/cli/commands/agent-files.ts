import type { AnyCommand } from '../shell/flags/flag.ts'
import agents from '../starter/agents.txt'
import { skillPage } from './help/skill.ts'

const skillFolder = '.agents/skills/callyard'

/** Instructions for coding agents in a project, path → content. */
export async function agentFiles(root: AnyCommand): Promise<Record<string, string>> {
  return {
    'AGENTS.md': agents,
    'CLAUDE.md': '@AGENTS.md\n',
    [`${skillFolder}/SKILL.md`]: await skillPage(root),
  }
}

/** The same skill where other agents look for it, path → folder. */
export const agentLinks = { '.claude/skills/callyard': skillFolder }
