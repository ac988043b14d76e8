import type { Vocabulary } from '../../interface/vocabulary.ts'
import assistant from '../starter/assistants/front-desk.yaml'
import project from '../starter/callyard.yaml'
import githubWorkflow from '../starter/ci/github-actions.yaml'
import gitlabPipeline from '../starter/ci/gitlab-ci.yaml'
import knowledgeBase from '../starter/knowledge-bases/workshop.yaml'
import bookingTest from '../starter/tests/booking.test.yaml'
import openingHoursTest from '../starter/tests/opening-hours.test.yaml'
import questions from '../starter/tests/questions.csv'
import questionsTest from '../starter/tests/questions.test.yaml'
import tool from '../starter/tools/book-appointment.yaml'
import { projectKinds, schemaPath } from './project-schemas.ts'
import { editorSettings, schemaFile } from './write-schemas.ts'

/**
 * The starter project, path → content, which is part of the bundle. Its schemas are those of `callyard schema`, with the vocabulary of
 * the deployment.
 */
export function starterProject(vocabulary: Vocabulary = {}): Record<string, string> {
  return {
    'callyard.yaml': project,
    'assistants/front-desk.yaml': assistant,
    'tools/book-appointment.yaml': tool,
    'knowledge-bases/workshop.yaml': knowledgeBase,
    'tests/opening-hours.test.yaml': openingHoursTest,
    'tests/booking.test.yaml': bookingTest,
    'tests/questions.test.yaml': questionsTest,
    'tests/questions.csv': questions,
    ...Object.fromEntries(projectKinds.map(kind => [schemaPath(kind), schemaFile(kind, vocabulary)])),
    '.vscode/settings.json': editorSettings(),
    '.gitignore': gitignore,
    'package.json': packageJson,
    'ci/github-actions.yaml': githubWorkflow,
    'ci/gitlab-ci.yml': gitlabPipeline,
  }
}

/**
 * No dependency on callyard: until it is published, the name on the registry belongs to somebody else, and a local path works on
 * one machine only. Comments in ci/ explain how to add it.
 */
const packageJson = `{
  "private": true,
  "scripts": {
    "validate": "callyard validate .",
    "test": "callyard test",
    "plan": "callyard plan"
  }
}
`

/** Not a file among the starter's: there it would rule over this repository. */
const gitignore = `# Commit callyard.lock.yaml. It records which of your files is which resource on the service: without it the next
# apply would create everything a second time. It holds no secrets.

# Locks, and what this machine remembers
.callyard/
# What a killed command left behind
.*.callyard-tmp

# Saved plans and test reports
plan.json
callyard*.xml
callyard.sarif

# What callers said: recordings (webhook tail --record, --rotate) with their locks, and saved chats (call chat --out).
# Files of other names belong in recordings/ or transcripts/; a test of yours belongs below tests/, where it is kept.
/*.ndjson
/*.ndjson.lock*
/chat*.txt
/chat*.json
/transcript*.txt
/transcript*.json
/recordings/
/transcripts/

# Packages that npm installs
node_modules/

# Secrets
.env
.env.*
!.env.example
`
