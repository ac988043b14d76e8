# Completion of callwright for fish. Generated; change the commands instead, then: npm run completions
#
# Install:
#   mkdir -p ~/.config/fish/completions
#   callwright completion fish > ~/.config/fish/completions/callwright.fish

set -g __callwright_paths \
    'demo' \
    'init' \
    'plan' \
    'apply' \
    'assistant' \
    'tool' \
    'faq' \
    'validate' \
    'schema' \
    'call' \
    'webhook' \
    'sandbox' \
    'profile' \
    'api' \
    'completion' \
    'help' \
    'assistant create' \
    'tool create' \
    'tool update' \
    'faq push' \
    'call start' \
    'call connect' \
    'call chat' \
    'webhook tail' \
    'webhook replay' \
    'webhook trigger' \
    'webhook show' \
    'sandbox start' \
    'profile add' \
    'profile list' \
    'profile show' \
    'profile use' \
    'profile remove' \
    'help demo' \
    'help init' \
    'help plan' \
    'help apply' \
    'help assistant' \
    'help tool' \
    'help faq' \
    'help validate' \
    'help schema' \
    'help call' \
    'help webhook' \
    'help sandbox' \
    'help profile' \
    'help api' \
    'help completion' \
    'help topics' \
    'help flags' \
    'help exit-codes' \
    'help environment' \
    'help files' \
    'help projects' \
    'help faq-push' \
    'help shells' \
    'help chat' \
    'help follow' \
    'help tunnels' \
    'help filters' \
    'help recording' \
    'help forwarding' \
    'help exec' \
    'help replay' \
    'help trigger' \
    'help odd-events' \
    'help transcripts' \
    'help sandbox-replies' \
    'help sandbox-fields' \
    'help sandbox-faults' \
    'help assistant create' \
    'help tool create' \
    'help tool update' \
    'help faq push' \
    'help call start' \
    'help call connect' \
    'help call chat' \
    'help webhook tail' \
    'help webhook replay' \
    'help webhook trigger' \
    'help webhook show' \
    'help sandbox start' \
    'help profile add' \
    'help profile list' \
    'help profile show' \
    'help profile use' \
    'help profile remove'

