import type { CallForwardTarget } from '../engine/reply.ts'
import { type CallTool, refused, told } from './call-tool.ts'

const defaultDescription = 'Ends the call. Use it when the caller says goodbye or needs nothing more.'

/** interface.md 2.1 and 2.3, endCall: the assistant says the message and hangs up. */
export function endCallTool(message: string, description: string | undefined): CallTool {
  return {
    predefined: 'endCall',
    name: 'end_call',
    description: description?.trim() ? description : defaultDescription,
    parameters: { type: 'object', properties: {} },
    run: async () => ({ ...told({ status: 'ending' }), ending: { kind: 'end-call', message } }),
  }
}

/** interface.md 2.1 and 2.3, callForward: puts the caller through to one of callForwardData. */
export function forwardTool(callForwardData: readonly CallForwardTarget[]): CallTool {
  const targets = callForwardData.filter(
    ({ phoneNumber, extension }) => isText(phoneNumber) || isText(extension),
  )
  const labels = [...new Set(targets.map(labelOf))]
  return {
    predefined: 'callForward',
    name: 'forward_call',
    description: 'Puts the caller through to a person. Use it when the caller asks for one.',
    parameters:
      labels.length < 2
        ? { type: 'object', properties: {} }
        : {
            type: 'object',
            properties: { name: { type: 'string', enum: labels, description: 'Whom the caller wants' } },
            required: ['name'],
          },
    async run({ arguments: { name } }) {
      if (labels.length === 0) {
        const failure = 'callForward is enabled and callForwardData has no phoneNumber to forward to'
        return { ...refused('there is nobody to put the caller through to'), failure }
      }
      const wanted = isText(name) ? name.trim().toLowerCase() : undefined
      const target =
        wanted === undefined && labels.length === 1
          ? targets[0]
          : targets.find(each => labelOf(each).toLowerCase() === wanted)
      if (target === undefined) {
        const known = labels.map(label => JSON.stringify(label)).join(', ')
        const what =
          wanted === undefined ? 'name is missing' : `nobody here is called ${JSON.stringify(name)}`
        return refused(`${what}: use one of ${known}`)
      }
      const label = labelOf(target)
      return {
        ...told({ status: 'forwarding', to: label }),
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
