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
    'help exit-codes' \
    'help environment' \
    'help sandbox' \
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
    'validate --kind' \
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

function __callwright_profiles
    callwright profile list --names 2>/dev/null </dev/null
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
complete -c callwright -l profile -r -f -a '(__callwright_profiles)' -d 'profile to use'
complete -c callwright -l base-url -x -d 'base URL of the service'
complete -c callwright -l json -d 'print JSON on stdout and nothing else'
complete -c callwright -l quiet -d 'print no progress and no notes'
complete -c callwright -l debug -d 'log requests and answers to stderr, without secrets'
complete -c callwright -l no-input -d 'never ask; fail and name the flag instead'
complete -c callwright -l no-color -d 'print without colour'
complete -c callwright -l timeout -x -d 'for one request, such as 500ms, 30s, 2m'
complete -c callwright -s h -l help -d 'print this help'

complete -c callwright -n '__callwright_at \'\' 1' -a '\'demo\'' -d 'watch an assistant made from YAML hold a call, all on this machine'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'init\'' -d 'write a starter project: an assistant, a tool, FAQ entries, schemas for editors, a CI example'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'plan\'' -d 'show what apply would change: sends nothing, needs no key'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'apply\'' -d 'make the service hold what the files of the project say'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'assistant\'' -d 'create assistants'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'tool\'' -d 'create and update the function tools that assistants call'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'faq\'' -d 'keep the questions and answers of a knowledge base in a file'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'validate\'' -d 'check resource files without the service: files, folders and glob patterns'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'schema\'' -d 'print the JSON Schema (2020-12) of a kind of file, for editors and other tools'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'call\'' -d 'place phone calls'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'webhook\'' -d 'receive what the service sends during calls; keep it, send it, show it'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'sandbox\'' -d 'run the whole service on this machine'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'profile\'' -d 'keep base URLs and API keys under names'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'api\'' -d 'send one request with the key of the profile, for endpoints that have no command'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'completion\'' -d 'print the script that completes commands, flags, profiles and files in your shell'
complete -c callwright -n '__callwright_at \'\' 1' -a '\'help\'' -d 'help on a command, or on exit-codes, environment, sandbox'
complete -c callwright -n '__callwright_at \'\'' -s V -l version -d 'print the version'

complete -c callwright -n '__callwright_at \'demo\'' -l pace -x -d '1 is real time, 4 four times faster, 0 does not wait'

complete -c callwright -n '__callwright_at \'init\' 1' -f -a '(__fish_complete_directories (commandline -ct))'

complete -c callwright -n '__callwright_at \'plan\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'plan\'' -l new-target -d 'begin a second target at a base URL that the lockfile knows'
complete -c callwright -n '__callwright_at \'plan\'' -l out -r -F -d 'also write the plan to a file, for callwright apply <file>'
complete -c callwright -n '__callwright_at \'plan\'' -l exit-code -d 'end with 7 when changes are pending'
complete -c callwright -n '__callwright_at \'plan\'' -l allow-unknown -d 'accept fields that the interface does not know'

complete -c callwright -n '__callwright_at \'apply\'' -l yes -d 'do not ask; needed where nobody can be asked'
complete -c callwright -n '__callwright_at \'apply\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'apply\'' -l new-target -d 'begin a second target at a base URL that the lockfile knows'
complete -c callwright -n '__callwright_at \'apply\'' -l parallelism -x -d 'most resources at once (default: 4)'
complete -c callwright -n '__callwright_at \'apply\'' -l adopt -x -d 'take a tool or assistant that exists as this file’s; repeatable'
complete -c callwright -n '__callwright_at \'apply\'' -l forget -x -d 'take a resource, or its unanswered creation, as not there; repeatable'
complete -c callwright -n '__callwright_at \'apply\'' -l junit -r -F -d 'also write a JUnit report'
complete -c callwright -n '__callwright_at \'apply\'' -l allow-unknown -d 'send fields that the interface does not know as they are'

