/**
 * A request, and the fields of the body that each upstream must get: `<provider>/<model>`, then the path of a field.
 * `dropped` has fields that a response header must name.
 */
export type OddRequest = {
  name: string
  body: object
  sent: Record<string, Record<string, unknown>>
  dropped?: Record<string, string[]>
  /** Upstreams whose protocol cannot express the request, and the words of the error. */
  refused?: Record<string, RegExp>
}

const [chat, responses, anthropic, gemini] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini']
const user = (content: unknown) => ({ role: 'user', content })
const asks = (content: unknown) => ({ messages: [user(content)] })
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pngUrl = `data:image/png;base64,${png}`
const text = (text: string) => ({ type: 'text', text })
const chatImage = { type: 'image_url', image_url: { url: pngUrl } }
const drawn = (content: unknown) => ({ role: 'assistant', content })
const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const read = { type: 'function', function: { name: 'read', parameters } }
const source = { type: 'base64', media_type: 'image/png', data: png }
const args = '{"path":"a"}'

/** The same image in each upstream protocol. */
const imageFor = {
  [chat!]: { 'messages.0.content.0': { type: 'image_url', image_url: { url: pngUrl } } },
  [responses!]: { 'input.0.content.0': { type: 'input_image', image_url: pngUrl, detail: 'auto' } },
  [anthropic!]: { 'messages.0.content.0': { type: 'image', source } },
  [gemini!]: { 'contents.0.parts.0': { inlineData: { mimeType: 'image/png', data: png } } },
}
const chosen = { type: 'function', function: { name: 'read' } }
const called = (toolResult: object) => [
  user('Hi'),
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: args } }],
  },
  { role: 'tool', tool_call_id: 'c1', ...toolResult },
]

