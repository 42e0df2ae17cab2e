import type { OddRequest } from './requests.ts'

const [chat, responses, anthropic, gemini] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini']
const user = (content: unknown) => ({ role: 'user', content })
const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const read = { type: 'function', function: { name: 'read', parameters } }
const flatRead = { type: 'function', name: 'read', parameters }
const messagesRead = { name: 'read', input_schema: parameters }
const args = '{"path":"a"}'
const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: args } })
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const closedPlace = { ...place, additionalProperties: false }
const geminiTypes = { type: 'OBJECT', properties: { path: { type: 'STRING' } } }
const rooted = { $ref: '#/definitions/place', definitions: { place } }

export const clientChats: OddRequest[] = [
  {
    name: "the types of Gemini's schemas in a tool",
    body: { tools: [{ type: 'function', function: { name: 'read', parameters: geminiTypes } }] },
    sent: {
      [chat!]: { tools: [read] },
      openai: { tools: [read] },
      [anthropic!]: { 'tools.0.input_schema': parameters },
      [gemini!]: { 'tools.0.functionDeclarations.0.parametersJsonSchema': parameters },
    },
  },
  {
    name: 'a response format whose schema is a reference',
    body: { response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: rooted } } },
    sent: {
      openai: { 'response_format.json_schema.schema.type': 'object', 'response_format.json_schema.strict': true },
      [responses!]: { 'text.format.schema.properties': place.properties },
      [anthropic!]: { 'output_config.format.schema.type': 'object' },
      [gemini!]: { 'generationConfig.responseJsonSchema': place },
    },
  },
  {
    name: 'a response format in the form of responses',
    body: { response_format: { type: 'json_schema', name: 'place', strict: true, schema: closedPlace } },
    sent: {
      openai: { 'response_format.json_schema': { name: 'place', strict: true, schema: closedPlace } },
      [responses!]: { 'text.format': { type: 'json_schema', name: 'place', strict: true, schema: closedPlace } },
    },
  },
  {
    name: 'a tool choice with only the name of the function',
    body: { tools: [read], tool_choice: { type: 'function', function: 'read' } },
    sent: {
      openai: { tool_choice: { type: 'function', function: { name: 'read' } } },
      [anthropic!]: { 'tool_choice.name': 'read' },
    },
  },
  {
    name: 'parallel_tool_calls of a model that refuses it',
    body: { tools: [read], parallel_tool_calls: false },
    sent: { 'openai/o3': { parallel_tool_calls: undefined }, 'openai/gpt-5': { parallel_tool_calls: false } },
    dropped: { 'openai/o3': ['parallel_tool_calls'] },
  },
  {
    name: 'an earlier response without content',
    body: { messages: [user('Hi'), { role: 'assistant', content: null, refusal: null }, user('?')] },
    sent: { openai: { 'messages.1.content': '' } },
  },
  {
    name: 'an image in the result of a tool',
    body: {
      tools: [read],
      messages: [
        user('Hi'),
        { role: 'assistant', content: null, tool_calls: [call('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: [image] },
      ],
    },
    sent: {
      openai: { 'messages.2.content': 'It follows.', 'messages.3.role': 'user', 'messages.3.content.1': image },
      openrouter: { 'messages.2.content': [image], 'messages.length': 3 },
    },
  },
  {
    name: 'calls and results with an empty id, and the index of a stream',
    body: {
      tools: [read],
      messages: [
        user('Hi'),
        { role: 'assistant', content: null, tool_calls: [{ index: 0, ...call('') }, call('')] },
        { role: 'tool', tool_call_id: '', content: 'A' },
        { role: 'tool', tool_call_id: '', content: 'B' },
      ],
    },
    sent: {
      [chat!]: {
        'messages.1.tool_calls.0': call('call_1_0'),
        'messages.2': { role: 'tool', tool_call_id: 'call_1_0', content: 'A' },
        'messages.3.tool_call_id': 'call_1_1',
      },
      [anthropic!]: { 'messages.1.content.1.id': 'call_1_1', 'messages.2.content.1.tool_use_id': 'call_1_1' },
    },
  },
  {
    name: 'the detail null of an image',
    body: { messages: [user([{ type: 'image_url', image_url: { ...image.image_url, detail: null } }])] },
    sent: { openai: { 'messages.0.content.0': image } },
  },
]

const cache_control = { type: 'ephemeral' }
const marked = [{ type: 'text', text: 'Hi', cache_control }]

clientChats.push(
  {
    name: 'cache breakpoints in messages, parts, tools and functions',
    body: {
      messages: [{ role: 'system', content: 'S', cache_control }, user(marked)],
      tools: [{ type: 'function', function: { ...read.function, cache_control } }],
    },
    sent: {
      ...Object.fromEntries(
        ['openai', 'groq', 'mistral'].map((server) => [
          server,
          {
            'messages.0': { role: 'system', content: 'S' },
            'messages.1.content': [{ type: 'text', text: 'Hi' }],
            'tools.0': read,
          },
        ]),
      ),
      openrouter: { 'messages.1.content': marked },
      [anthropic!]: { 'system.0.cache_control': cache_control, 'tools.0.cache_control': cache_control },
    },
  },
  {
    name: 'fields of messages that programs store',
    body: { messages: [{ ...user('Hi'), id: '1', createdAt: 'now', parts: [] }] },
    sent: {
      groq: { 'messages.0': user('Hi') },
      mistral: { 'messages.0': user('Hi') },
      [chat!]: { 'messages.0.id': '1' },
    },
    dropped: { groq: ['messages.id', 'messages.createdAt'] },
  },
  {
    name: 'a name with spaces',
    body: { messages: [{ ...user('Hi'), name: 'Jörg <Müller>' }] },
    sent: { openai: { 'messages.0.name': 'Jörg_Müller_' }, [chat!]: { 'messages.0.name': 'Jörg <Müller>' } },
  },
  {
    name: 'stop sequences for a model that refuses them',
    body: { stop: ['x'] },
    sent: { 'openai/gpt-5': { stop: undefined }, 'openai/gpt-4o': { stop: ['x'] } },
    dropped: { 'openai/gpt-5': ['stop'] },
  },
  ...['auto', 'default'].map((reasoning_effort) => ({
    name: `the effort ${reasoning_effort}`,
    body: { reasoning_effort },
    sent: {
      'openai/gpt-5': { reasoning_effort: undefined },
      'anthropic-messages/claude-opus-4-5': { thinking: undefined },
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig': undefined },
    },
  })),
  {
    name: 'the effort disable',
    body: { reasoning_effort: 'disable' },
    sent: {
      'openai/gpt-5': { reasoning_effort: 'minimal' },
      'anthropic-messages/claude-opus-4-5': { thinking: undefined },
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 0 },
    },
  },
  {
    name: 'the thinking options of Gemini',
    body: { max_tokens: 4000, extra_body: { google: { thinking_config: { thinking_budget: 2000 } } } },
    sent: {
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 2000 },
      'anthropic-messages/claude-3-7-sonnet': { thinking: { type: 'enabled', budget_tokens: 2000 } },
    },
  },
  {
    name: 'no thinking in the options of Gemini',
    body: { extra_body: { google: { thinking_config: { thinking_budget: 0, include_thoughts: false } } } },
    sent: { 'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 0 } },
  },
  {
    name: 'an empty list of functions',
    body: { functions: [], function_call: 'auto' },
    sent: { openai: { functions: undefined, function_call: undefined }, [chat!]: { functions: undefined } },
  },
  {
    name: 'an earlier response that is a refusal',
    body: { messages: [user('Hi'), { role: 'assistant', content: null, refusal: 'No' }, user('?')] },
    sent: {
      [anthropic!]: { 'messages.1.content.0.text': 'No' },
      [gemini!]: { 'contents.1.parts.0.text': 'No' },
      [responses!]: { 'input.1.content.0.refusal': 'No' },
    },
  },
)

const named = (name: string) => ({ type: 'function', function: { name, parameters } })
const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'read' } }] }
const flatAllowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'read' }] }