# Flags whose value is the next word, after the command that has them; * is every command.
set -g __callwright_valued \
    'demo --pace' \
    'plan --target' \
    'plan --out' \
    'plan --junit' \
    'plan --sarif' \
    'apply --target' \
    'apply --parallelism' \
    'apply --adopt' \
    'apply --forget' \
    'apply --junit' \
    'assistant create --target' \
    'tool create --target' \
    'tool update --target' \
    'faq push --kb' \
    'faq push --target' \
    'faq push --batch-size' \
    'faq push --adopt-batch' \
    'validate --kind' \
    'validate --junit' \
    'validate --sarif' \
    'call start --from' \
    'call start --to' \
    'call start --assistant' \
    'call start --assistant-id' \
    'call start --var' \
    'call start --metadata' \
    'call start --overrides' \
    'call start --target' \
    'call start --port' \
    'call start --tunnel' \
    'call start --tunnel-url' \
    'call start --public-url' \
    'call start --timestamps' \
    'call connect --phone-number-id' \
    'call connect --to' \
    'call connect --customer-name' \
    'call connect --direction' \
    'call connect --assistant' \
    'call connect --assistant-id' \
    'call connect --var' \
    'call connect --metadata' \
    'call connect --overrides' \
    'call connect --target' \
    'call connect --port' \
    'call connect --tunnel' \
    'call connect --tunnel-url' \
    'call connect --public-url' \
    'call connect --timestamps' \
    'call chat --assistant-id' \
    'call chat --var' \
    'call chat --overrides' \
    'call chat --caller' \
    'call chat --save' \
    'call chat --data' \
    'call chat --seed' \
    'call chat --llm-url' \
    'call chat --llm-model' \
    'webhook tail --host' \
    'webhook tail --port' \
    'webhook tail --path' \
    'webhook tail --require-header' \
    'webhook tail --allow-host' \
    'webhook tail --max-body' \
    'webhook tail --until' \
    'webhook tail --tunnel' \
    'webhook tail --tunnel-url' \
    'webhook tail --public-url' \
    'webhook tail --call' \
    'webhook tail --type' \
    'webhook tail --role' \
    'webhook tail --status' \
    'webhook tail --timestamps' \
    'webhook tail --record' \
    'webhook tail --rotate' \
    'webhook tail --forward' \
    'webhook tail --forward-header' \
    'webhook tail --forward-retries' \
    'webhook tail --drain' \
    'webhook tail --exec' \
    'webhook tail --exec-at-once' \
    'webhook tail --exec-timeout' \
    'webhook replay --to' \
    'webhook replay --speed' \
    'webhook replay --call' \
    'webhook replay --type' \
    'webhook replay --from' \
    'webhook replay --until' \
    'webhook replay --header' \
    'webhook replay --role' \
    'webhook replay --status' \
    'webhook replay --timestamps' \
    'webhook trigger --to' \
    'webhook trigger --set' \
    'webhook trigger --unset' \
    'webhook trigger --messages' \
    'webhook trigger --status' \
    'webhook trigger --call' \
    'webhook trigger --shape' \
    'webhook trigger --header' \
    'webhook show --call' \
    'webhook show --format' \
    'webhook show --out' \
    'sandbox start --host' \
    'sandbox start --port' \
    'sandbox start --pace' \
    'sandbox start --data' \
    'sandbox start --save-profile' \
    'sandbox start --numbers' \
    'sandbox start --caller' \
    'sandbox start --llm-url' \
    'sandbox start --llm-model' \
    'sandbox start --fault' \
    'sandbox start --fault-http' \
    'sandbox start --seed' \
    'profile add --vocabulary' \
    'api --data' \
    '* --profile' \
    '* --base-url' \
    '* --timeout'

# What callwright itself knows to offer for the word at the cursor.
function __callwright_values --argument-names source
    callwright __complete $source -- (commandline -ct | string replace -r '^--[^=]+=' '') 2>/dev/null </dev/null
end

# True when the line so far names this command and, where a place is given, when its argument there is next
# (2: the second one; 2+: the second one and all after it).
function __callwright_at --argument-names path place
    set -l current ''
    set -l position 1
    set -l skip 0
    set -l literal 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        if test $literal = 0
            switch $word
                case --
                    set literal 1
                    continue
                case '--*=*'
                    continue
                case '-?*'
                    if contains -- "$current $word" $__callwright_valued; or contains -- "* $word" $__callwright_valued
                        set skip 1
                    end
                    continue
            end
        end
        if test $position = 1; and contains -- (string trim -- "$current $word") $__callwright_paths
            set current (string trim -- "$current $word")
        else
            set position (math $position + 1)
        end
    end
    test "$current" = "$path"; or return 1
    switch "$place"
        case ''
            return 0
        case '*+'
            test $position -ge (string replace + '' -- $place)
        case '*'
            test $position = $place
    end
end

complete -c callwright -f
complete -c callwright -l profile -r -f -a '(__callwright_values profile)' -d 'Use this profile'
complete -c callwright -l base-url -x -d 'Send requests here'
complete -c callwright -l json -d 'Print JSON on stdout and nothing else'
complete -c callwright -l quiet -d 'Print no progress and no notes'
complete -c callwright -l debug -d 'Log requests and answers to stderr, without secrets'
complete -c callwright -l no-input -d 'Never ask: fail, and name the flag to give instead'
complete -c callwright -l no-color -d 'Print without colour'
complete -c callwright -l timeout -x -d 'Limit for one request, such as 500ms, 30s or 2m'
complete -c callwright -s h -l help -d 'Show this help'

