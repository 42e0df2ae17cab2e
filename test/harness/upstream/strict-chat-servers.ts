import { parseRequest, type Received } from './scripted-upstream.ts'
import { firstTool, strictResponse } from './strict-upstreams.ts'
import { encodeResponse } from './upstream-responses.ts'

type Message = {
  role: string
  content?: unknown
  prefix?: boolean
  tool_calls?: { id: string; type?: string; function: { arguments: string } }[]
} & Record<string, unknown>
type Check = (body: any) => string | undefined | false

const checkEachMessage =
  (check: (message: Message, previous: Message | undefined) => string | undefined | false): Check =>
  ({ messages }) =>
    messages.map((message: Message, at: number) => check(message, messages[at - 1])).find(Boolean)

/** A check of every server: no list is empty, and a choice of tools needs tools. */
const emptyLists: Check = (body) =>
  ['tools', 'stop'].map((name) => body[name]?.length === 0 && `[] is too short - '${name}'`).find(Boolean) ||
  ((body.tool_choice ?? body.parallel_tool_calls) !== undefined && !body.tools && 'tools must be set') ||
  checkEachMessage(({ tool_calls: calls }) => calls?.length === 0 && "[] is too short - 'tool_calls'")(body)

/** Templates of vLLM and llama.cpp parse the arguments of earlier calls. */
const parsedArguments = checkEachMessage(({ tool_calls: calls = [] }) =>
  calls
    .map(({ type, function: { arguments: text } }) => {
      if (type !== 'function') return 'Missing tool call type'
      try {
        return typeof JSON.parse(text) === 'object' ? undefined : 'arguments must be an object'
      } catch {
        return `Failed to parse tool call arguments as JSON: ${text}`
      }
    })
    .find(Boolean),
)

const alternation = checkEachMessage(
  ({ role }, previous) =>
    role !== 'tool' &&
    role !== 'system' &&
    role === previous?.role &&
    'Conversation roles must alternate user/assistant',
)

const contentOrCalls = checkEachMessage(
  ({ role, content, tool_calls: calls }) =>
    role === 'assistant' && content == null && !calls && "Expected 'content' or 'tool_calls'",
)

const responseFields = ['refusal', 'annotations', 'images', 'audio', 'reasoning_details']
const unknownResponseFields = checkEachMessage((message) => {
  const name = responseFields.find((field) => field in message)
  return name && `property '${name}' is unsupported`
})

/** llama.cpp translates the schemas of tools to a grammar. */
const grammar: Check = ({ tools = [] }) => {
  const text = JSON.stringify(tools)
  for (const [, quoted] of text.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)) {
    const pattern = JSON.parse(`"${quoted}"`)
    if (!(pattern.startsWith('^') && pattern.endsWith('$'))) return "Pattern must start with '^' and end with '$'"
    if (/\\[a-z]/i.test(pattern)) return 'Failed to initialize samplers: failed to parse grammar'
  }
  const long = [...text.matchAll(/"max(?:Length|Items)":(\d+)/g)].some(([, count]) => Number(count) > 2000)
  return long && 'number of repetitions exceeds sane defaults'
}

const allowedNextRoles: Record<string, string[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
}
const mistralMessageFields: Record<string, string[]> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'prefix'],
  tool: ['role', 'content', 'tool_call_id', 'name'],
}
const mistralBodyFields = [
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'parallel_tool_calls', 'temperature'],
  ...['top_p', 'max_tokens', 'stop', 'random_seed', 'metadata', 'response_format', 'presence_penalty', 'n'],
  ...['frequency_penalty', 'prediction', 'prompt_mode', 'safe_prompt', 'reasoning_effort'],
]
const mistral: Check = (body) => {
  const extra = Object.keys(body).find((name) => !mistralBodyFields.includes(name))
  if (extra) return `body.${extra}: Extra inputs are not permitted`
  const last = body.messages.at(-1)
  if (last.role === 'assistant' && !last.prefix) return 'Expected last role User or Tool'
  return checkEachMessage((message, previous) => {
    const { role, tool_calls: calls = [] } = message
    const field = Object.keys(message).find((name) => !mistralMessageFields[role]?.includes(name))
    if (field) return `${role}.${field}: Extra inputs are not permitted`
    if (previous && !allowedNextRoles[previous.role]!.includes(role))
      return `Unexpected role '${role}' after role '${previous.role}'`
    return (
      calls.some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id)) && 'Tool call id must be a-z, A-Z, 0-9, with a length of 9'
    )
  })(body)
}

const withoutFields =
  (...names: string[]): Check =>
  (body) =>
    names.map((name) => name in body && `property '${name}' is unsupported`).find(Boolean)

const templateChecks = [emptyLists, contentOrCalls, alternation, parsedArguments]

const checks: Record<string, Check[]> = {
  vllm: templateChecks,
  'llama-cpp': [...templateChecks, grammar, unknownResponseFields],
  deepseek: [emptyLists, contentOrCalls, alternation],
  groq: [
    emptyLists,
    unknownResponseFields,
    withoutFields('logprobs', 'top_logprobs', 'logit_bias'),
    checkEachMessage((message) => 'name' in message && message.role !== 'tool' && "property 'name' is unsupported"),
  ],
  cerebras: [emptyLists, withoutFields('presence_penalty', 'frequency_penalty', 'logit_bias')],
  xai: [emptyLists, withoutFields('presence_penalty', 'frequency_penalty')],
  mistral: [emptyLists, mistral],
}

/** Names of providers for `chatServers`, each of which refuses what the server of that name does. */
export const strictChatServers = Object.keys(checks)

/** Servers that accept system messages and users anywhere. */
const lenientServers = ['groq', 'mistral', 'xai']

/** Answers as `strictResponse`, after the checks of the server in the path. */
export function strictServerResponse(received: Received) {
  const server = received.path.split('/')[1]!
  for (const check of checks[server] ?? []) {
    const message = check(received.body)
    if (message) return { status: 400, type: 'application/json', body: JSON.stringify({ error: { message } }) }
  }
  if (!lenientServers.includes(server)) return strictResponse(received)
  const tool = firstTool(received.body)
  const response = tool ? { calls: [{ name: tool, input: {} }] } : { text: 'Hi' }
  return encodeResponse('openai-chat', response, parseRequest(received).streamed)
}
