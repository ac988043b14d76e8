import type { Context } from '../../../cli/context.ts'
import { type LlmOptions, resolveLlm } from '../../../cli/flags/llm-flags.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { agreeToAccess } from '../../project/agree-to-access.ts'
import { chooseChatAssistant } from './chat-assistant.ts'
import { completeCommand } from './lines.ts'
import { type ChatCallOptions, prepareCall } from './prepare.ts'
import { readScript } from './script.ts'
import type { ChatBasis, ChatMaterial } from './session.ts'
import { noTranscript, openTranscript } from './transcript.ts'

export interface ChatOptions extends ChatCallOptions, LlmOptions {
  readonly assistantId?: string
  readonly caller?: string
  readonly save?: string
  readonly seed?: number
}

/**
 * Holds a call in text, on a sandbox inside this process; whoever types, or the input, is the caller. Everything is read
 * and checked before anything starts.
 * @throws CliError `cancelled` after the signal: the call was hung up and its end shown
 */
export async function chat(asked: string | undefined, options: ChatOptions, context: Context): Promise<void> {
  const who = await chooseChatAssistant(asked, options, context)
  const llm = resolveLlm(options, context)
  let mayAsk = true
  const read = async (now: Context): Promise<ChatMaterial> => {
    const script = options.caller === undefined ? [] : await readScript(options.caller, now)
    const prepared = await prepareCall(who, options, now)
    await agreeToAccess(now, { service: false, mayAsk })
    // From here on the terminal is the caller's.
    mayAsk = false
    return { script, prepared }
  }
  const material = await read(context)
  const transcript = options.save === undefined ? noTranscript : openTranscript(context.resolve(options.save))
  try {
    await talk(material, options, { context, llm, transcript, read, seed: options.seed })
  } finally {
    transcript.close()
  }
  const { signal } = context
  if (signal.aborted)
    throw new CallwrightError(
      'cancelled',
      `hung up by ${signal.reason === 'SIGINT' ? 'Ctrl-C' : signal.reason}`,
    )
}

async function talk(material: ChatMaterial, { caller }: ChatOptions, basis: ChatBasis): Promise<void> {
  const { context } = basis
  const editor = await context.openEditor({ complete: completeCommand })
  if (editor !== undefined) {
    return (await import('./terminal.ts')).chatAtTerminal(editor, material, basis)
  }
  if (caller === undefined && context.inputIsTerminal && context.options.input === false) {
    throw new CallwrightError('usage', 'there is nobody who says anything: --no-input is given', {
      hint: 'give --caller, or the caller’s lines on stdin',
    })
  }
  // A script is the whole call: in CI stdin often stays open, and silent.
  const input = caller === undefined ? await context.readLines() : undefined
  return (await import('./piped.ts')).chatPiped(input, material, basis)
}