complete -c callwright -n '__callwright_at \'\' 1' -a '\'demo\'' -d 'Watch an assistant hold a call, all on this machine'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'init\'' -d 'Write a starter project: assistant, tool, FAQ, schemas, CI'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'plan\'' -d 'Show what apply would change; send nothing'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'apply\'' -d 'Bring the service up to date with the files of a project'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'assistant\'' -d 'Create assistants'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'tool\'' -d 'Create and update the function tools that assistants call'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'faq\'' -d 'Send the FAQ entries of a file to a knowledge base'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'validate\'' -d 'Check resource files offline'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'schema\'' -d 'Print the JSON Schema of a kind of file'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'call\'' -d 'Place phone calls, or hold one in text'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'webhook\'' -d 'Receive, keep and send again what the service sends'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'sandbox\'' -d 'Run the whole service on this machine'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'profile\'' -d 'Save base URLs and API keys under names'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'api\'' -d 'Send one request with the key of the profile'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'completion\'' -d 'Print the script that completes callwright in your shell'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'help\'' -d 'Show help on a command or topic; help topics lists them'
complete -c callwright -n '__callwright_at \'\'' -s V -l version -d 'Print the version'

complete -c callwright -n '__callwright_at \'demo\'' -l pace -x -d 'Speed; 1 is real time, 0 does not wait'

complete -c callwright -n '__callwright_at \'init\' 1' -f -a '(__fish_complete_directories (commandline -ct))'

complete -c callwright -n '__callwright_at \'plan\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'plan\'' -l new-target -d 'Start a second target at a known base URL'
complete -c callwright -n '__callwright_at \'plan\'' -l out -r -F -d 'Save the plan, for callwright apply <file>'
complete -c callwright -n '__callwright_at \'plan\'' -l exit-code -d 'End 7 when changes are pending (8: something is blocked)'
complete -c callwright -n '__callwright_at \'plan\'' -l allow-unknown -d 'Accept fields that the interface does not know'
complete -c callwright -n '__callwright_at \'plan\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'plan\'' -l junit -r -F -d 'Write a JUnit report too'
complete -c callwright -n '__callwright_at \'plan\'' -l sarif -r -F -d 'Write the findings as SARIF too'

complete -c callwright -n '__callwright_at \'apply\'' -l yes -d 'Do not ask'
complete -c callwright -n '__callwright_at \'apply\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'apply\'' -l new-target -d 'Start a second target at a known base URL'
complete -c callwright -n '__callwright_at \'apply\'' -l parallelism -x -d 'Resources at a time (default: 4)'
complete -c callwright -n '__callwright_at \'apply\'' -l adopt -r -f -a '(__callwright_values adopt)' -d 'Take over an existing resource (repeatable)'
complete -c callwright -n '__callwright_at \'apply\'' -l forget -r -f -a '(__callwright_values forget)' -d 'Forget a resource that does not exist (repeatable)'
complete -c callwright -n '__callwright_at \'apply\'' -l junit -r -F -d 'Write a JUnit report too'
complete -c callwright -n '__callwright_at \'apply\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'apply\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'apply\' 1' -F

complete -c callwright -n '__callwright_at \'assistant\' 1' -a '\'create\'' -d 'Create an assistant from a file, or by answering questions'

complete -c callwright -n '__callwright_at \'assistant create\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'assistant create\'' -l again -d 'Create another one of a file that the target has already'
complete -c callwright -n '__callwright_at \'assistant create\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'assistant create\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'assistant create\' 1' -F

complete -c callwright -n '__callwright_at \'tool\' 1' -a '\'create\'' -d 'Create a tool from a file'
complete -c callwright -n '__callwright_at \'tool\' 1' -a '\'update\'' -d 'Update the fields of a tool that a file holds'

complete -c callwright -n '__callwright_at \'tool create\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'tool create\'' -l again -d 'Create another one of a file that the target has already'
complete -c callwright -n '__callwright_at \'tool create\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'tool create\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'tool create\' 1' -F

complete -c callwright -n '__callwright_at \'tool update\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'tool update\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'tool update\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'tool update\' 1' -f -a '(__callwright_values tool)'
complete -c callwright -n '__callwright_at \'tool update\' 2' -F

