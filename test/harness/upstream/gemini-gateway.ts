import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Gemini's protocol over the chat completions of a service, with the caller's own key: the gateway that Gemini's CLI
 * needs. Each request calls `serviceUrl`.
 */
export async function startGeminiGateway(serviceUrl: () => string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await Array.fromAsync(request)).join('') || '{}')
    const [, model = '', method = ''] = /models\/(.+):(\w+)/.exec(decodeURIComponent(request.url ?? '')) ?? []
    if (method === 'countTokens') return void response.end('{"totalTokens":1}')
    const disconnection = new AbortController()
    response.on('close', () => disconnection.abort())
    try {
      const key = request.headers['x-goog-api-key']
      const upstreamResponse = await fetch(`${serviceUrl()}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model,
          messages: messagesOf(body),
          tools: toolsOf(body),
          stream: true,
          stream_options: { include_usage: true },
        }),
        signal: disconnection.signal,
      })
      if (!upstreamResponse.ok)
        return void response
          .writeHead(upstreamResponse.status, { 'content-type': 'application/json' })
          .end(await upstreamResponse.text())
      const isStream = method.startsWith('stream')
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      const parts: object[] = []
      for await (const piece of readPieces(upstreamResponse)) {
        parts.push(...(piece.candidates[0]?.content.parts ?? []))
        if (isStream) response.write(`data: ${JSON.stringify(piece)}\n\n`)
      }
      response.end(isStream ? undefined : JSON.stringify(candidate(parts, 'STOP')))
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close }
}

const candidate = (parts: object[], finishReason?: string, usageMetadata?: object) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  ...(usageMetadata && { usageMetadata }),
})

/** Text as it arrives; calls when they are complete. */
async function* readPieces(response: Response) {
  const calls: { name: string; text: string }[] = []
  let unfinishedLine = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    unfinishedLine += chunk
    const lines = unfinishedLine.split('\n')
    unfinishedLine = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue
      const { choices, usage } = JSON.parse(line.slice(6))
      const { delta } = choices[0] ?? {}
      if (delta?.content) yield candidate([{ text: delta.content }])
      for (const { index, function: functionDelta } of delta?.tool_calls ?? []) {
        calls[index] ??= { name: functionDelta.name, text: '' }
        calls[index].text += functionDelta.arguments ?? ''
      }
      if (usage) {
        const parts = calls.map(({ name, text }) => ({ functionCall: { name, args: JSON.parse(text || '{}') } }))
        const {
          prompt_tokens: promptTokenCount,
          completion_tokens: candidatesTokenCount,
          total_tokens: totalTokenCount,
        } = usage
        yield candidate(parts, 'STOP', { promptTokenCount, candidatesTokenCount, totalTokenCount })
      }
    }
  }
}

type Part = {
  text?: string
  functionCall?: { name: string; args: object }
  functionResponse?: { name: string; response: { output?: string } }
}

function messagesOf({
  systemInstruction,
  contents = [],
}: {
  systemInstruction?: { parts: Part[] }
  contents?: { role: string; parts: Part[] }[]
}) {
  const system = systemInstruction ? [{ role: 'system', content: textOf(systemInstruction.parts) }] : []
  return [
    ...system,
    ...contents.flatMap(({ role, parts }, at) => {
      const results = parts.flatMap(({ functionResponse }, index) =>
        functionResponse
          ? [
              {
                role: 'tool',
                tool_call_id: `call_${at - 1}_${index}`,
                content: functionResponse.response.output ?? JSON.stringify(functionResponse.response),
              },
            ]
          : [],
      )
      if (results.length > 0) return results
      const calls = parts
        .flatMap(({ functionCall }) => (functionCall ? [functionCall] : []))
        .map(({ name, args }, index) => ({
          id: `call_${at}_${index}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }))
      const message = { role: role === 'model' ? 'assistant' : 'user', content: textOf(parts) }
      return [calls.length > 0 ? { ...message, tool_calls: calls } : message]
    }),
  ]
}

const textOf = (parts: Part[]) => parts.map(({ text }) => text ?? '').join('')

function toolsOf({
  tools = [],
}: {
  tools?: {
    functionDeclarations?: { name: string; description?: string; parametersJsonSchema?: object; parameters?: object }[]
  }[]
}) {
  const declarations = tools.flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  if (declarations.length === 0) return undefined
  return declarations.map(({ name, description, parametersJsonSchema, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: parametersJsonSchema ?? parameters ?? { type: 'object' } },
  }))
}
