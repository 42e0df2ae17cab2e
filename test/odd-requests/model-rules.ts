import type { OddRequest } from './requests.ts'

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const tools = [{ type: 'function', function: { name: 'read', parameters } }]
const messagesTools = [{ name: 'read', input_schema: parameters }]
const disabled = { type: 'disabled' }
const claude = (model: string) => `anthropic-messages/claude-${model}`
const off = { thinking: disabled, reasoning_effort: undefined, reasoning: undefined }
const byThinking = ['deepseek/m', 'moonshotai/m', 'zai/m']
const system = (content: unknown) => ({ role: 'system', content })
const user = (content: string) => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const each = (targets: string[], members: Record<string, unknown>) =>
  Object.fromEntries(targets.map((target) => [target, members]))

/** Rules of models, and of servers about the reasoning of their models. */
export const modelChats: OddRequest[] = [
  ...[{ reasoning: { enabled: false } }, { reasoning_effort: 'none' }, { thinking: disabled }].map((body) => ({
    name: `no reasoning, as ${JSON.stringify(body)}`,
    body,
    sent: {
      ...each(byThinking, off),
      'alibaba/m': { ...off, thinking: undefined, enable_thinking: false },
      ...each([claude('sonnet-5'), claude('opus-5'), claude('haiku-5-5')], { thinking: disabled }),
      ...each([claude('opus-5-5'), claude('fable-5-1'), claude('opus-4-8')], { thinking: undefined }),
      [claude('sonnet-5-5')]: { thinking: { type: 'between_tools' } },
    },
  })),
  {
    name: 'a forced call of a model that reasons by default',
    body: { tools, tool_choice: 'required' },
    sent: {
      ...each(['deepseek/m', 'moonshotai/m'], { thinking: disabled, tool_choice: 'required' }),
      'alibaba/m': { enable_thinking: false, tool_choice: 'required' },
      'zai/m': { thinking: undefined },
      ...each([claude('sonnet-5'), claude('opus-5')], { thinking: disabled, tool_choice: { type: 'any' } }),
      [claude('opus-4-8')]: { thinking: undefined, tool_choice: { type: 'any' } },
      ...each([claude('opus-5-5'), claude('fable-5-1')], { thinking: undefined, tool_choice: { type: 'auto' } }),
    },
    dropped: { [claude('fable-5-1')]: ['tool_choice'] },
  },
  {
    name: 'a forced call beside reasoning',
    body: { tools, tool_choice: 'required', enable_thinking: true, thinking_budget: 100 },
    sent: { 'alibaba/m': { enable_thinking: false, thinking_budget: undefined } },
    dropped: { 'alibaba/m': ['enable_thinking', 'thinking_budget'] },
  },
  {
    name: 'a forced call beside reasoning of a model that always reasons',
    body: { tools, tool_choice: 'required', reasoning_effort: 'low', max_tokens: 4000 },
    sent: { [claude('fable-5-1')]: { 'thinking.type': 'adaptive', output_config: { effort: 'low' } } },
  },
  {
    name: 'functions beside reasoning',
    body: { tools, reasoning_effort: 'low' },
    sent: {
      ...each(['openai/gpt-5.4', 'openai/gpt-5.6-terra'], { reasoning_effort: 'none' }),
      ...each(['openai/gpt-5', 'groq/m'], { reasoning_effort: 'low' }),
      'openai-responses/gpt-5.6-terra': { 'reasoning.effort': 'low' },
    },
    dropped: { 'openai/gpt-5.4': ['reasoning_effort'] },
  },
  {
    name: 'functions without an effort',
    body: { tools },
    sent: {
      'openai/gpt-5.4': { reasoning_effort: undefined },
      'openai/gpt-5.6-terra': { reasoning_effort: 'none' },
      'openai-responses/gpt-5.6-terra': { reasoning: undefined },
    },
  },
  {
    name: 'the effort max',
    body: { reasoning_effort: 'max' },
    sent: {
      'openai/gpt-5.4': { reasoning_effort: 'xhigh' },
      'openai/gpt-5.6-terra': { reasoning_effort: 'max' },
      'openai-responses/gpt-5.6-terra': { 'reasoning.effort': 'max' },
      'mistral/m': { reasoning_effort: 'high' },
    },
  },
  {
    name: 'the effort minimal',
    body: { reasoning_effort: 'minimal' },
    sent: {
      'google-gemini/gemini-3-5-flash': { 'generationConfig.thinkingConfig.thinkingLevel': 'MINIMAL' },
      'google-gemini/gemini-3-7-flash': { 'generationConfig.thinkingConfig.thinkingLevel': 'LOW' },
      'openai/gpt-5.6-terra': { reasoning_effort: 'low' },
    },
  },
  {
    name: 'a temperature for a model that has a fixed one',
    body: { temperature: 0.3, top_p: 0.8 },
    sent: {
      ...each(['moonshotai/kimi-k2.6', 'moonshotai/kimi-k3'], { temperature: undefined, top_p: undefined }),
      'moonshotai/kimi-k2-0905-preview': { temperature: 0.3, top_p: 0.8 },
      // These models reason without an effort.
      'openai-responses/gpt-5.6-terra': { temperature: undefined },
      'openai-responses/gpt-5.4': { temperature: 0.3 },
    },
    dropped: { 'moonshotai/kimi-k3': ['temperature', 'top_p'] },
  },
]