complete -c callwright -n '__callwright_at \'assistant\' 1' -a '\'create\'' -d 'create an assistant from a file, or by answering questions'

complete -c callwright -n '__callwright_at \'assistant create\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'assistant create\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'assistant create\' 1' -F

complete -c callwright -n '__callwright_at \'tool\' 1' -a '\'create\'' -d 'create a tool from a file'
complete -c callwright -n '__callwright_at \'tool\' 1' -a '\'update\'' -d 'change the fields of a tool that the file holds'

complete -c callwright -n '__callwright_at \'tool create\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'tool create\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'tool create\' 1' -F

complete -c callwright -n '__callwright_at \'tool update\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'tool update\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'tool update\' 2' -F

complete -c callwright -n '__callwright_at \'faq\' 1' -a '\'push\'' -d 'insert new entries, update changed ones, and write new ids back into the file'

complete -c callwright -n '__callwright_at \'faq push\'' -l kb -x -d 'id or name of the knowledge base, instead of knowledgeBaseId in the file'
complete -c callwright -n '__callwright_at \'faq push\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'faq push\'' -l dry-run -d 'print what would be sent; send and write nothing'
complete -c callwright -n '__callwright_at \'faq push\'' -l batch-size -x -d 'most entries in one request (default: 100)'
complete -c callwright -n '__callwright_at \'faq push\'' -l resend-unknown -d 'send entries again whose answer was lost in an earlier push'
complete -c callwright -n '__callwright_at \'faq push\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'faq push\' 1' -F

complete -c callwright -n '__callwright_at \'validate\'' -l kind -r -f -a '\'assistant\' \'inline-assistant\' \'tool\' \'tool-update\' \'knowledge-base\' \'overrides\' \'call-start\' \'call-connect\' \'project\'' -d 'kind of the files, when no folder tells it'
complete -c callwright -n '__callwright_at \'validate\'' -l allow-unknown -d 'accept fields that the interface does not know'
complete -c callwright -n '__callwright_at \'validate\' 1+' -F

complete -c callwright -n '__callwright_at \'schema\' 1' -f -a '\'assistant\' \'inline-assistant\' \'tool\' \'tool-update\' \'knowledge-base\' \'overrides\' \'call-start\' \'call-connect\' \'project\''

complete -c callwright -n '__callwright_at \'call\' 1' -a '\'start\'' -d 'call a user from an assistant number'
complete -c callwright -n '__callwright_at \'call\' 1' -a '\'connect\'' -d 'place a call by phone number id and customer'
complete -c callwright -n '__callwright_at \'call\' 1' -a '\'chat\'' -d 'be the caller yourself, in text: hold a call on a sandbox of its own'

complete -c callwright -n '__callwright_at \'call start\'' -l from -x -d 'number of the assistant, as +12025550100'
complete -c callwright -n '__callwright_at \'call start\'' -l to -x -d 'number of the user, as +12025550123'
complete -c callwright -n '__callwright_at \'call start\'' -l assistant -r -F -d 'inline assistant: YAML or JSON file; wins over --assistant-id'
complete -c callwright -n '__callwright_at \'call start\'' -l assistant-id -x -d 'an existing assistant; without either, the default assistant of the number'
complete -c callwright -n '__callwright_at \'call start\'' -l var -x -d 'dynamic variable, replaces {{name}} (repeatable)'
complete -c callwright -n '__callwright_at \'call start\'' -l metadata -x -d 'your own data; JSON is sent as JSON (repeatable)'
complete -c callwright -n '__callwright_at \'call start\'' -l overrides -r -F -d 'YAML or JSON file with assistant overrides'
complete -c callwright -n '__callwright_at \'call start\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'call start\'' -l allow-any-number -d 'do not check numbers as E.164'
complete -c callwright -n '__callwright_at \'call start\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'call start\'' -l dry-run -d 'print the request and send nothing'
complete -c callwright -n '__callwright_at \'call start\'' -l follow -d 'show what is said until the call ends, by a listener of its own'
complete -c callwright -n '__callwright_at \'call start\'' -l port -x -d 'port to listen on (default: a free one)'
complete -c callwright -n '__callwright_at \'call start\'' -l tunnel -x -d 'start a tunnel program, and find the public URL in its output'
complete -c callwright -n '__callwright_at \'call start\'' -l tunnel-url -x -d 'regular expression of the public URL in that output'
complete -c callwright -n '__callwright_at \'call start\'' -l public-url -x -d 'where the service reaches this listener already'
complete -c callwright -n '__callwright_at \'call start\'' -l compact -d 'print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'call start\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'print when it was said in front of each line'

