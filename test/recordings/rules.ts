import type { Protocol } from '#platform/core/vocabulary.ts'
import type { SimulatedProtocol } from '../harness/upstream/provider-facts.ts'
import type { Body } from './asker.ts'

/** What providers' descriptions say of requests beyond the shape of their parts. */
const rules: Partial<Record<Protocol, (body: Body) => string[]>> & Record<SimulatedProtocol, (body: Body) => string[]> =
  {
    'openai-chat': chatFaults,
    'openai-responses': responsesFaults,
    'anthropic-messages': messagesFaults,
    'google-gemini': geminiFaults,
  }

/** @returns the violated rules of a request with a valid schema. */
export function faultsIn(protocol: Protocol, body: Body): string[] {
  return rules[protocol]!(body)
}

const named = (names: string[]) =>
  names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)).map((name) => `a function is called ${name}`)

/** Each result answers a call before it, and each call is answered before anything else is said. */
function callsWithoutResult(steps: { calls?: string[]; results?: string[] }[]): string[] {
  const wrong: string[] = []
  let open: string[] = []
  for (const { calls = [], results = [] } of steps) {
    for (const id of results) if (!open.includes(id)) wrong.push(`a result answers ${id}, which is not open`)
    const left = open.filter((id) => !results.includes(id))
    if (left.length > 0 && results.length === 0) wrong.push(`something is said before ${left} is answered`)
    open = results.length > 0 ? left : calls
  }
  return wrong
}

function chatFaults({ messages, tools = [], tool_choice }: Body): string[] {
  const wrong = named((tools ?? []).flatMap((tool: Body) => tool.function?.name ?? []))
  if (messages.length === 0) wrong.push('there is no message')
  if (tool_choice != null && !tools?.length) wrong.push('a choice among no tools')
  const steps = messages.map(({ role, tool_calls, tool_call_id }: Body) =>
    role === 'tool' ? { results: [tool_call_id] } : { calls: (tool_calls ?? []).map(({ id }: Body) => id) },
  )
  return [...wrong, ...callsWithoutResult(steps)]
}

function responsesFaults({ input, tools = [], tool_choice, max_output_tokens: most }: Body): string[] {
  const wrong = named((tools ?? []).flatMap((tool: Body) => (tool.type === 'function' ? tool.name : [])))
  if (input.length === 0) wrong.push('there is no input')
  if (tool_choice != null && tool_choice !== 'auto' && !tools?.length) wrong.push('a choice among no tools')
  if (most != null && most < 16) wrong.push('a limit below 16')
  if (typeof input === 'string') return wrong
  const calls = new Set(input.filter(({ type }: Body) => /call$/.test(type ?? '')).map(({ call_id }: Body) => call_id))
  for (const { type, call_id, content } of input) {
    if (/call_output$/.test(type ?? '') && !calls.has(call_id))
      wrong.push(`a result answers ${call_id}, which was not called`)
    if (Array.isArray(content) && content.length === 0) wrong.push('a message without content')
  }
  return wrong
}

function messagesFaults({ messages, tools = [], tool_choice, thinking, max_tokens, system }: Body): string[] {
  const wrong = named((tools ?? []).map(({ name }: Body) => name))
  if (messages.length === 0) wrong.push('there is no message')
  if (tool_choice && !tools?.length) wrong.push('a choice among no tools')
  if (thinking?.type === 'enabled') {
    if (thinking.budget_tokens < 1024 || thinking.budget_tokens >= max_tokens) wrong.push('a budget out of bounds')
    if (tool_choice?.type === 'any' || tool_choice?.type === 'tool') wrong.push('a forced tool while thinking')
  }
  const blocks = messages.flatMap(({ content }: Body) =>
    Array.isArray(content) ? content : [{ type: 'text', text: content }],
  )
  for (const block of [...blocks, ...(Array.isArray(system) ? system : [])]) {
    if (block.type === 'text' && !block.text) wrong.push('an empty text')
    const id = block.type === 'tool_use' ? block.id : (block.tool_use_id ?? 'x')
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) wrong.push(`a call is called ${id}`)
  }
  const ids = (content: unknown, type: string, name: string) =>
    (Array.isArray(content) ? content : [])
      .filter((block: Body) => block.type === type)
      .map((block: Body) => block[name])
  const turns = messages.filter(({ role }: Body) => role !== 'system')
  const steps = turns.map(({ content }: Body) => ({
    calls: ids(content, 'tool_use', 'id'),
    results: ids(content, 'tool_result', 'tool_use_id'),
  }))
  return [...wrong, ...callsWithoutResult(steps)]
}

function geminiFaults({ contents, tools = [], systemInstruction }: Body): string[] {
  const wrong = named(
    (tools ?? []).flatMap((tool: Body) => tool.functionDeclarations ?? []).map(({ name }: Body) => name),
  )
  if (contents.length === 0) wrong.push('there is no content')
  if (contents[0]?.role === 'model') wrong.push('the model begins')
  for (const { parts } of [...contents, ...(systemInstruction ? [systemInstruction] : [])]) {
    if (parts.length === 0) wrong.push('a content without parts')
    for (const { functionResponse } of parts) if (functionResponse?.name === '') wrong.push('a result of no function')
  }
  const count = (parts: Body[], name: string) => parts.filter((part) => part[name]).length
  for (const [at, { parts }] of contents.entries()) {
    const called = count(parts, 'functionCall')
    const resultCount = count(contents[at + 1]?.parts ?? [], 'functionResponse')
    if (called > 0 && called !== resultCount) wrong.push(`${called} calls and ${resultCount} results`)
  }
  return wrong
}
