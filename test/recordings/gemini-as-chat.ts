import type { Body } from './asker.ts'

/** No client speaks Gemini here: what such a request says, as a client of chat would say it. */
export function geminiAsChat({ contents, systemInstruction, tools, toolConfig, generationConfig = {} }: Body): Body {
  const system = systemInstruction ? [{ role: 'system', content: textOf(systemInstruction) }] : []
  const functions = (tools ?? []).flatMap((tool: Body) => tool.functionDeclarations ?? [])
  const others = (tools ?? []).filter((tool: Body) => !tool.functionDeclarations)
  const results = [
    ...functions.map(functionTool),
    ...others.map((tool: Body) => ({ type: Object.keys(tool)[0], ...tool })),
  ]
  const { temperature, topK, responseJsonSchema: schema } = generationConfig
  return {
    messages: [...system, ...together(contents).flatMap(messagesIn)],
    ...(results.length > 0 && { tools: results }),
    ...(toolConfig?.functionCallingConfig?.mode === 'ANY' && { tool_choice: 'required' }),
    ...(temperature !== undefined && { temperature }),
    ...(topK !== undefined && { top_k: topK }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
  }
}

/** What follows in the same role is one turn. */
function together(contents: Body[]): Body[] {
  const turns: Body[] = []
  for (const { role, parts } of contents) {
    const last = turns.at(-1)
    if (last?.role === role) last!.parts = [...last!.parts, ...parts]
    else turns.push({ role, parts })
  }
  return turns
}

const textOf = ({ parts }: Body) => parts.map(({ text }: Body) => text).join('\n')

function functionTool({ name, description, parameters_json_schema, parameters }: Body): Body {
  const schema = parameters_json_schema ?? JSON.parse(JSON.stringify(parameters ?? {}).toLowerCase())
  return { type: 'function', function: { name, description, parameters: schema } }
}

function messagesIn({ role, parts }: Body): Body[] {
  const results = parts.filter(({ functionResponse }: Body) => functionResponse).map(resultOf)
  const calls = parts.filter(({ functionCall }: Body) => functionCall).map(callOf)
  const result = parts.flatMap(partOf)
  const isSilent = result.length === 0 && calls.length === 0
  if (isSilent) return results
  if (role !== 'model') return [...results, { role: 'user', content: result }]
  return [{ role: 'assistant', content: result, ...(calls.length > 0 && { tool_calls: calls }) }]
}

function resultOf({ functionResponse: { id, name, response } }: Body): Body {
  return { role: 'tool', tool_call_id: id ?? name, content: JSON.stringify(response) }
}

function callOf({ functionCall: { id, name, args } }: Body): Body {
  return { id: id ?? name, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

function partOf({ text, inlineData, fileData }: Body): Body[] {
  if (text) return [{ type: 'text', text }]
  if (fileData) return [{ type: 'file', file: { file_data: fileData.fileUri, filename: 'video' } }]
  if (!inlineData) return []
  const url = `data:${inlineData.mimeType};base64,${inlineData.data}`
  if (inlineData.mimeType.startsWith('image/')) return [{ type: 'image_url', image_url: { url } }]
  return [{ type: 'file', file: { file_data: url, filename: 'file' } }]
}