complete -c callwright -n '__callwright_at \'faq\' 1' -a '\'push\'' -d 'Insert new FAQ entries, update changed ones, write new ids into the file'

complete -c callwright -n '__callwright_at \'faq push\'' -l kb -r -f -a '(__callwright_values kb)' -d 'Id or name, instead of knowledgeBaseId in the file'
complete -c callwright -n '__callwright_at \'faq push\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'faq push\'' -l dry-run -d 'Print what would be sent; send and write nothing'
complete -c callwright -n '__callwright_at \'faq push\'' -l batch-size -x -d 'Entries per request (default: 100)'
complete -c callwright -n '__callwright_at \'faq push\'' -l adopt-batch -r -F -d 'Take these ids for entries whose answer was lost (- for stdin)'
complete -c callwright -n '__callwright_at \'faq push\'' -l resend-unknown -d 'Send entries again whose answer was lost'
complete -c callwright -n '__callwright_at \'faq push\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'faq push\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'faq push\' 1' -F

complete -c callwright -n '__callwright_at \'validate\'' -l kind -r -f -a '\'assistant\' \'inline-assistant\' \'tool\' \'tool-update\' \'knowledge-base\' \'overrides\' \'call-start\' \'call-connect\' \'project\'' -d 'Kind of the files'
complete -c callwright -n '__callwright_at \'validate\'' -l allow-unknown -d 'Accept fields that the interface does not know'
complete -c callwright -n '__callwright_at \'validate\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'validate\'' -l junit -r -F -d 'Write a JUnit report too'
complete -c callwright -n '__callwright_at \'validate\'' -l sarif -r -F -d 'Write the findings as SARIF too'
complete -c callwright -n '__callwright_at \'validate\' 1+' -F

complete -c callwright -n '__callwright_at \'schema\' 1' -f -a '\'assistant\' \'inline-assistant\' \'tool\' \'tool-update\' \'knowledge-base\' \'overrides\' \'call-start\' \'call-connect\' \'project\''

complete -c callwright -n '__callwright_at \'call\' 1' -a '\'start\'' -d 'Call a user from an assistant number'
complete -c callwright -n '__callwright_at \'call\' 1' -a '\'connect\'' -d 'Call a customer by phone number id'
complete -c callwright -n '__callwright_at \'call\' 1' -a '\'chat\'' -d 'Hold a call in text, as the caller'

complete -c callwright -n '__callwright_at \'call start\'' -l from -x -d 'Number of the assistant, as +12025550100'
complete -c callwright -n '__callwright_at \'call start\'' -l to -x -d 'Number of the user, as +12025550123'
complete -c callwright -n '__callwright_at \'call start\'' -l assistant -r -F -a '(__callwright_values assistant)' -d 'A file, sent inline; or a deployed assistant’s name or id'
complete -c callwright -n '__callwright_at \'call start\'' -l assistant-id -r -f -a '(__callwright_values assistant-id)' -d 'A deployed assistant (default: that of the number)'
complete -c callwright -n '__callwright_at \'call start\'' -l var -x -d 'Value for {{name}} in the texts (repeatable)'
complete -c callwright -n '__callwright_at \'call start\'' -l metadata -x -d 'Your own data, JSON or text (repeatable)'
complete -c callwright -n '__callwright_at \'call start\'' -l overrides -r -F -d 'YAML or JSON file of assistant overrides'
complete -c callwright -n '__callwright_at \'call start\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'call start\'' -l allow-any-number -d 'Do not check that numbers are E.164'
complete -c callwright -n '__callwright_at \'call start\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'call start\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'call start\'' -l yes -d 'Do not ask before a phone rings'
complete -c callwright -n '__callwright_at \'call start\'' -l dry-run -d 'Print the request and send nothing'
complete -c callwright -n '__callwright_at \'call start\'' -l show-secrets -d 'Print values from the environment with --dry-run'
complete -c callwright -n '__callwright_at \'call start\'' -l follow -d 'Show what is said until the call ends'
complete -c callwright -n '__callwright_at \'call start\'' -l port -x -d 'Port to listen on (default: a free one)'
complete -c callwright -n '__callwright_at \'call start\'' -l tunnel -x -d 'Start a tunnel program for a public URL'
complete -c callwright -n '__callwright_at \'call start\'' -l tunnel-url -x -d 'Pattern of the public URL in its output'
complete -c callwright -n '__callwright_at \'call start\'' -l public-url -x -d 'URL at which the service reaches this listener'
complete -c callwright -n '__callwright_at \'call start\'' -l compact -d 'Print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'call start\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'Print times'