export const oddChats: OddRequest[] = [
  {
    name: 'a choice among several tools',
    body: {
      tools: [read, { type: 'function', function: { name: 'write', parameters } }],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [chosen] } },
    },
    sent: {
      [chat!]: { tools: [read], tool_choice: 'required' },
      mistral: { tools: [read], tool_choice: 'required' },
      openai: { 'tool_choice.type': 'allowed_tools', 'tools.1.function.name': 'write' },
    },
  },
  {
    name: 'fields that Groq refuses',
    body: { store: true, verbosity: 'low', prompt_cache_key: 'k', safety_identifier: 's', top_k: 4, temperature: 0.5 },
    sent: {
      groq: { store: undefined, verbosity: undefined, prompt_cache_key: undefined, top_k: undefined, temperature: 0.5 },
    },
    dropped: { groq: ['store', 'verbosity', 'prompt_cache_key', 'safety_identifier', 'top_k'] },
  },
  {
    name: 'an effort of reasoning that the server does not know',
    body: { reasoning_effort: 'xhigh' },
    sent: {
      groq: { reasoning_effort: 'high' },
      mistral: { reasoning_effort: 'high' },
      [chat!]: { reasoning_effort: 'xhigh' },
    },
  },
  {
    name: 'the budget of reasoning of Qwen',
    body: { enable_thinking: true, thinking_budget: 1500, max_tokens: 4000 },
    sent: {
      [chat!]: { enable_thinking: true, thinking_budget: 1500 },
      openai: { enable_thinking: undefined, thinking_budget: undefined, reasoning_effort: 'low' },
      'anthropic-messages/claude-3-7-sonnet': { thinking: { type: 'enabled', budget_tokens: 1500 } },
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 1500 },
    },
  },
  {
    name: 'values that disable a setting on other servers',
    body: { top_k: 0 },
    sent: { [gemini!]: { 'generationConfig.topK': undefined } },
  },
  {
    name: 'a request for speech',
    body: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    sent: {
      [anthropic!]: { audio: undefined },
      [responses!]: { audio: undefined },
      [gemini!]: { 'generationConfig.responseModalities': ['AUDIO'], 'generationConfig.speechConfig': undefined },
    },
    dropped: { [anthropic!]: ['modalities', 'audio'], [responses!]: ['modalities', 'audio'] },
  },
  {
    name: 'a request for speech with a voice of Gemini',
    body: { modalities: ['text', 'audio'], audio: { voice: 'Kore', format: 'wav' } },
    sent: {
      [gemini!]: {
        'generationConfig.speechConfig': { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    },
  },
  {
    name: 'a response with only the reasoning of another model',
    body: {
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          content: null,
          reasoning_details: [{ type: 'reasoning.text', text: 'x', id: 'reasoning:a/b' }],
        },
        user('?'),
      ],
    },
    sent: { mistral: { 'messages.0.content': 'Hi', 'messages.1': user('?') } },
  },
  {
    name: 'no tokens for reasoning',
    body: { max_tokens: 4000, reasoning: { max_tokens: 0 } },
    sent: {
      'anthropic-messages/claude-3-7-sonnet': { thinking: undefined },
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 0 },
    },
  },
  {
    name: 'tokens for reasoning as the model decides',
    body: { max_tokens: 4000, reasoning: { max_tokens: -1 } },
    sent: {
      'anthropic-messages/claude-3-7-sonnet': { 'thinking.budget_tokens': 2000 },
      openai: { reasoning_effort: 'medium' },
    },
  },
  {
    name: 'too few tokens for reasoning',
    body: { max_tokens: 4000, reasoning: { max_tokens: 50 } },
    sent: {
      'anthropic-messages/claude-3-7-sonnet': { 'thinking.budget_tokens': 1024 },
      'google-gemini/gemini-2-5-flash-lite': { 'generationConfig.thinkingConfig.thinkingBudget': 512 },
      'google-gemini/gemini-2-5-pro': { 'generationConfig.thinkingConfig.thinkingBudget': 128 },
    },
  },
  {
    name: 'functions, and a choice of one',
    body: { functions: [{ name: 'read', parameters }], function_call: { name: 'read' } },
    sent: {
      [chat!]: { tools: [read], tool_choice: chosen, functions: undefined, function_call: undefined },
      mistral: { tools: [read], functions: undefined },
      openai: { functions: [{ name: 'read', parameters }], function_call: { name: 'read' }, tools: undefined },
      [responses!]: { 'tools.0.name': 'read', tool_choice: { type: 'function', name: 'read' } },
      [anthropic!]: { 'tools.0.name': 'read', 'tool_choice.name': 'read' },
      [gemini!]: { 'tools.0.functionDeclarations.0.name': 'read' },
    },
  },
  {
    name: 'an earlier call in function_call without a result',
    body: {
      messages: [
        user('Hi'),
        { role: 'assistant', content: null, function_call: { name: 'read', arguments: args } },
        user('?'),
      ],
    },
    sent: {
      [anthropic!]: { 'messages.1.content.0.name': 'read', 'messages.1.content.0.input': { path: 'a' } },
      [gemini!]: { 'contents.1.parts.0.functionCall': { name: 'read', args: { path: 'a' } } },
    },
  },
  ...[
    { type: 'input_image', image_url: pngUrl },
    { type: 'image', source },
    { type: 'image', image: pngUrl },
    { type: 'image_url', image_url: pngUrl },
  ].map((part) => ({ name: `an image as ${Object.keys(part)} of ${part.type}`, body: asks([part]), sent: imageFor })),
  {
    name: 'a text part of responses',
    body: asks([{ type: 'input_text', text: 'Hi' }]),
    sent: {
      openai: { 'messages.0.content.0': { type: 'text', text: 'Hi' } },
      [anthropic!]: { 'messages.0.content.0': { type: 'text', text: 'Hi' } },
      [gemini!]: { 'contents.0.parts.0': { text: 'Hi' } },
    },
  },
  {
    name: 'a document of Anthropic',
    body: asks([
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
      },
    ]),
    sent: {
      openai: { 'messages.0.content.0.file.filename': 'a.pdf' },
      [gemini!]: { 'contents.0.parts.0.inlineData.mimeType': 'application/pdf' },
    },
  },
  {
    name: 'a tool result of null',
    body: { messages: called({ content: null }) },
    sent: { openai: { 'messages.2.content': '' }, [responses!]: { 'input.2.output': '' } },
  },
  ...[
    { type: 'function', name: 'read' },
    { type: 'tool', name: 'read' },
  ].map((tool_choice) => ({
    name: `the tool choice ${JSON.stringify(tool_choice)}`,
    body: { tools: [read], tool_choice },
    sent: { openai: { tool_choice: chosen }, [anthropic!]: { 'tool_choice.name': 'read' } },
  })),
  {
    name: 'the tool choice {"type":"any"}',
    body: { tools: [read], tool_choice: { type: 'any' } },
    sent: { openai: { tool_choice: 'required' }, [gemini!]: { 'toolConfig.functionCallingConfig.mode': 'ANY' } },
  },
  ...[
    { thinking: { type: 'enabled', budget_tokens: 4000 }, max_tokens: 10_000 },
    { enable_thinking: true, max_tokens: 10_000 },
  ].map((fields) => ({
    name: `reasoning requested by ${Object.keys(fields)[0]}`,
    body: fields,
    sent: {
      'anthropic-messages/claude-opus-4-5': { 'thinking.type': 'enabled' },
      'anthropic-messages/claude-opus-4-8': { 'thinking.type': 'adaptive', 'output_config.effort': 'medium' },
      'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.includeThoughts': true },
      'openai/gpt-5': { reasoning_effort: 'medium', thinking: undefined, enable_thinking: undefined },
      // Other chat servers have these fields.
      [chat!]: { reasoning_effort: undefined },
    },
  })),
  {
    name: 'reasoning turned off by thinking',
    body: { thinking: { type: 'disabled' } },
    sent: { 'google-gemini/gemini-2-5-flash': { 'generationConfig.thinkingConfig.thinkingBudget': 0 } },
  },
  {
    name: 'the highest effort',
    body: { reasoning_effort: 'xhigh' },
    sent: {
      'openai/gpt-5': { reasoning_effort: 'high' },
      'openai/o3': { reasoning_effort: 'high' },
      'openai-responses/gpt-5': { 'reasoning.effort': 'high' },
      'openai-chat/gpt-oss-20b': { reasoning_effort: 'high' },
      'openai/gpt-4o': { reasoning_effort: undefined },
      openrouter: { reasoning_effort: 'xhigh' },
    },
    dropped: { 'openai/gpt-4o': ['reasoning_effort'] },
  },
  {
    name: 'no reasoning',
    body: { reasoning_effort: 'none' },
    sent: {
      'openai/gpt-5': { reasoning_effort: 'minimal' },
      'openai/o3': { reasoning_effort: 'low' },
      'openai/gpt-4o': { reasoning_effort: undefined },
    },
  },
  {
    name: 'a budget of reasoning',
    body: { reasoning: { max_tokens: 3000 } },
    sent: {
      openrouter: { reasoning: { max_tokens: 3000 }, reasoning_effort: undefined },
      'openai/gpt-5': { reasoning: undefined, reasoning_effort: 'medium' },
    },
  },
  {
    name: 'a response format beside tools',
    body: { tools: [read], response_format: { type: 'json_object' } },
    sent: {
      'google-gemini/gemini-2-5-flash': { 'generationConfig.responseMimeType': undefined },
      'google-gemini/gemini-3-pro': { 'generationConfig.responseMimeType': 'application/json' },
    },
    dropped: { 'google-gemini/gemini-2-5-flash': ['response_format'] },
  },
  {
    name: 'a pattern with lookaround in a tool',
    body: {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: { a: { type: 'string', pattern: '^(?!x)y' } } },
          },
        },
      ],
    },
    sent: {
      openai: { 'tools.0.function.parameters.properties.a.pattern': undefined },
      [responses!]: { 'tools.0.parameters.properties.a.pattern': undefined },
      mistral: { 'tools.0.function.parameters.properties.a.pattern': '^(?!x)y' },
    },
  },
  {
    name: 'null fields of messages',
    body: { messages: [{ role: 'user', content: 'Hi', name: null, tool_calls: null }] },
    sent: { mistral: { 'messages.0': user('Hi') }, groq: { 'messages.0': user('Hi') } },
  },
  {
    name: 'six stop sequences',
    body: { stop: ['a', 'b', 'c', 'd', 'e', 'f'] },
    sent: {
      openai: { stop: ['a', 'b', 'c', 'd'] },
      [gemini!]: { 'generationConfig.stopSequences': ['a', 'b', 'c', 'd', 'e'] },
      [anthropic!]: { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] },
    },
    dropped: { openai: ['stop'], [gemini!]: ['stop'] },
  },
  {
    name: 'a temperature of 2',
    body: { temperature: 2 },
    sent: {
      mistral: { temperature: 1.5 },
      moonshotai: { temperature: 1 },
      [chat!]: { temperature: 2 },
      'anthropic-messages/claude-opus-4-8': { temperature: undefined },
    },
    dropped: { 'anthropic-messages/claude-opus-4-8': ['temperature'] },
  },
  {
    name: 'the address of an image',
    body: asks([{ type: 'image_url', image_url: { url: 'https://example.com/a.PNG?x=1' } }]),
    sent: { [gemini!]: { 'contents.0.parts.0.fileData.mimeType': 'image/png' } },
  },
  {
    name: 'a field of one provider',
    body: { prediction: { type: 'content', content: 'x' }, best_answer: true },
    sent: { [anthropic!]: {}, [gemini!]: {}, [responses!]: {} },
    dropped: Object.fromEntries([anthropic, gemini, responses].map((one) => [one!, ['prediction', 'best_answer']])),
  },
  {
    name: 'a cache breakpoint on messages',
    body: {
      messages: [
        { role: 'system', content: 'Be nice.', cache_control: { type: 'ephemeral' } },
        { ...user('Hi'), cache_control: { type: 'ephemeral' } },
      ],
    },
    sent: {
      [anthropic!]: {
        'system.0.cache_control': { type: 'ephemeral' },
        'messages.0.content.0.cache_control': { type: 'ephemeral' },
      },
    },
  },
]

