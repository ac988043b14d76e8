import type { Vocabulary } from '../interface/vocabulary.ts'

/** Where a setting came from, as `profile show --json` says it. */
export type Origin = 'flag' | 'environment' | 'project file' | 'profile' | 'none'

export interface Setting<Value> {
  readonly value: Value
  readonly from: Origin
}

/** Who I am and where I talk to. */
export interface Settings {
  readonly profile: Setting<string | undefined>
  readonly baseUrl: Setting<string | undefined>
  readonly apiKey: Setting<string | undefined>
  readonly vocabulary: Setting<Vocabulary>
}