complete -c callwright -n '__callwright_at \'call connect\'' -l phone-number-id -x -d 'Id of the phone number that calls'
complete -c callwright -n '__callwright_at \'call connect\'' -l to -x -d 'Number of the customer, as +12025550123'
complete -c callwright -n '__callwright_at \'call connect\'' -l customer-name -x -d 'Name of the customer'
complete -c callwright -n '__callwright_at \'call connect\'' -l direction -r -f -a '\'inbound\' \'outbound\'' -d 'Direction of the call'
complete -c callwright -n '__callwright_at \'call connect\'' -l assistant -r -F -a '(__callwright_values assistant)' -d 'A file, sent inline; or a deployed assistant’s name or id'
complete -c callwright -n '__callwright_at \'call connect\'' -l assistant-id -r -f -a '(__callwright_values assistant-id)' -d 'A deployed assistant (default: that of the number)'
complete -c callwright -n '__callwright_at \'call connect\'' -l var -x -d 'Value for {{name}} in the texts (repeatable)'
complete -c callwright -n '__callwright_at \'call connect\'' -l metadata -x -d 'Your own data, JSON or text (repeatable)'
complete -c callwright -n '__callwright_at \'call connect\'' -l overrides -r -F -d 'YAML or JSON file of assistant overrides'
complete -c callwright -n '__callwright_at \'call connect\'' -l target -r -f -a '(__callwright_values target)' -d 'Section of the lockfile (default: the profile)'
complete -c callwright -n '__callwright_at \'call connect\'' -l allow-any-number -d 'Do not check that numbers are E.164'
complete -c callwright -n '__callwright_at \'call connect\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'call connect\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'call connect\'' -l yes -d 'Do not ask before a phone rings'
complete -c callwright -n '__callwright_at \'call connect\'' -l dry-run -d 'Print the request and send nothing'
complete -c callwright -n '__callwright_at \'call connect\'' -l show-secrets -d 'Print values from the environment with --dry-run'
complete -c callwright -n '__callwright_at \'call connect\'' -l follow -d 'Show what is said until the call ends'
complete -c callwright -n '__callwright_at \'call connect\'' -l port -x -d 'Port to listen on (default: a free one)'
complete -c callwright -n '__callwright_at \'call connect\'' -l tunnel -x -d 'Start a tunnel program for a public URL'
complete -c callwright -n '__callwright_at \'call connect\'' -l tunnel-url -x -d 'Pattern of the public URL in its output'
complete -c callwright -n '__callwright_at \'call connect\'' -l public-url -x -d 'URL at which the service reaches this listener'
complete -c callwright -n '__callwright_at \'call connect\'' -l compact -d 'Print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'call connect\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'Print times'