const builtin = { type: 'builtin_function', function: { name: '$web_search' } }
const builtinCall = { name: '$web_search', arguments: args }
const litellmBlocks = [{ type: 'thinking', thinking: 'Hm', signature: 'SIG' }]
oddChats.push(
  {
    name: 'the thinking blocks of LiteLLM',
    body: {
      messages: [
        user('Hi'),
        { role: 'assistant', content: 'Yes', reasoning_content: 'Hm', thinking_blocks: litellmBlocks },
        user('?'),
      ],
    },
    sent: {
      'anthropic-messages/claude-opus-4-5': { 'messages.1.content.0': litellmBlocks[0] },
      [chat!]: { 'messages.1.thinking_blocks': litellmBlocks },
      openai: { 'messages.1': { role: 'assistant', content: 'Yes' } },
      groq: { 'messages.1.thinking_blocks': undefined, 'messages.1.reasoning': 'Hm' },
    },
  },
  {
    name: 'reasoning among the parts of a response',
    body: {
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm' },
            { type: 'text', text: 'Yes' },
          ],
        },
        user('?'),
      ],
    },
    sent: {
      [anthropic!]: { 'messages.1.content': [{ type: 'text', text: 'Yes' }] },
      [gemini!]: { 'contents.1.parts': [{ text: 'Yes' }] },
      [responses!]: { 'input.1.content': 'Yes' },
    },
  },
  {
    name: 'an image that the model drew',
    body: {
      messages: [
        user('Draw'),
        { role: 'assistant', content: 'Here', images: [{ type: 'image_url', image_url: { url: pngUrl } }, null] },
        user('Bluer'),
      ],
    },
    sent: {
      [gemini!]: { 'contents.1.parts': [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: png } }] },
      [anthropic!]: { 'messages.1.content': [{ type: 'text', text: 'Here' }] },
      [responses!]: { 'input.1.content': 'Here' },
    },
    dropped: { [anthropic!]: ['messages.images'], [responses!]: ['messages.images'] },
  },
  {
    name: 'an image among the parts of an earlier response',
    body: { messages: [user('Draw'), drawn([text('Here'), chatImage]), user([text('Like this'), chatImage])] },
    sent: {
      [gemini!]: { 'contents.1.parts.1': { inlineData: { mimeType: 'image/png', data: png } } },
      [anthropic!]: { 'messages.1.content': [text('Here')], 'messages.2.content.1': { type: 'image', source } },
      [responses!]: {
        'input.1.content': [{ type: 'output_text', text: 'Here', annotations: [] }],
        'input.2.content.1.type': 'input_image',
      },
    },
    dropped: { [anthropic!]: ['messages.image_url'], [responses!]: ['messages.image_url'] },
  },
  {
    name: 'an earlier response with only an image',
    body: { messages: [user('Draw'), drawn([chatImage]), user('Bluer')] },
    sent: {
      [anthropic!]: { 'messages.length': 2, 'messages.1.content': [text('Bluer')] },
      [responses!]: { 'input.length': 2, 'input.1.role': 'user' },
    },
    dropped: { [anthropic!]: ['messages.image_url'], [responses!]: ['messages.image_url'] },
  },
  {
    name: 'a function that Moonshot runs',
    body: {
      tools: [builtin],
      messages: [
        user('Hi'),
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', ...builtin, function: builtinCall }] },
        { role: 'tool', tool_call_id: 'c1', name: '$web_search', content: args },
      ],
    },
    sent: {
      moonshotai: {
        'tools.0': builtin,
        'messages.1.tool_calls.0.type': 'builtin_function',
        'messages.1.tool_calls.0.function': builtinCall,
        'messages.2.name': '$web_search',
      },
    },
  },
  {
    name: 'an empty effort',
    body: { reasoning_effort: '', verbosity: '', service_tier: '' },
    sent: {
      'anthropic-messages/claude-opus-4-8': { thinking: undefined },
      'openai/gpt-5': { reasoning_effort: undefined, verbosity: undefined, service_tier: undefined },
    },
  },
)

