import { lazy } from '../../lib/lazy.ts'
import type { ChatModel } from './chat-model.ts'
import type { OpenAiModelOptions } from './openai-model.ts'

/** The client of openai-model.ts, loaded by the first request: most sandboxes have no model. */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  const load = lazy(async () => (await import('./openai-model.ts')).createModelClient(options))
  return {
    async *complete(request, signal) {
      const model = await load()
      yield* model.complete(request, signal)
    },
  }
}