complete -c callwright -n '__callwright_at \'call chat\'' -l assistant-id -r -f -a '(__callwright_values assistant-id)' -d 'Assistant of the records of sandbox start'
complete -c callwright -n '__callwright_at \'call chat\'' -l var -x -d 'Value for {{name}} in the texts (repeatable)'
complete -c callwright -n '__callwright_at \'call chat\'' -l overrides -r -F -d 'YAML or JSON file of assistant overrides'
complete -c callwright -n '__callwright_at \'call chat\'' -l caller -r -F -d 'Lines that the caller says first, one per line'
complete -c callwright -n '__callwright_at \'call chat\'' -l save -r -F -d 'Save the transcript to a new file: .json, .ndjson or text'
complete -c callwright -n '__callwright_at \'call chat\'' -l data -r -F -d 'Take FAQ, tools and assistants from these records'
complete -c callwright -n '__callwright_at \'call chat\'' -l webhooks -d 'Send the webhooks that the assistant asks for'
complete -c callwright -n '__callwright_at \'call chat\'' -l seed -x -d 'Fix the ids of the call'
complete -c callwright -n '__callwright_at \'call chat\'' -l allow-unknown -d 'Send fields that the interface does not know'
complete -c callwright -n '__callwright_at \'call chat\'' -l allow-outside -d 'Let ${file:…} lead out of the project'
complete -c callwright -n '__callwright_at \'call chat\'' -l llm-url -x -d 'OpenAI-compatible server for replies (default: FAQ)'
complete -c callwright -n '__callwright_at \'call chat\'' -l llm-model -x -d 'Model of that server, instead of the assistant\'s own'
complete -c callwright -n '__callwright_at \'call chat\' 1' -F -a '(__callwright_values assistant)'

complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'tail\'' -d 'Listen for webhook events, and print each message once'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'replay\'' -d 'Print a recording, or send its events to a server again'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'trigger\'' -d 'Send sample events, a whole call’s, or odd ones, to a server'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'show\'' -d 'List recorded calls, or print one as text, Markdown, JSON or HTML'