clientChats.push(
  {
    name: 'functions of responses, Anthropic and MCP',
    body: {
      tools: [
        { ...flatRead, name: 'a' },
        { name: 'b', description: 'd', input_schema: parameters },
        { name: 'c', inputSchema: parameters },
        { type: 'custom', name: 'd', input_schema: parameters },
        { type: 'function', function: { name: 'e', input_schema: parameters } },
      ],
    },
    sent: {
      openai: {
        'tools.0': named('a'),
        'tools.1.function': { name: 'b', description: 'd', parameters },
        'tools.2': named('c'),
        'tools.3': named('d'),
        'tools.4': named('e'),
      },
      [responses!]: { 'tools.2.parameters.properties': parameters.properties },
      [anthropic!]: { 'tools.1.input_schema': parameters, 'tools.4.input_schema': parameters },
      [gemini!]: { 'tools.0.functionDeclarations.4.parametersJsonSchema': parameters },
    },
  },
  {
    name: 'a custom tool of responses, and its choice',
    body: {
      tools: [{ type: 'custom', name: 'sh', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }],
      tool_choice: { type: 'custom', name: 'sh' },
    },
    sent: {
      openai: {
        'tools.0.custom.format.grammar': { syntax: 'lark', definition: 'start: "a"' },
        tool_choice: { type: 'custom', custom: { name: 'sh' } },
      },
      [anthropic!]: { 'tools.0.name': 'sh', 'tool_choice.name': 'sh' },
    },
  },
  {
    name: 'a choice of several tools as responses have it',
    body: { tools: [read, named('write')], tool_choice: flatAllowed },
    sent: {
      openai: { tool_choice: { type: 'allowed_tools', allowed_tools: allowed }, 'tools.length': 2 },
      mistral: { tools: [read], tool_choice: 'required' },
      [responses!]: { tool_choice: flatAllowed },
      [anthropic!]: { 'tools.length': 1, 'tool_choice.type': 'any' },
    },
  },
  {
    name: 'calls without the field function, and objects as arguments',
    body: {
      tools: [read],
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'tool_call', name: 'read', args: { path: 'a' } },
            { id: 'c2', type: 'function', name: 'read', arguments: args },
            { id: 'c3', type: 'function', function: { name: 'read', arguments: { path: 'a' } } },
            { id: 'c4', type: 'function', function: { name: 'read', arguments: null } },
          ],
        },
        ...['c1', 'c2', 'c3', 'c4'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'A' })),
      ],
    },
    sent: {
      openai: {
        'messages.1.tool_calls.0': call('c1'),
        'messages.1.tool_calls.1': call('c2'),
        'messages.1.tool_calls.2': call('c3'),
        'messages.1.tool_calls.3.function.arguments': '{}',
      },
      [anthropic!]: { 'messages.1.content.0.input': { path: 'a' }, 'messages.1.content.2.input': { path: 'a' } },
    },
  },
  {
    name: 'settings, names and descriptions that are null',
    body: {
      messages: [{ ...user('Hi'), name: null }],
      tools: [{ type: 'function', function: { ...read.function, description: null } }],
      ...{ user: null, reasoning: null, thinking: null, verbosity: null, tool_choice: null },
    },
    sent: {
      openai: {
        'messages.0': user('Hi'),
        'tools.0': read,
        ...{ user: undefined, reasoning: undefined, thinking: undefined, verbosity: undefined, tool_choice: undefined },
      },
      [chat!]: { user: undefined, 'tools.0': read },
    },
  },
  {
    name: 'the former switch of OpenRouter for reasoning',
    body: { include_reasoning: true },
    sent: {
      openai: { include_reasoning: undefined },
      mistral: { include_reasoning: undefined },
      groq: { include_reasoning: true },
      openrouter: { include_reasoning: true },
    },
    dropped: { openai: ['include_reasoning'] },
  },
  {
    name: 'an effort in upper case',
    body: { reasoning_effort: 'LOW' },
    sent: {
      'openai/gpt-5': { reasoning_effort: 'low' },
      'anthropic-messages/claude-opus-4-8': { 'output_config.effort': 'low' },
    },
  },
  ...[{ thinking: true }, { thinking: false }, { thinking: { type: 'enabled', budget_tokens: 0 } }].map((fields) => ({
    name: `reasoning as ${JSON.stringify(fields)}`,
    body: { ...fields, max_tokens: 4000 },
    sent: {
      'openai/gpt-5': { reasoning_effort: fields.thinking === true ? 'medium' : 'minimal', thinking: undefined },
      'google-gemini/gemini-2-5-flash': {
        'generationConfig.thinkingConfig.thinkingBudget': fields.thinking === true ? -1 : 0,
      },
    },
  })),
)