const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA='
const wav = { type: 'input_audio', input_audio: { data: sound, format: 'wav' } }
const mp3Url = 'https://example.com/a.mp3'
const movie = 'https://example.com/a.mp4'
const remoteAudio = { [chat!]: { 'messages.0.content.0': { type: 'audio_url', audio_url: { url: mp3Url } } } }
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK'
const namedFile = { type: 'file', file: { file_data: pdf, filename: 'file.pdf' } }
const docx = 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,UEsDBAo='
oddChats.push(
  ...[
    wav,
    { type: 'input_audio', input_audio: sound },
    { type: 'input_audio', input_audio: { data: `data:audio/wav;base64,${sound}`, format: 'wav' } },
    { type: 'audio_url', audio_url: `data:audio/x-wav;base64,${sound}` },
    { type: 'file', file: { file_data: `data:audio/wav;base64,${sound}`, filename: 'a.wav' } },
  ].map((part) => ({
    name: `audio as ${JSON.stringify(part).slice(0, 60)}`,
    body: asks([part]),
    sent: {
      [chat!]: { 'messages.0.content.0': wav },
      [responses!]: { 'input.0.content.0': wav },
      [gemini!]: { 'contents.0.parts.0.inlineData': { mimeType: 'audio/wav', data: sound } },
    },
    refused: { [anthropic!]: /does not support audio/ },
  })),
  ...[
    { type: 'audio_url', audio_url: { url: mp3Url } },
    { type: 'input_audio', input_audio: mp3Url },
    { type: 'input_audio', input_audio: { url: mp3Url } },
  ].map((part) => ({
    name: `the address of audio as ${JSON.stringify(part)}`,
    body: asks([part]),
    sent: {
      ...remoteAudio,
      [gemini!]: { 'contents.0.parts.0.fileData': { mimeType: 'audio/mpeg', fileUri: mp3Url } },
    },
    refused: { [anthropic!]: /does not support audio/, [responses!]: /does not support audio by its URL/ },
  })),
  ...[
    { type: 'video_url', video_url: { url: movie } },
    { type: 'video_url', video_url: movie },
    { type: 'input_video', video_url: { url: movie } },
  ].map((part) => ({
    name: `the address of a video as ${JSON.stringify(part)}`,
    body: asks([part]),
    sent: {
      [chat!]: { 'messages.0.content.0': { type: 'video_url', video_url: { url: movie } } },
      [gemini!]: { 'contents.0.parts.0.fileData': { mimeType: 'video/mp4', fileUri: movie } },
    },
    refused: { [anthropic!]: /does not support video/, [responses!]: /does not support video/ },
  })),
  ...[{ file_data: pdf }, { file_data: pdf, filename: '' }].map((file) => ({
    name: `a file with only ${Object.keys(file)}`,
    body: asks([{ type: 'file', file }]),
    sent: {
      openai: { 'messages.0.content.0': namedFile },
      [responses!]: { 'input.0.content.0': { type: 'input_file', filename: 'file.pdf', file_data: pdf } },
      [anthropic!]: { 'messages.0.content.0.title': undefined },
    },
  })),
  {
    name: 'a file of a type that Claude does not read',
    body: asks([{ type: 'file', file: { file_data: docx, filename: 'a.docx' } }]),
    sent: { openai: { 'messages.0.content.0.file.file_data': docx } },
    refused: { [anthropic!]: /does not support files of the type application\/vnd/ },
  },
)