complete -c callwright -n '__callwright_at \'webhook tail\'' -l host -x -d 'Address to listen on'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l port -x -d 'Port to listen on; 0 for a free one'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l path -x -d 'Path that events are sent to'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l require-header -x -d 'Accept only requests with this \'name: value\''
complete -c callwright -n '__callwright_at \'webhook tail\'' -l allow-host -x -d 'Accept requests to this host too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l max-body -x -d 'Largest body to accept'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l until -r -f -a '\'finished\'' -d 'End after the first call that finished'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l tunnel -x -d 'Start a tunnel program for a public URL'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l tunnel-url -x -d 'Pattern of the public URL in its output'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l public-url -x -d 'URL at which the service reaches this listener'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l call -x -d 'Show only this call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l type -x -d 'Show only events of this type (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l role -r -f -a '\'user\' \'assistant\'' -d 'Show only this role (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'Show only this status (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l compact -d 'Print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'Print times'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l ui -d 'Show the calls on a page in the browser too'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l record -r -F -d 'Append every event to this file'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l rotate -x -d 'Rename the recording before it grows larger'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward -r -f -a '(__callwright_values forward)' -d 'Send events to this server too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-header -x -d 'Send this \'name: value\' with them (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-only-new -d 'Forward only events that carry something new'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-retries -x -d 'Send an event that failed again (default: 0)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l resume -d 'Deliver first what an earlier tail left'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l drain -x -d 'Wait at the end for deliveries'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec -x -d 'Run this for each new message, its JSON on stdin'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-shell -d 'Let the shell read the command of --exec'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-at-once -x -d 'Programs at a time (default: 4)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-timeout -x -d 'End a program that takes longer (default: 60s)'

complete -c callwright -n '__callwright_at \'webhook replay\'' -l to -x -d 'Server to send to (default: print)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l speed -x -d 'Times as fast, or max (default: 1 with --to, else max)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l call -x -d 'Only the events of this call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l type -x -d 'Only events of this type (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l from -x -d 'Only events from this time on, as 2m'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l until -x -d 'Only events up to this time'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l header -x -d 'Send this \'name: value\' too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l role -r -f -a '\'user\' \'assistant\'' -d 'Show only this role (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'Show only this status (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l compact -d 'Print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'Print times'
complete -c callwright -n '__callwright_at \'webhook replay\' 1' -F

complete -c callwright -n '__callwright_at \'webhook trigger\'' -l to -x -d 'Address of the server'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l set -x -d 'Change a field, as call.id=CC-1 (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l unset -x -d 'Leave a field out, as call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l allow-unknown -d 'Let --set add fields that the interface does not have'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l messages -x -d 'Messages of the conversation (default: 6)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'Status of the call (default: by the event)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l call -x -d 'Id of the call (default: a new one)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l shape -x -d 'Send only this odd shape (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l header -x -d 'Send this \'name: value\' too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l dry-run -d 'Print the events and send nothing'
complete -c callwright -n '__callwright_at \'webhook trigger\' 1' -f -a '\'status-update\' \'conversation-update\' \'call\' \'odd\''

complete -c callwright -n '__callwright_at \'webhook show\'' -l call -x -d 'Call to print, by a beginning of its id'
complete -c callwright -n '__callwright_at \'webhook show\'' -l last -d 'Print the call that began last'
complete -c callwright -n '__callwright_at \'webhook show\'' -l all -d 'Print every call of the recording'
complete -c callwright -n '__callwright_at \'webhook show\'' -l format -r -f -a '\'text\' \'markdown\' \'json\' \'html\'' -d 'Format (default: by the name of --out, else text)'
complete -c callwright -n '__callwright_at \'webhook show\'' -l out -r -F -d 'Write to a new file, which only you can read'
complete -c callwright -n '__callwright_at \'webhook show\'' -l force -d 'Let --out replace a file'
complete -c callwright -n '__callwright_at \'webhook show\' 1' -F

complete -c callwright -n '__callwright_at \'sandbox\' 1' -a '\'start\'' -d 'Start the service, save it as a profile, and log what happens'

complete -c callwright -n '__callwright_at \'sandbox start\'' -l host -x -d 'Loopback address to listen on'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l port -x -d 'Port to listen on; 0 picks a free one'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l pace -x -d 'Speed; 1 is real time, 0 does not wait'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l data -r -F -d 'Keep records here (default: the configuration folder)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l memory -d 'Keep no records'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l save-profile -x -d 'Profile while it runs (default: sandbox)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l numbers -r -F -d 'List of { id, number, assistantId, phoneVendor }'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l caller -r -f -a '\'script\' \'live\'' -d 'Where the caller\'s lines come from'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l llm-url -x -d 'OpenAI-compatible server for replies (default: FAQ)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l llm-model -x -d 'Model of that server, instead of the assistant\'s own'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l fault -r -f -a '(__callwright_values fault)' -d 'Inject faults into webhooks, as drop=0.1 (repeatable)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l fault-http -r -f -a '(__callwright_values fault-http)' -d 'Inject faults into requests, as 429=0.3 (repeatable)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l seed -x -d 'Repeat the ids and faults of a run with this seed'

complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'add\'' -d 'Save a base URL and an API key; ask for what is not given'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'list\'' -d 'List all profiles; * marks the one in use'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'show\'' -d 'Show where requests go, and where each setting comes from'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'use\'' -d 'Use a profile from now on'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'remove\'' -d 'Remove a profile and its key from this machine'

complete -c callwright -n '__callwright_at \'profile add\'' -l api-key-stdin -d 'Read the API key from stdin'
complete -c callwright -n '__callwright_at \'profile add\'' -l vocabulary -r -F -d 'YAML or JSON file of the service’s own words'
complete -c callwright -n '__callwright_at \'profile add\'' -l force -d 'Replace a profile of that name without asking'

complete -c callwright -n '__callwright_at \'profile show\' 1' -f -a '(__callwright_values profile)'

complete -c callwright -n '__callwright_at \'profile use\' 1' -f -a '(__callwright_values profile)'

complete -c callwright -n '__callwright_at \'profile remove\'' -l yes -d 'Do not ask'
complete -c callwright -n '__callwright_at \'profile remove\' 1' -f -a '(__callwright_values profile)'

complete -c callwright -n '__callwright_at \'api\'' -l data -x -d 'Body: JSON, @file, or @- for stdin'
complete -c callwright -n '__callwright_at \'api\'' -s i -l include -d 'Print the status and headers of the answer too'
complete -c callwright -n '__callwright_at \'api\' 1' -f -a '\'GET\' \'HEAD\' \'OPTIONS\' \'POST\' \'PUT\' \'PATCH\' \'DELETE\''

complete -c callwright -n '__callwright_at \'completion\' 1' -f -a '\'bash\' \'zsh\' \'fish\' \'powershell\''

complete -c callwright -n '__callwright_at \'help\' 1' -a '\'demo\'' -d 'Watch an assistant hold a call, all on this machine'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'init\'' -d 'Write a starter project: assistant, tool, FAQ, schemas, CI'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'plan\'' -d 'Show what apply would change; send nothing'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'apply\'' -d 'Bring the service up to date with the files of a project'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'assistant\'' -d 'Create assistants'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'tool\'' -d 'Create and update the function tools that assistants call'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'faq\'' -d 'Send the FAQ entries of a file to a knowledge base'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'validate\'' -d 'Check resource files offline'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'schema\'' -d 'Print the JSON Schema of a kind of file'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'call\'' -d 'Place phone calls, or hold one in text'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'webhook\'' -d 'Receive, keep and send again what the service sends'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox\'' -d 'Run the whole service on this machine'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'profile\'' -d 'Save base URLs and API keys under names'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'api\'' -d 'Send one request with the key of the profile'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'completion\'' -d 'Print the script that completes callwright in your shell'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'topics\'' -d 'List the topics'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'flags\'' -d 'Flags that every command takes'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'exit-codes\'' -d 'What a script sees when a command ends'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'environment\'' -d 'Environment variables, and what wins over what'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'files\'' -d 'Resource files, references, the vocabulary'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'projects\'' -d 'Plan, apply, the lockfile, targets'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'faq-push\'' -d 'A batch whose answer was lost, and its ids'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'shells\'' -d 'Completions in bash, zsh, fish and PowerShell'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'chat\'' -d 'Commands, scripts and saved transcripts of call chat'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'follow\'' -d 'What --follow needs, prints and ends with'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'tunnels\'' -d 'How the service reaches a listener here'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'filters\'' -d 'Which events are shown, and how'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'recording\'' -d 'What --record and --ui keep and show'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'forwarding\'' -d 'How --forward passes events on'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'exec\'' -d 'How --exec runs a program for each message'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'replay\'' -d 'How a recording is read, paced and sent'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'trigger\'' -d 'How events are made up, and what is printed'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'odd-events\'' -d 'The events that webhook trigger odd sends'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'transcripts\'' -d 'What webhook show prints, and its JSON'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox-replies\'' -d 'Who answers, tools and analysis'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox-fields\'' -d 'What the other fields of an assistant do'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox-faults\'' -d 'Faults that the sandbox makes on request'

complete -c callwright -n '__callwright_at \'help assistant\' 1' -a '\'create\'' -d 'Create an assistant from a file, or by answering questions'

complete -c callwright -n '__callwright_at \'help tool\' 1' -a '\'create\'' -d 'Create a tool from a file'
complete -c callwright -n '__callwright_at \'help tool\' 1' -a '\'update\'' -d 'Update the fields of a tool that a file holds'

complete -c callwright -n '__callwright_at \'help faq\' 1' -a '\'push\'' -d 'Insert new FAQ entries, update changed ones, write new ids into the file'

complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'start\'' -d 'Call a user from an assistant number'
complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'connect\'' -d 'Call a customer by phone number id'
complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'chat\'' -d 'Hold a call in text, as the caller'

complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'tail\'' -d 'Listen for webhook events, and print each message once'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'replay\'' -d 'Print a recording, or send its events to a server again'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'trigger\'' -d 'Send sample events, a whole call’s, or odd ones, to a server'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'show\'' -d 'List recorded calls, or print one as text, Markdown, JSON or HTML'

complete -c callwright -n '__callwright_at \'help sandbox\' 1' -a '\'start\'' -d 'Start the service, save it as a profile, and log what happens'

complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'add\'' -d 'Save a base URL and an API key; ask for what is not given'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'list\'' -d 'List all profiles; * marks the one in use'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'show\'' -d 'Show where requests go, and where each setting comes from'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'use\'' -d 'Use a profile from now on'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'remove\'' -d 'Remove a profile and its key from this machine'