const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const answer = (id: string) => ({
  type: 'message',
  role: 'assistant',
  id,
  content: [{ type: 'output_text', text: 'Yes' }],
})

export const clientResponses: OddRequest[] = [
  ...[
    [{ type: 'any' }, 'required', 'any'],
    [{ type: 'none' }, 'none', 'none'],
    [{ type: 'tool', name: 'read' }, { type: 'function', name: 'read' }, 'tool'],
  ].map(([tool_choice, sent, type]) => ({
    name: `the tool choice ${JSON.stringify(tool_choice)}`,
    body: { tools: [flatRead], tool_choice },
    sent: { [responses!]: { tool_choice: sent }, [anthropic!]: { 'tool_choice.type': type } },
  })),
  {
    name: 'a tool choice without tools',
    body: { tool_choice: 'required' },
    sent: { [responses!]: { tool_choice: undefined }, [chat!]: { tool_choice: undefined } },
  },
  {
    name: 'reasoning without what followed it',
    body: { input: [user('Hi'), thought, user('?'), thought, answer('msg_1'), user('?')] },
    sent: { [responses!]: { 'input.length': 5, 'input.1.role': 'user', 'input.2.id': 'rs_1' } },
    dropped: { [responses!]: ['input.reasoning'] },
  },
  {
    name: 'ids of items that OpenAI refuses',
    body: {
      input: [
        user('Hi'),
        { ...flatRead, parameters: undefined, type: 'function_call', id: 'call_1', call_id: 'c1', arguments: args },
        { type: 'function_call_output', id: 'x', call_id: 'c1', output: 'A' },
        answer('chatcmpl-1'),
        answer(`msg_${'a'.repeat(80)}`),
        answer('msg_1'),
      ],
    },
    sent: {
      [responses!]: {
        'input.1.id': undefined,
        'input.2.id': undefined,
        'input.3.id': undefined,
        'input.4.id': undefined,
        'input.5.id': 'msg_1',
      },
    },
  },
  {
    name: 'a choice of several tools as chats have it',
    body: { tools: [flatRead], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
    sent: {
      [responses!]: { tool_choice: flatAllowed },
      openai: { tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
      [anthropic!]: { 'tools.length': 1, 'tool_choice.type': 'any' },
    },
  },
  {
    name: 'a function with the schema of Anthropic',
    body: { tools: [{ type: 'function', name: 'read', input_schema: parameters }] },
    sent: { [chat!]: { tools: [read] }, [anthropic!]: { 'tools.0.input_schema': parameters } },
  },
  {
    name: 'the programs of Codex',
    body: { access_programs: { a: 1 } },
    sent: { openai: { access_programs: undefined }, [responses!]: { access_programs: { a: 1 } } },
    dropped: { openai: ['access_programs'] },
  },
]

export const clientMessages: OddRequest[] = [
  {
    name: 'a function in the form of responses',
    body: { tools: [flatRead] },
    sent: { [anthropic!]: { tools: [messagesRead] }, [chat!]: { tools: [read] } },
  },
  {
    name: 'functions of MCP and of chats without a type',
    body: { tools: [{ name: 'read', inputSchema: parameters }] },
    sent: { [anthropic!]: { tools: [messagesRead] }, [chat!]: { tools: [read] } },
  },
  {
    name: 'fields of a tool that are null',
    body: {
      tools: [
        { ...messagesRead, description: null },
        { name: 'go', description: null, input_schema: null },
      ],
    },
    sent: {
      [chat!]: { 'tools.0': read },
      [anthropic!]: {
        'tools.0': messagesRead,
        'tools.1': { name: 'go', input_schema: { type: 'object', properties: {} } },
      },
    },
  },
  {
    name: 'a tool choice without tools',
    body: { tools: [], tool_choice: { type: 'any' } },
    sent: { [anthropic!]: { tool_choice: undefined }, [chat!]: { tool_choice: undefined } },
  },
  {
    name: 'fields of a stream in blocks',
    body: {
      tools: [messagesRead],
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Yes', index: 0 },
            { type: 'tool_use', id: 't1', name: 'read', input: {}, index: 1, partial_json: '{}' },
          ],
        },
        user([{ type: 'tool_result', tool_use_id: 't1', content: 'A' }]),
      ],
    },
    sent: {
      [anthropic!]: {
        'messages.1.content': [
          { type: 'text', text: 'Yes' },
          { type: 'tool_use', id: 't1', name: 'read', input: {} },
        ],
      },
    },
  },
  ...['xhigh', 'max'].map((effort) => ({
    name: `the effort ${effort}`,
    body: { output_config: { effort } },
    sent: {
      'anthropic-messages/claude-opus-4-5': { output_config: { effort: 'high' } },
      'anthropic-messages/claude-opus-4-8': { output_config: { effort } },
    },
  })),
]