const item = (more: object) => ({ type: 'function_call', call_id: 'c1', name: 'read', arguments: args, ...more })
const output = (output: unknown) => ({ type: 'function_call_output', call_id: 'c1', output })

export const oddResponses: OddRequest[] = [
  ...['', '{"pa'].map((broken) => ({
    name: `arguments ${JSON.stringify(broken)} of an earlier call`,
    body: { input: [user('Hi'), item({ arguments: broken }), output('x')] },
    sent: { [responses!]: { 'input.1.arguments': '{}' } },
  })),
  {
    name: 'an object as arguments of an earlier call',
    body: { input: [user('Hi'), item({ arguments: { path: 'a' } }), output({ ok: true })] },
    sent: {
      [responses!]: { 'input.1.arguments': args, 'input.2.output': '{"ok":true}' },
      [anthropic!]: { 'messages.1.content.0.input': { path: 'a' } },
    },
  },
  {
    name: 'tools and fields of OpenAI',
    body: { tools: [{ type: 'function', name: 'read', parameters }, { type: 'web_search' }], max_tool_calls: 3 },
    sent: {
      [chat!]: { tools: [read] },
      [anthropic!]: { 'tools.length': 1 },
      [responses!]: { 'tools.1.type': 'web_search' },
    },
    dropped: { [chat!]: ['tools.web_search', 'max_tool_calls'], [anthropic!]: ['tools.web_search'] },
  },
  {
    name: 'the request for usage of chats',
    body: { stream_options: { include_usage: true } },
    sent: { [responses!]: { stream_options: undefined } },
  },
  {
    name: 'null fields of items',
    body: { input: [user('Hi'), item({ id: null, status: null }), output(null)] },
    sent: { [responses!]: { 'input.1': item({}), 'input.2': output('') } },
  },
  {
    name: 'part types of the other role, and of chats',
    body: {
      input: [
        user([
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: pngUrl, detail: 'low' } },
        ]),
        { role: 'assistant', content: [{ type: 'input_text', text: 'Yes?' }] },
        user([{ type: 'output_text', text: 'So' }]),
      ],
    },
    sent: {
      [responses!]: {
        'input.0.content': [
          { type: 'input_text', text: 'Hi' },
          { type: 'input_image', image_url: pngUrl, detail: 'low' },
        ],
        'input.1.content.0.type': 'output_text',
        'input.2.content.0.type': 'input_text',
      },
    },
  },
  {
    name: 'the result of a tool of OpenAI that the client runs',
    body: {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'local_shell_call', call_id: 'c1', status: 'completed', action: { type: 'exec', command: ['ls'] } },
        { type: 'function_call_output', call_id: 'c1', output: 'a' },
      ],
      tools: [{ type: 'local_shell' }],
    },
    sent: { [responses!]: { 'input.2': { type: 'function_call_output', call_id: 'c1', output: 'a' } } },
  },
]

