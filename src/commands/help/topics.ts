interface Topic {
  readonly topic: string
  readonly text: string
}

const exitCodesText = `EXIT CODES
    0  done
    1  a bug in callwright
    2  wrong usage: an unknown flag, a missing argument, nobody to ask,
       a file or folder that cannot be read or written
    3  input files do not pass; nothing was sent
    4  no API key, or the key was refused (401, 403)
    5  the service refused (any other 4xx)
    6  the service is unreachable, timed out, failed (5xx), or its answer cannot be read
    7  changes are pending
    8  done in part; the output says what is done, failed and skipped
    9  conflict: locked, changed meanwhile, or a request whose outcome is unknown
  130  cancelled

A skipped, blocked or failed item is never exit 0. After a POST whose outcome is unknown the
error says so ("the call may have been placed; not retried"), and it is not sent again.`

const environmentText = `ENVIRONMENT
  CALLWRIGHT_PROFILE      profile to use; --profile wins
  CALLWRIGHT_BASE_URL     base URL of the service; --base-url wins
  CALLWRIGHT_API_KEY      API key; there is no flag, so that no process list shows it
  CALLWRIGHT_LLM_API_KEY  key of the model server that --llm-url names; sent to it alone
  CALLWRIGHT_CONFIG_DIR   folder of profiles and of the sandbox's data
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                          proxy for requests to the service
  NO_COLOR                no colour when set to anything
  CI                      no colour, no spinners, no prompts when set to anything

ORDER
  flag, then environment, then callwright.yaml (in this folder or above, up to the
  repository or home folder), then profile.
  \`callwright profile show --json\` says where each value came from.`

const sandboxText = `SANDBOX
  \`callwright sandbox start\` runs the whole service on this machine: seven endpoints, calls and webhooks.
  It listens on loopback only and saves itself as the profile "sandbox".

CALLS
  A call goes queued, ongoing, finished (in its record: completed). Nobody's phone rings.
  The caller's lines come from the call's metadata: --metadata caller='["Hello","Goodbye"]'; without them,
  from a built-in script. The assistant says its welcome message, answers from the FAQ of its knowledge
  bases when assistantPredefinedTools.knowledgeBase is on, and says endCallMessage on an end-call phrase.
  A question that no entry answers gets a line that names itself as the sandbox's.

WEBHOOKS
  Sent once, in order per call, to assistantServer.url. assistantServer.messages is the list of types to
  receive; headers, timeoutSeconds and enabled are read too.

TIME
  --pace 1 is real time, --pace 4 four times faster, --pace 0 does not wait at all.

PHONE NUMBERS
  --numbers <file> lists { id, number, assistantId }; without it any number or id is taken, and the newest
  assistant is its default.

RECORDS
  Kept in a journal that survives kill -9; --data <file> chooses it, --memory keeps nothing.

FAULTS
  --fault and --fault-http take a list such as duplicate=0.5,drop: each fault with its probability from 0
  to 1, 0.2 where none is given. Each one that happens is logged as "fault". --seed <n> repeats them: the
  same requests in the same order meet the same faults; without it a seed is chosen, and told at the start.
  Webhooks, by call and by their place in it:
    duplicate   sent twice, one after the other
    reorder     sent after the next message of its call; the last one of a call waits for nobody
    delay       waits up to 2 s of the call's time (20 ms with --pace 0); what follows waits behind it
    drop        never sent, and no other fault befalls it
    disconnect  breaks off in the middle of the body, wins over duplicate; not sent again
  Requests to the seven endpoints that carry the right key; the control URL has none. The first that
  befalls a request, in this order:
    429         refused with Retry-After: 1; nothing is done
    500         fails; nothing is done
    hang        never answered; nothing is done
    reset       done, and the connection is reset, so that the answer is lost

ACCEPTED WITHOUT EFFECT IN TEXT
  config.speech, hints, backgroundSound, backgroundSoundVolume, ttsCacheEnabled, ttsAudioCacheScope,
  recordingEnabled, recordingPath, smsConfiguration.`

const topics: readonly Topic[] = [
  { topic: 'exit-codes', text: exitCodesText },
  { topic: 'environment', text: environmentText },
  { topic: 'sandbox', text: sandboxText },
]

export const topicNames: readonly string[] = topics.map(({ topic }) => topic)

/** The text behind `help exit-codes`, `help environment` and `help sandbox`. */
export function findTopic(name: string): Topic | undefined {
  return topics.find(({ topic }) => topic === name)
}
