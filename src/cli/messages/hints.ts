import type { ApiHint } from '../../api/index.ts'
import type { InterfaceHint } from '../../interface/finding.ts'
import { kindNames } from '../../interface/words.ts'
import type { Diagnostic, SourceHint } from '../../source/index.ts'

/** The words for each hint that core gives as a code, because it names a flag or a command. */
const hints: Readonly<Record<string, string>> = {
  'check-api-key': 'check which key is used: callwright profile show',
  'check-base-url': 'check the base URL: callwright profile show',
  'check-service': 'is the base URL right, and the service running? callwright profile show',
  'allow-more-time': '--timeout allows more, for example --timeout 60s',
  'show-answer': 'is the base URL the service’s? --debug shows the answer',
  'name-kind': 'give --kind',
  'name-kind-or-folder': `give --kind (${kindNames.join(', ')}), or put it in a folder assistants/, tools/, knowledge-bases/, overrides/`,
  'allow-outside': 'move it there; or, if you trust this file, give --allow-outside',
  'make-project':
    'a project has a callwright.yaml beside its folders tools/, knowledge-bases/ and assistants/; callwright init makes one',
  'print-schema': '`callwright schema` prints every field',
} satisfies Record<ApiHint | SourceHint | InterfaceHint, string>

/** The words of a hint: those of its code, or itself. */
export function hintWords(hint: string | undefined): string | undefined {
  return hint !== undefined && Object.hasOwn(hints, hint) ? hints[hint] : hint
}

/** A finding with the words of its hint. */
export function wordedFinding(finding: Diagnostic): Diagnostic {
  return finding.hint === undefined ? finding : { ...finding, hint: hintWords(finding.hint) }
}