complete -c callwright -n '__callwright_at \'call connect\'' -l phone-number-id -x -d 'id of the phone number used for the call'
complete -c callwright -n '__callwright_at \'call connect\'' -l to -x -d 'number of the customer, as +12025550123'
complete -c callwright -n '__callwright_at \'call connect\'' -l customer-name -x -d 'name of the customer'
complete -c callwright -n '__callwright_at \'call connect\'' -l direction -r -f -a '\'inbound\' \'outbound\'' -d 'who starts the call'
complete -c callwright -n '__callwright_at \'call connect\'' -l assistant -r -F -d 'inline assistant: YAML or JSON file; wins over --assistant-id'
complete -c callwright -n '__callwright_at \'call connect\'' -l assistant-id -x -d 'an existing assistant; without either, the default assistant of the number'
complete -c callwright -n '__callwright_at \'call connect\'' -l var -x -d 'dynamic variable, replaces {{name}} (repeatable)'
complete -c callwright -n '__callwright_at \'call connect\'' -l metadata -x -d 'your own data; JSON is sent as JSON (repeatable)'
complete -c callwright -n '__callwright_at \'call connect\'' -l overrides -r -F -d 'YAML or JSON file with assistant overrides'
complete -c callwright -n '__callwright_at \'call connect\'' -l target -x -d 'section of the lockfile (default: the name of the profile)'
complete -c callwright -n '__callwright_at \'call connect\'' -l allow-any-number -d 'do not check numbers as E.164'
complete -c callwright -n '__callwright_at \'call connect\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'call connect\'' -l dry-run -d 'print the request and send nothing'
complete -c callwright -n '__callwright_at \'call connect\'' -l follow -d 'show what is said until the call ends, by a listener of its own'
complete -c callwright -n '__callwright_at \'call connect\'' -l port -x -d 'port to listen on (default: a free one)'
complete -c callwright -n '__callwright_at \'call connect\'' -l tunnel -x -d 'start a tunnel program, and find the public URL in its output'
complete -c callwright -n '__callwright_at \'call connect\'' -l tunnel-url -x -d 'regular expression of the public URL in that output'
complete -c callwright -n '__callwright_at \'call connect\'' -l public-url -x -d 'where the service reaches this listener already'
complete -c callwright -n '__callwright_at \'call connect\'' -l compact -d 'print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'call connect\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'print when it was said in front of each line'

complete -c callwright -n '__callwright_at \'call chat\'' -l assistant-id -x -d 'an assistant of the records that sandbox start keeps, with its tools and FAQ'
complete -c callwright -n '__callwright_at \'call chat\'' -l var -x -d 'dynamic variable, replaces {{name}} (repeatable)'
complete -c callwright -n '__callwright_at \'call chat\'' -l overrides -r -F -d 'YAML or JSON file with assistant overrides'
complete -c callwright -n '__callwright_at \'call chat\'' -l caller -r -F -d 'lines that the caller says first, one per line'
complete -c callwright -n '__callwright_at \'call chat\'' -l save -r -F -d 'write the transcript to a new file: .json, .ndjson, or else text'
complete -c callwright -n '__callwright_at \'call chat\'' -l data -r -F -d 'records of a sandbox to take FAQ, tools and assistants from; read only'
complete -c callwright -n '__callwright_at \'call chat\'' -l webhooks -d 'send the webhooks that the assistant’s assistantServer asks for'
complete -c callwright -n '__callwright_at \'call chat\'' -l allow-unknown -d 'send fields that the interface does not know as they are'
complete -c callwright -n '__callwright_at \'call chat\'' -l llm-url -x -d 'OpenAI-compatible server that replies for the assistant; without it replies come from the FAQ'
complete -c callwright -n '__callwright_at \'call chat\'' -l llm-model -x -d 'model of that server, instead of the assistant\'s own'

complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'tail\'' -d 'listen for webhook events and print each message once, status changes and the analysis'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'replay\'' -d 'send the events of a recording to a server again, or print them as tail does'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'trigger\'' -d 'send sample events, a whole call’s, or odd ones, to a server under development'
complete -c callwright -n '__callwright_at \'webhook\' 1' -a '\'show\'' -d 'print a recorded call as text, Markdown, JSON or an HTML page that stands alone'

complete -c callwright -n '__callwright_at \'webhook tail\'' -l host -x -d 'address to listen on'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l port -x -d 'port to listen on; 0 picks a free one'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l path -x -d 'path that events are sent to'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l require-header -x -d 'take only requests with this header: \'name: value\''
complete -c callwright -n '__callwright_at \'webhook tail\'' -l allow-host -x -d 'take requests addressed to this host too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l max-body -x -d 'largest body taken'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l until -r -f -a '\'finished\'' -d 'end after the first call that finished'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l tunnel -x -d 'start a tunnel program, and find the public URL in its output'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l tunnel-url -x -d 'regular expression of the public URL in that output'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l public-url -x -d 'where the service reaches this listener already'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l call -x -d 'show only this call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l type -x -d 'show only events of this type, as status-update (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l role -r -f -a '\'user\' \'assistant\'' -d 'show only messages of this role (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'show only changes to this status (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l compact -d 'print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'print when it was said in front of each line'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l ui -d 'show the calls on a page in the browser too'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l record -r -F -d 'append every event to this file, for webhook replay and webhook show'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l rotate -x -d 'put the recording aside before it grows larger than this'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward -d 'send each event, or those of one type, to this server too (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-header -x -d 'send this header with them: \'name: value\' (repeatable)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-only-new -d 'forward only events that carry something unseen'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l forward-retries -x -d 'try an event that failed again so many times, at most 100 (default: 0)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l resume -d 'first deliver what an earlier tail accepted and did not deliver'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l drain -x -d 'how long the end waits for what is under way'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec -x -d 'run this for each unseen message, its JSON on stdin'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-shell -d 'let the shell read the command of --exec'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-at-once -x -d 'how many run side by side (4 unless given)'
complete -c callwright -n '__callwright_at \'webhook tail\'' -l exec-timeout -x -d 'end one that takes longer (60s unless given)'

complete -c callwright -n '__callwright_at \'webhook replay\'' -l to -x -d 'address of the server; without it the transcript is printed'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l speed -x -d 'times as fast as recorded, or max (default: 1 with --to, else max)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l call -x -d 'only the events of this call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l type -x -d 'only events of this type, as status-update (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l from -x -d 'only what arrived then or later'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l until -x -d 'only what arrived then or earlier'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l header -x -d 'send this header too: \'name: value\' (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l role -r -f -a '\'user\' \'assistant\'' -d 'show only messages of this role (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'show only changes to this status (repeatable)'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l compact -d 'print each message on one line, cut at the width'
complete -c callwright -n '__callwright_at \'webhook replay\'' -l timestamps -r -f -a '\'relative\' \'local\' \'iso\' \'none\'' -d 'print when it was said in front of each line'
complete -c callwright -n '__callwright_at \'webhook replay\' 1' -F

complete -c callwright -n '__callwright_at \'webhook trigger\'' -l to -x -d 'address of the server'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l set -x -d 'change a field of the message, as call.id=CC-1 (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l unset -x -d 'leave a field of the message out, as call (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l allow-unknown -d 'let --set add fields that the interface does not have'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l messages -x -d 'messages of the conversation (default: 6)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l status -r -f -a '\'queued\' \'ongoing\' \'finished\'' -d 'status of the call (default: queued, or ongoing in a conversation)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l call -x -d 'id of the call; without it a new one each time'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l shape -x -d 'send only this odd shape (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l header -x -d 'send this header too: \'name: value\' (repeatable)'
complete -c callwright -n '__callwright_at \'webhook trigger\'' -l dry-run -d 'print the events and send nothing'
complete -c callwright -n '__callwright_at \'webhook trigger\' 1' -f -a '\'status-update\' \'conversation-update\' \'call\' \'odd\''

complete -c callwright -n '__callwright_at \'webhook show\'' -l call -x -d 'the call to print; - for the events that name none'
complete -c callwright -n '__callwright_at \'webhook show\'' -l all -d 'print every call of the recording'
complete -c callwright -n '__callwright_at \'webhook show\'' -l format -r -f -a '\'text\' \'markdown\' \'json\' \'html\'' -d 'what to make of it (default: by the name of --out, else text)'
complete -c callwright -n '__callwright_at \'webhook show\'' -l out -r -F -d 'write it to a new file, which only you can read'
complete -c callwright -n '__callwright_at \'webhook show\'' -l force -d 'let --out replace a file'
complete -c callwright -n '__callwright_at \'webhook show\' 1' -F

complete -c callwright -n '__callwright_at \'sandbox\' 1' -a '\'start\'' -d 'start the service, save it as the profile sandbox, and log what happens'

complete -c callwright -n '__callwright_at \'sandbox start\'' -l host -x -d 'loopback address to listen on'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l port -x -d 'port to listen on; 0 picks a free one'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l pace -x -d 'how many times faster than real time; 0 does not wait at all'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l data -r -F -d 'where records are kept; without it in the configuration folder'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l memory -d 'keep nothing'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l numbers -r -F -d 'phone numbers: a YAML or JSON list of { id, number, assistantId }'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l caller -r -f -a '\'script\' \'live\'' -d 'where the caller\'s lines come from: a script, or the call\'s control URL (live)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l llm-url -x -d 'OpenAI-compatible server that replies for the assistant; without it replies come from the FAQ'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l llm-model -x -d 'model of that server, instead of the assistant\'s own'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l fault -x -d 'faults of webhooks: duplicate, reorder, delay, drop, disconnect, each with =probability (repeatable)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l fault-http -x -d 'faults of the API: 429, 500, hang, reset, each with =probability (repeatable)'
complete -c callwright -n '__callwright_at \'sandbox start\'' -l seed -x -d 'the same seed gives the same ids and faults; without it a new one'

complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'add\'' -d 'save a base URL and an API key; asks for what is not given'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'list\'' -d 'show all profiles; * marks the one in use'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'show\'' -d 'show where requests go, with which key, and where each setting comes from'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'use\'' -d 'put a profile in use'
complete -c callwright -n '__callwright_at \'profile\' 1' -a '\'remove\'' -d 'forget a profile and its key'

complete -c callwright -n '__callwright_at \'profile add\'' -l api-key-stdin -d 'read the API key from stdin; it is never taken from the command line'
complete -c callwright -n '__callwright_at \'profile add\'' -l vocabulary -r -F -d 'YAML or JSON file: placeholder of the interface → the word of this deployment'
complete -c callwright -n '__callwright_at \'profile add\'' -l force -d 'replace a profile of that name without asking'

complete -c callwright -n '__callwright_at \'profile show\' 1' -f -a '(__callwright_profiles)'

complete -c callwright -n '__callwright_at \'profile use\' 1' -f -a '(__callwright_profiles)'

complete -c callwright -n '__callwright_at \'profile remove\'' -l yes -d 'do not ask'
complete -c callwright -n '__callwright_at \'profile remove\' 1' -f -a '(__callwright_profiles)'

complete -c callwright -n '__callwright_at \'api\'' -l data -x -d 'body: JSON, @file, or @- for stdin'
complete -c callwright -n '__callwright_at \'api\'' -s i -l include -d 'show the status and headers of the answer too'

complete -c callwright -n '__callwright_at \'completion\' 1' -f -a '\'bash\' \'zsh\' \'fish\' \'powershell\''

complete -c callwright -n '__callwright_at \'help\' 1' -a '\'demo\'' -d 'watch an assistant made from YAML hold a call, all on this machine'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'init\'' -d 'write a starter project: an assistant, a tool, FAQ entries, schemas for editors, a CI example'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'plan\'' -d 'show what apply would change: sends nothing, needs no key'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'apply\'' -d 'make the service hold what the files of the project say'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'assistant\'' -d 'create assistants'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'tool\'' -d 'create and update the function tools that assistants call'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'faq\'' -d 'keep the questions and answers of a knowledge base in a file'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'validate\'' -d 'check resource files without the service: files, folders and glob patterns'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'schema\'' -d 'print the JSON Schema (2020-12) of a kind of file, for editors and other tools'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'call\'' -d 'place phone calls'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'webhook\'' -d 'receive what the service sends during calls; keep it, send it, show it'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox\'' -d 'run the whole service on this machine'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'profile\'' -d 'keep base URLs and API keys under names'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'api\'' -d 'send one request with the key of the profile, for endpoints that have no command'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'completion\'' -d 'print the script that completes commands, flags, profiles and files in your shell'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'exit-codes\'' -d 'a topic of the help'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'environment\'' -d 'a topic of the help'
complete -c callwright -n '__callwright_at \'help\' 1' -a '\'sandbox\'' -d 'a topic of the help'

complete -c callwright -n '__callwright_at \'help assistant\' 1' -a '\'create\'' -d 'create an assistant from a file, or by answering questions'

complete -c callwright -n '__callwright_at \'help tool\' 1' -a '\'create\'' -d 'create a tool from a file'
complete -c callwright -n '__callwright_at \'help tool\' 1' -a '\'update\'' -d 'change the fields of a tool that the file holds'

complete -c callwright -n '__callwright_at \'help faq\' 1' -a '\'push\'' -d 'insert new entries, update changed ones, and write new ids back into the file'

complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'start\'' -d 'call a user from an assistant number'
complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'connect\'' -d 'place a call by phone number id and customer'
complete -c callwright -n '__callwright_at \'help call\' 1' -a '\'chat\'' -d 'be the caller yourself, in text: hold a call on a sandbox of its own'

complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'tail\'' -d 'listen for webhook events and print each message once, status changes and the analysis'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'replay\'' -d 'send the events of a recording to a server again, or print them as tail does'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'trigger\'' -d 'send sample events, a whole call’s, or odd ones, to a server under development'
complete -c callwright -n '__callwright_at \'help webhook\' 1' -a '\'show\'' -d 'print a recorded call as text, Markdown, JSON or an HTML page that stands alone'

complete -c callwright -n '__callwright_at \'help sandbox\' 1' -a '\'start\'' -d 'start the service, save it as the profile sandbox, and log what happens'

complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'add\'' -d 'save a base URL and an API key; asks for what is not given'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'list\'' -d 'show all profiles; * marks the one in use'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'show\'' -d 'show where requests go, with which key, and where each setting comes from'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'use\'' -d 'put a profile in use'
complete -c callwright -n '__callwright_at \'help profile\' 1' -a '\'remove\'' -d 'forget a profile and its key'