const go = { type: 'function', name: 'go', parameters }
const searchTool = { type: 'tool_search', execution: 'client', description: 'find', parameters }
const found = [
  { type: 'tool_search_call', call_id: 'c1', execution: 'client', status: 'completed', arguments: { path: 'a' } },
  {
    ...{ type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed' },
    tools: [{ type: 'namespace', name: 'mcp__x', description: 'd', tools: [{ ...go, description: 'goes' }] }],
  },
]
oddResponses.push(
  {
    name: 'a file without a name',
    body: { input: [user([{ type: 'input_file', file_data: pdf }])] },
    sent: {
      [responses!]: { 'input.0.content.0.filename': 'file.pdf' },
      openai: { 'messages.0.content.0': namedFile },
    },
  },
  {
    name: 'a file of chats',
    body: { input: [user([{ type: 'file', file: { file_data: pdf } }])] },
    sent: {
      [responses!]: { 'input.0.content.0': { type: 'input_file', filename: 'file.pdf', file_data: pdf } },
      openai: { 'messages.0.content.0': namedFile },
    },
  },
  {
    name: 'the address of audio',
    body: { input: [user([{ type: 'audio_url', audio_url: { url: mp3Url } }])] },
    sent: { ...remoteAudio, [gemini!]: { 'contents.0.parts.0.fileData.fileUri': mp3Url } },
    refused: { [responses!]: /does not support audio by its URL/ },
  },
  {
    name: 'tools that Codex declares in an item',
    body: {
      input: [
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'namespace', name: 'ns', tools: [go] }, go] },
        user('Hi'),
      ],
    },
    sent: {
      [chat!]: { 'tools.0.function.name': 'ns__go', 'tools.1.function.name': 'go' },
      [anthropic!]: { 'tools.0.name': 'ns__go', 'tools.1.name': 'go' },
      [gemini!]: { 'tools.0.functionDeclarations.1.name': 'go' },
      [responses!]: { 'input.0.type': 'additional_tools' },
    },
  },
  {
    name: 'a search for tools that the client runs, and what it found',
    body: { tools: [searchTool], input: [user('Hi'), ...found, user('Go')] },
    sent: {
      [chat!]: {
        'tools.0.function': { name: 'tool_search', description: 'find', parameters },
        'tools.1.function.name': 'mcp__x__go',
        'messages.1.tool_calls.0.function': { name: 'tool_search', arguments: args },
        'messages.2.content': '{"tools":[{"name":"mcp__x__go","description":"goes"}]}',
      },
      [anthropic!]: { 'tools.0.name': 'tool_search', 'messages.1.content.0.input': { path: 'a' } },
      [responses!]: { 'tools.0.type': 'tool_search', 'input.1.type': 'tool_search_call' },
    },
  },
  {
    name: 'the tool choice of chats',
    body: { tools: [go], tool_choice: { type: 'function', function: { name: 'go' } } },
    sent: {
      [chat!]: { 'tool_choice.function.name': 'go' },
      [anthropic!]: { 'tool_choice.name': 'go' },
      [responses!]: { tool_choice: { type: 'function', name: 'go' } },
    },
  },
  {
    name: 'an image in the form of chats, and parts without a message',
    body: {
      input: [
        { type: 'input_text', text: 'Hi' },
        user([{ type: 'input_image', image_url: { url: pngUrl, detail: 'low' } }]),
      ],
    },
    sent: {
      [chat!]: { 'messages.0.content.1.image_url': { url: pngUrl, detail: 'low' } },
      [anthropic!]: { 'messages.0.content.0.text': 'Hi', 'messages.0.content.1': { type: 'image', source } },
      [responses!]: { 'input.0': user([{ type: 'input_text', text: 'Hi' }]) },
    },
  },
  {
    name: 'settings that are null',
    body: { tools: null, tool_choice: null, text: null, store: null, user: null, reasoning: null, temperature: null },
    sent: {
      [chat!]: { tools: undefined, tool_choice: undefined },
      [anthropic!]: { tools: undefined, tool_choice: undefined },
      [responses!]: { tools: undefined, tool_choice: undefined, text: undefined, user: undefined, store: false },
    },
  },
  {
    name: 'a refusal',
    body: { input: [user('Hi'), { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] }, user('?')] },
    sent: {
      [chat!]: { 'messages.1.content': [{ type: 'text', text: 'No' }] },
      openai: { 'messages.1.content.0.type': 'refusal' },
    },
  },
  {
    name: 'an image in an earlier response',
    body: {
      input: [
        user('Draw'),
        drawn([
          { type: 'output_text', text: 'Here' },
          { type: 'input_image', image_url: pngUrl },
        ]),
        user([{ type: 'input_image', image_url: pngUrl }]),
      ],
    },
    sent: {
      [anthropic!]: { 'messages.1.content': [text('Here')], 'messages.2.content.0.type': 'image' },
      [responses!]: {
        'input.1.content': [{ type: 'output_text', text: 'Here' }],
        'input.2.content.0.type': 'input_image',
      },
    },
    dropped: { [anthropic!]: ['messages.image_url'], [responses!]: ['input.input_image'] },
  },
  {
    name: 'items of a provider',
    body: {
      input: [
        user('Hi'),
        { type: 'web_search_call', id: 'w', status: 'completed' },
        { type: 'compaction', encrypted_content: 'e' },
      ],
    },
    sent: { [chat!]: { 'messages.length': 1 }, [responses!]: { 'input.length': 3 } },
    dropped: { [chat!]: ['input.web_search_call', 'input.compaction'], [anthropic!]: ['input.compaction'] },
  },
)

