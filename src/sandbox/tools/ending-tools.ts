import type { CallForwardTarget } from '../engine/reply.ts'
import { phrasesOf, saysPhrase } from '../engine/words.ts'
import { answered, type CallTool, predefinedToolNames, refused, type ToolConfig } from './call-tool.ts'

/** By the names of their switches. */
export const endingTools = { endCall, callForward }

/** interface.md 2.1 and 2.3, endCall: the assistant says the message and hangs up. */
function endCall({ endCallMessage, endCallToolDescription = '' }: ToolConfig): CallTool {
  return {
    name: predefinedToolNames.endCall,
    description:
      endCallToolDescription.trim() === ''
        ? 'Ends the call. Use it when the caller says goodbye or needs nothing more.'
        : endCallToolDescription,
    parameters: { type: 'object', properties: {} },
    run: async () => ({
      ...answered({ status: 'ending' }),
      ending: { kind: 'end-call', message: endCallMessage },
    }),
  }
}

const forwardPhrases = [
  ...phrasesOf(
    [
      'speak to',
      'speak with',
      'talk to',
      'talk with',
      'get me',
      'give me',
      'connect me to',
      'connect me with',
    ],
    [
      'a person',
      'a real person',
      'a human',
      'a human being',
      'someone',
      'somebody',
      'an agent',
      'an operator',
    ],
  ),
  ...['real person', 'human agent', 'transfer me', 'put me through', 'forward me', 'forward my call'],
]

/** interface.md 2.1 and 2.3, callForward: puts the caller through to one of callForwardData. */
function callForward({ forwardTargets }: ToolConfig): CallTool {
  const targets = forwardTargets.filter(
    ({ phoneNumber, extension }) => isText(phoneNumber) || isText(extension),
  )
  const labels = [...new Set(targets.map(labelOf))]
  const hasChoice = labels.length > 1
  return {
    name: predefinedToolNames.callForward,
    description: 'Puts the caller through to a person. Use it when the caller asks for one.',
    parameters: hasChoice
      ? {
          type: 'object',
          properties: { name: { type: 'string', enum: labels, description: 'Whom the caller wants' } },
          required: ['name'],
        }
      : { type: 'object', properties: {} },
    offline: {
      asked(line) {
        if (!saysPhrase(line, forwardPhrases)) return undefined
        return hasChoice ? { name: labels.find(label => saysPhrase(line, [label])) ?? labels[0] } : {}
      },
      missed: 'This is the callwright sandbox: I have no number to put you through to.',
    },
    async run({ arguments: { name } }) {
      if (labels.length === 0) {
        const failure = 'callForward is enabled and callForwardData has no phoneNumber to forward to'
        return { ...refused('there is no number to put the caller through to'), failure }
      }
      const wanted = isText(name) ? name.trim().toLowerCase() : undefined
      const target =
        wanted === undefined && !hasChoice
          ? targets[0]
          : targets.find(each => labelOf(each).toLowerCase() === wanted)
      if (target === undefined) {
        const known = labels.map(label => JSON.stringify(label)).join(', ')
        const what = wanted === undefined ? 'name is missing' : `no target is called ${JSON.stringify(name)}`
        return refused(`${what}: use one of ${known}`)
      }
      const label = labelOf(target)
      return {
        ...answered({ status: 'forwarding', to: label }),
        ending: { kind: 'forward', target, message: `One moment, I am putting you through to ${label}.` },
      }
    },
  }
}

/** How a target is called: to the model and to the caller. */
function labelOf({ name, phoneNumber, extension }: CallForwardTarget): string {
  if (isText(name)) return name.trim()
  const inside = isText(extension) ? `extension ${extension.trim()}` : undefined
  return [isText(phoneNumber) ? phoneNumber.trim() : undefined, inside].filter(isText).join(', ')
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
