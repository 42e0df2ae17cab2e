import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gistOf } from '#test/harness/upstream/recorded-responses.ts'
import { simulateResponse } from './play.ts'

const toolsNamed = (names: string) => names.split(' ').map((name) => ({ type: 'function', function: { name } }))
const builtin = toolsNamed('shell read_file write_file edit_file list_files search ask_user')

type Messages = Parameters<typeof simulateResponse>[0]['messages']
const user = (content: string) => ({ role: 'user' as const, content })

const sceneFor = (messages: Messages, tools = builtin) => simulateResponse({ messages, tools })
function gist(messages: Messages, tools = builtin) {
  const scene = sceneFor(messages, tools)
  assert.ok('steps' in scene)
  return gistOf(scene.steps.flatMap((step) => ('event' in step ? [step.event] : [])))
}

/** The history after a response with one call. */
const answered = (prompt: string, result: string): Messages => [
  user(prompt),
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'x', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: result },
]

describe('the demo model as the model of an agent', () => {
  test('it calls the agent’s tools and reports the result', () => {
    const { calls, finish } = gist([user('run: make test')])
    assert.deepEqual([calls, finish], [['call_demo_1_1 shell {"command":"make test"}'], 'tool_calls (tool_calls)'])
    assert.equal(gist(answered('run: make test', 'all is well')).text, 'all is well')
  })

  test('no two calls of a conversation have the same id', () => {
    const [first] = gist([user('run `a` and `b`')]).calls ?? []
    const second = gist([...answered('run: a', 'done'), user('run: a')]).calls ?? []
    assert.notEqual(first?.split(' ')[0], second[0]?.split(' ')[0])
  })

  test('keywords of the demo model take precedence over scenarios', () => {
    assert.equal(gist([user('run demo:words=2')]).text, 'word1 word2')
    assert.match(gist([user('run: ls')], toolsNamed('weather shell')).text ?? '', /^You said: run: ls\. I am the demo/)
  })

  test('errors are a status before the response, or an event within it', () => {
    assert.deepEqual(sceneFor([user('error 503')]), {
      error: { status: 503, message: 'The script fails as it was asked to (503).' },
    })
    assert.match(gist([user('error 400 late')]).error ?? '', /^400: /)
  })

  test('silence is a pause before the first word', () => {
    const scene = sceneFor([user('silence 40')])
    assert.equal('steps' in scene && scene.steps[0]?.afterMs, 40_000)
  })

  test('a response has a maximum length', () => {
    const scene = sceneFor([user('flood 999999999')])
    assert.equal('steps' in scene && scene.steps.length, 100_002)
  })

  test('codex gets its own tool calls, and its environment message is not a prompt', () => {
    const tools = toolsNamed('exec_command write_stdin request_user_input')
    const messages = [user('<environment_context>\n<cwd>/w</cwd>\n</environment_context>'), user('escalate')]
    assert.deepEqual(gist(messages, tools).calls, ['call_demo_2_1 exec_command {"cmd":"cat /etc/hostname"}'])
    const outside = gist([...messages.slice(0, 1), ...answered('escalate', 'no')], tools).calls?.[0]
    assert.match(outside ?? '', /"sandbox_permissions":"require_escalated","justification":"The file is outside/)
  })

  test('kimi gets its own tool calls, and its reminders are not prompts', () => {
    const tools = toolsNamed('Bash Read Write Glob Grep AskUserQuestion')
    const reminder = user('<system-reminder>\nToday is Saturday.\n</system-reminder>')
    const both = user('<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\nrun: ls')
    assert.deepEqual(gist([both], tools).calls, ['call_demo_1_1 Bash {"command":"ls"}'])
    assert.deepEqual(gist([user('run: ls'), reminder], tools).calls, ['call_demo_2_1 Bash {"command":"ls"}'])
    assert.match(gist([user('question')], tools).calls?.[0] ?? '', /AskUserQuestion \{"questions":\[\{.*"staging"/)
  })

  test('Claude’s agent is distinguished from kimi by its fields', () => {
    const properties = { file_path: { type: 'string' }, content: { type: 'string' } }
    const write = { type: 'function', function: { name: 'Write', parameters: { type: 'object', properties } } }
    const tools = [...toolsNamed('Agent AskUserQuestion Bash Edit Read Glob Grep'), write]
    const call = (prompt: string) => gist([user(prompt)], tools).calls?.[0]
    assert.equal(call('run: ls'), 'call_demo_1_1 Bash {"command":"ls"}')
    assert.equal(call('write a.txt: hi'), 'call_demo_1_1 Write {"file_path":"a.txt","content":"hi\\n"}')
    assert.match(call('question') ?? '', /AskUserQuestion \{"questions":\[\{.*"multiSelect":false/)
  })

  test('qwen, gemini and opencode get their own tool calls; missing tools are reported', () => {
    const call = (names: string, prompt: string) => gist([user(prompt)], toolsNamed(names))
    const qwen = 'run_shell_command read_file write_file grep_search ask_user_question list_directory'
    assert.match(call(qwen, 'run: ls').calls?.[0] ?? '', /run_shell_command \{"command":"ls"/)
    assert.match(call(qwen, 'question').calls?.[0] ?? '', /ask_user_question \{"questions":\[\{.*"staging"/)
    const gemini = 'run_shell_command read_file write_file list_directory'
    assert.match(call(gemini, 'write /w/a: hi').calls?.[0] ?? '', /write_file \{"file_path":"\/w\/a"/)
    const context = user('<session_context>\nThis is a folder.\n</session_context>list')
    assert.match(gist([context], toolsNamed(gemini)).calls?.[0] ?? '', /list_directory/)
    const opencode = 'bash read write glob grep'
    assert.match(call(opencode, 'read /w/a').calls?.[0] ?? '', /read \{"filePath":"\/w\/a"/)
    assert.match(call(opencode, 'question').text ?? '', /I have no tool ask_user/)
  })

  test('pi and cline get questions in their format', () => {
    const withPath = (name: string) => {
      const parameters = { type: 'object', properties: { path: { type: 'string' } } }
      return { type: 'function', function: { name, parameters } }
    }
    const pi = [...toolsNamed('bash edit'), withPath('read'), withPath('write')]
    assert.deepEqual(gist([user('write /w/a: hi')], pi).calls, [
      'call_demo_1_1 write {"path":"/w/a","content":"hi\\n"}',
    ])
    const cline = toolsNamed('read_files search_codebase run_commands editor')
    assert.deepEqual(gist([user('run: ls')], cline).calls, ['call_demo_1_1 run_commands {"commands":["ls"]}'])
    assert.match(gist([user('write /w/a: hi')], cline).calls?.[0] ?? '', /editor \{"path":"\/w\/a","new_text":"hi/)
  })

  test('a tool of an MCP server is found by its name with any prefix of the agent', () => {
    const prompt = user('use add {"a": 1}')
    const call = (names: string) => gist([prompt], [...builtin, ...toolsNamed(names)]).calls?.[0]
    assert.equal(call('mcp__tools__add'), 'call_demo_1_1 mcp__tools__add {"a":1}')
    assert.equal(call('add'), 'call_demo_1_1 add {"a":1}')
    assert.equal(gist([prompt]).text, 'I have no tool add.')
  })
})