modelChats.push(
  {
    name: 'stop sequences for reasoning models of xAI',
    body: { stop: ['x'] },
    sent: { 'xai/m': { stop: undefined } },
    dropped: { 'xai/m': ['stop'] },
  },
  ...Object.entries({
    none: ['low', 'low'],
    high: ['high', 'high'],
    xhigh: ['high', 'xhigh'],
    max: ['high', 'xhigh'],
  }).map(([reasoning_effort, [before, later]]) => ({
    name: `the effort ${reasoning_effort} for models of xAI that always reason`,
    body: { reasoning_effort },
    sent: { 'xai/grok-4.5': { reasoning_effort: before }, 'xai/grok-4.6': { reasoning_effort: later } },
  })),
)

export const modelMessages: OddRequest[] = [
  {
    name: 'no reasoning, in the form of each model',
    body: { thinking: disabled },
    sent: {
      ...each([claude('sonnet-5'), claude('opus-4-8'), ...byThinking], { thinking: disabled }),
      ...each([claude('opus-5-5'), claude('fable-5-1')], { thinking: undefined }),
      [claude('sonnet-5-5')]: { thinking: { type: 'between_tools' } },
      'alibaba/m': { enable_thinking: false },
    },
    dropped: { [claude('fable-5-1')]: ['thinking'] },
  },
  {
    name: 'reasoning between calls only',
    body: { thinking: { type: 'between_tools' }, output_config: { effort: 'max' } },
    sent: {
      [claude('sonnet-5-5')]: { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } },
      ...each([claude('sonnet-5'), claude('opus-4-8')], { thinking: disabled, output_config: { effort: 'max' } }),
      [claude('fable-5-1')]: { thinking: undefined },
      'deepseek/m': { thinking: disabled },
      'openai/gpt-5.4': { reasoning_effort: 'none' },
    },
  },
  {
    name: 'a forced call of a model that refuses it',
    body: { tools: messagesTools, tool_choice: { type: 'tool', name: 'read', disable_parallel_tool_use: true } },
    sent: {
      ...each([claude('sonnet-5-5'), claude('fable-5-1')], {
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      }),
      [claude('sonnet-5')]: { 'tool_choice.name': 'read', thinking: disabled },
    },
    dropped: { [claude('sonnet-5-5')]: ['tool_choice'] },
  },
  {
    name: 'adaptive reasoning beside a forced call',
    body: { max_tokens: 4000, thinking: { type: 'adaptive' }, tools: messagesTools, tool_choice: { type: 'any' } },
    sent: {
      [claude('sonnet-5')]: { thinking: disabled, tool_choice: { type: 'any' } },
      [claude('fable-5-1')]: { thinking: { type: 'adaptive' }, tool_choice: { type: 'auto' } },
    },
    dropped: { [claude('sonnet-5')]: ['thinking'] },
  },
  {
    name: 'system messages at the start',
    body: { system: 'A', messages: [system('B'), system([{ type: 'text', text: 'C' }]), user('Hi')] },
    sent: each([claude('opus-5-5'), claude('opus-4-5')], { system: ['A', 'B', 'C'].map(text), messages: [user('Hi')] }),
  },
  {
    name: 'a system message within the conversation',
    body: { messages: [user('Hi'), system('B'), { role: 'assistant', content: 'Yes?' }, user('?')] },
    sent: {
      ...each([claude('opus-5-5'), claude('sonnet-5')], { 'messages.1': system('B') }),
      ...each([claude('opus-4-5'), 'anthropic-messages/m'], {
        'messages.0.content': ['Hi', '<system-reminder>', 'B', '</system-reminder>'].map(text),
        'messages.1.role': 'assistant',
      }),
    },
  },
  {
    name: 'a system message that only sets the effort',
    body: { messages: [user('Hi'), { ...system([]), output_config: { effort: 'high' } }] },
    sent: {
      [claude('opus-5-5')]: { 'messages.1': { ...system([]), output_config: { effort: 'high' } } },
      ...each([claude('opus-4-5'), 'openai-chat/m', 'openai-responses/m'], {
        'messages.1': undefined,
        'input.1': undefined,
      }),
    },
  },
]