const use = (input: unknown) => [
  user('Hi'),
  { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input }] },
  user([{ type: 'tool_result', tool_use_id: 't1', content: 'x' }]),
]

const budgetModel = 'anthropic-messages/claude-3-7-sonnet'
const messagesTool = { name: 'read', input_schema: parameters }

export const oddMessages: OddRequest[] = [
  {
    name: 'audio',
    body: { messages: [user([{ type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: sound } }])] },
    sent: {
      [chat!]: { 'messages.0.content.0': wav },
      [gemini!]: { 'contents.0.parts.0.inlineData.mimeType': 'audio/wav' },
    },
    refused: { [anthropic!]: /does not support audio/ },
  },
  {
    name: 'a file of chats, also in a result',
    body: {
      messages: [
        user([{ type: 'file', file: { file_data: pdf } }]),
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 't1', content: [chatImage] }]),
      ],
    },
    sent: {
      [anthropic!]: {
        'messages.0.content.0.source': { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
        'messages.2.content.0.content.0': { type: 'image', source },
      },
    },
  },
  {
    name: 'the JSON text as input of an earlier call',
    body: { messages: use(args) },
    sent: {
      [chat!]: { 'messages.1.tool_calls.0.function.arguments': args },
      [anthropic!]: { 'messages.1.content.0.input': { path: 'a' } },
    },
  },
  {
    name: 'adaptive reasoning',
    body: { max_tokens: 10_000, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    sent: {
      'anthropic-messages/claude-opus-4-5': {
        thinking: { type: 'enabled', budget_tokens: 8000 },
        output_config: { effort: 'high' },
      },
      'anthropic-messages/claude-3-7-sonnet': { 'thinking.type': 'enabled', output_config: undefined },
      'anthropic-messages/claude-opus-4-8': { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    },
  },
  {
    name: 'a budget of reasoning',
    body: { max_tokens: 10_000, thinking: { type: 'enabled', budget_tokens: 9000 } },
    sent: {
      'anthropic-messages/claude-opus-4-8': { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      'anthropic-messages/claude-sonnet-4-6': { thinking: { type: 'enabled', budget_tokens: 9000 } },
    },
  },
  {
    name: 'fields of Anthropic',
    body: { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'n' }], container: 'c', speed: 'fast' },
    sent: { [chat!]: { mcp_servers: undefined }, [gemini!]: {}, [anthropic!]: { container: 'c' } },
    dropped: { [chat!]: ['mcp_servers', 'container', 'speed'], [gemini!]: ['container'] },
  },
  {
    name: 'a budget of reasoning above the output limit',
    body: { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 4000 } },
    sent: { [budgetModel]: { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1900 } } },
    dropped: { [budgetModel]: ['thinking.budget_tokens'] },
  },
  {
    name: 'a budget of reasoning above the output limit, with tools',
    body: { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 4000 }, tools: [messagesTool] },
    sent: { [budgetModel]: { 'thinking.budget_tokens': 4000 } },
  },
  {
    name: 'an output limit without room for reasoning',
    body: { max_tokens: 1000, thinking: { type: 'enabled', budget_tokens: 500 } },
    sent: { [budgetModel]: { max_tokens: 1000, thinking: undefined } },
    dropped: { [budgetModel]: ['thinking'] },
  },
  {
    name: 'reasoning beside a forced call',
    body: {
      ...{ max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } },
      ...{ tools: [messagesTool], tool_choice: { type: 'any' } },
    },
    sent: { [budgetModel]: { thinking: undefined, tool_choice: { type: 'any' } } },
    dropped: { [budgetModel]: ['thinking'] },
  },
  {
    name: 'reasoning beside sampling settings',
    body: {
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      temperature: 0.2,
      top_k: 5,
      top_p: 0.5,
    },
    sent: {
      [budgetModel]: { 'thinking.budget_tokens': 2000, temperature: undefined, top_k: undefined, top_p: undefined },
    },
    dropped: { [budgetModel]: ['temperature', 'top_k', 'top_p'] },
  },
  ...[
    { type: 'bash_20250124', name: 'bash', required: [], lacks: 'path' },
    { type: 'text_editor_20250124', name: 'str_replace_editor', required: ['command', 'path'], lacks: 'insert_text' },
    {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      required: ['command', 'path'],
      lacks: 'region',
    },
    { type: 'memory_20250818', name: 'memory', required: ['command'], lacks: 'region' },
    { type: 'computer_20241022', name: 'computer', required: ['action'], lacks: 'duration' },
    { type: 'computer_20251124', name: 'computer', required: ['action'], lacks: 'path' },
  ].map(({ type, name, required, lacks }) => ({
    name: `the tool ${type}, which the client runs`,
    body: {
      tools: [{ type, name, display_width_px: 1024, display_height_px: 768 }],
      tool_choice: { type: 'tool', name },
    },
    sent: {
      [chat!]: {
        'tools.0.type': 'function',
        'tools.0.function.name': name,

        'tools.0.function.parameters.required': required,
        [`tools.0.function.parameters.properties.${lacks}`]: undefined,
        'tool_choice.function.name': name,
      },
      [responses!]: { 'tools.0.name': name },
      [gemini!]: { 'tools.0.functionDeclarations.0.name': name },
      [anthropic!]: { 'tools.0.type': type, 'tools.0.name': name, 'tools.0.input_schema': undefined },
    },
  })),
  {
    name: 'a function in the form of chats',
    body: { tools: [read] },
    sent: {
      [anthropic!]: { 'tools.0': { name: 'read', input_schema: parameters } },
      [chat!]: { 'tools.0': read },
    },
  },
  {
    name: 'the work of a tool of Anthropic',
    body: {
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
            { type: 'text', text: 'Found.' },
          ],
        },
        user('?'),
      ],
    },
    sent: { [chat!]: { 'messages.1.content': 'Found.' }, [anthropic!]: { 'messages.1.content.0.id': 's' } },
    dropped: { [chat!]: ['messages.server_tool_use', 'messages.web_search_tool_result'] },
  },
  {
    name: 'an image in an earlier response',
    body: {
      messages: [user('Draw'), drawn([text('Here'), { type: 'image', source }]), user([{ type: 'image', source }])],
    },
    sent: {
      [anthropic!]: { 'messages.1.content': [text('Here')], 'messages.2.content.0.type': 'image' },
      [responses!]: { 'input.1.content.length': 1, 'input.2.content.0.type': 'input_image' },
    },
    dropped: { [anthropic!]: ['messages.image'], [responses!]: ['messages.image_url'] },
  },
  {
    name: 'the summary of a compaction',
    body: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'compaction', content: 'Summary.' },
            { type: 'text', text: 'Yes' },
          ],
        },
        user('?'),
      ],
    },
    sent: { [chat!]: { 'messages.0.content': 'Summary.\n\nYes' } },
  },
  {
    name: 'null as input of an earlier call',
    body: { messages: use(null) },
    sent: { [anthropic!]: { 'messages.1.content.0.input': {} } },
  },
]
