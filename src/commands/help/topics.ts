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
  130  cancelled: Ctrl-C, or No to a question

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
  \`callwright sandbox start\` runs the whole service on this machine: its seven
  endpoints, calls, webhooks. It listens on loopback only and saves itself as
  the profile "sandbox". \`callwright call chat\` holds one call in the terminal.

THE CALLER
  Nobody's phone rings. metadata.caller of the call is a list of lines:
    --metadata caller='["When are you open?", "/say-nothing 40", "Goodbye"]'
  The next line is said when the assistant has finished; after the last one the
  caller hangs up. A line that begins with a slash is a direction:
    /say-nothing 40    says nothing for 40 seconds
    /interrupt Wait    says it while the assistant speaks
    /keys 12#          presses keys; heard with dtmfInputEnabled: true alone
    /hangup            hangs up;  //text says "/text"
  Without a script a built-in one is said; with --caller live nobody hangs up,
  and lines come by the control URL (monitor.controlUrl, with the API key):
    POST { "type": "say", "role": "user" or "assistant", "text" }
         { "type": "silence", "seconds" }, { "type": "keys", "keys" },
         { "type": "hangup" }
    GET  the call's record; its conversation, also while it goes on

REPLIES
  assistantProvider custom-llm: a streaming request to {assistantLLMUrl}/chat/
  completions with assistantSystemPrompt, the conversation, assistantModel,
  assistantTemperature, assistantMaxTokens and the tools. Any other provider:
  the server of --llm-url, with --llm-model in place of the assistant's own and
  the key of CALLWRIGHT_LLM_API_KEY. assistantResponseSplitter cuts the stream
  into messages. A model that fails gets an apology said in its place; why
  stands in the log and in the record's failures.
  Without a model: the answer of the FAQ entry that is about the line, else a
  line that names itself as the sandbox's. The same lines, the same replies.

TOOLS
  assistantToolIds: a model may call them. The sandbox POSTs
    { message: { type: "tool-call", call, customer,
                 toolCall: { id, name, arguments } } }
  to server.url of the tool, with server.headers, for server.timeoutSeconds (20
  unless given; real time), and gives the model the JSON that it answers; with
  async: true the call goes on, and the answer is for messages alone. (With
  --pace 0 the time of the call still waits for it.) Types of messages:
  request-start, request-complete, request-failed, request-response-delayed (3 s
  or its timingMilliseconds).
  assistantPredefinedTools, offered to a model as functions:
    knowledgeBase   searches assistantKnowledgeBaseIds
    endCall         endCallMessage; a model by endCallToolDescription, a caller
                    by any of endCallPhrases
    callForward     to callForwardData; the record becomes "forwarded"
    appointment, waitList, volumeControl
                    stand-ins: a plausible answer, marked standIn on the record
  Without a model they listen for plain English: "speak to a person", "book an
  appointment", "wait list", "louder".

TURN-TAKING
  Speech takes 15 characters a second, of the call's time.
    welcomeMessage, welcomeMessageMode (automatic: the assistant first),
    welcomeMessageInterruptionsEnabled
    startSpeakingOptions: waitSeconds (0.4 unless given), and onNumberSeconds,
      onPunctuationSeconds or onNoPunctuationSeconds by the end of the line
    stopSpeakingOptions: so many numberOfWords of the caller stop the assistant;
      with 0 or none, voiceSeconds (0.2) of speech. Words that were not said are
      cut off, and the rest of the reply is dropped
    userInterruptionAckPlan: one of phrases is said after an interruption within
      the first words of the assistant, at most count times a call
    idleTimeout (seconds), maxIdleMessagesInSequence: "Are you still there?"
    maxCallDuration: without it 120 minutes
  assistantOverrides of the call win over the assistant's own. {{name}} in
  prompts and in everything that is said is filled from dynamicVariables; one
  that is not set stays, and is told in the log and in unsetVariables.
  persistHistory: a model is told of earlier calls of this assistant with the
  same number; retentionPeriod is in days, without it for ever; call: false
  turns it off.

AFTER THE CALL
  assistantAnalysis comes with the last status update, and on the record: from
  the model where there is one, each part with its own timeoutSeconds (10; real
  time) and prompt; else by rule: summary says who talked for how long,
  successEvaluation the share of lines that got an answer, structuredData takes
  from metadata and from what the caller said what fits its schema. rubric:
  NumericScale, PercentageScale, DescriptiveScale, LikertScale, PassFail (also
  without one); others are the model's to interpret. What is missing or does not
  pass is left out, and stands in failures.

WEBHOOKS
  Sent once, in order per call, to assistantServer.url. assistantServer.messages
  is the list of types to receive; headers, timeoutSeconds and enabled are read
  too.

TIME
  --pace 1 is real time, --pace 4 four times faster. --pace 0 does not wait: an
  hour of silence is over at once, and the same requests get the same ids, times
  and transcript. --seed n gives other ids, and the same ones at any pace.

PHONE NUMBERS
  --numbers <file> lists { id, number, assistantId }; without it any number or
  id is taken, and the newest assistant is its default.

RECORDS
  Kept in a journal that survives kill -9; --data <file> chooses it, --memory
  keeps nothing.

FAULTS
  --fault and --fault-http take a list such as duplicate=0.5,drop: each fault
  with its probability from 0 to 1, 0.2 where none is given. Each one that
  happens is logged as "fault". --seed <n> repeats them: the same requests in
  the same order meet the same faults; without it a seed is chosen, and told.
  Webhooks, by call and by their place in it:
    duplicate   sent twice, one after the other
    reorder     sent after the next message of its call; the last one of a call
                waits for nobody
    delay       waits up to 2 s of the call's time (20 ms with --pace 0); what
                follows waits behind it
    drop        never sent, and no other fault befalls it
    disconnect  breaks off in the middle of the body, wins over duplicate; not
                sent again
  Requests to the seven endpoints that carry the right key; the control URL has
  none. The first that befalls a request, in this order:
    429         refused with Retry-After: 1; nothing is done
    500         fails; nothing is done
    hang        never answered; nothing is done
    reset       done, and the connection is reset, so that the answer is lost

ACCEPTED WITHOUT EFFECT IN TEXT
  config.speech, hints, backgroundSound, backgroundSoundVolume, ttsCacheEnabled,
  ttsAudioCacheScope, assistantBackchannelingEnabled, recordingEnabled,
  recordingPath; smartEndpointing, RtcBaseValue and RtcScaleValue, which listen
  to the voice; assistantType (workflows are not published), assistantOutcome,
  smsConfiguration and persistHistory.sms.`

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
