import { callOf, digestOf, eventsOf, nothing, once, type Plain } from './plain.ts'

const finishes: Record<string, string> = { STOP: 'stop', MAX_TOKENS: 'length' }

/** Gemini's content, whole or streamed: there each event has more parts, and the usage so far. */
export function plainGenerated(response: string, streamed: boolean): Plain {
  const plain = nothing()
  for (const generated of streamed ? eventsOf(response) : [JSON.parse(response)]) {
    const [candidate] = generated.candidates ?? []
    for (const part of candidate?.content?.parts ?? []) readPart(part, plain)
    if (candidate?.finishReason) plain.finish = finishes[candidate.finishReason] ?? 'content_filter'
    plain.citations.push(...(candidate?.groundingMetadata?.groundingChunks ?? []).map(citedIn))
    if (generated.error) plain.error = generated.error.message
    readUsage(generated.usageMetadata ?? {}, plain)
  }
  plain.citations = once(plain.citations)
  if (plain.calls.length > 0 && plain.finish === 'stop') plain.finish = 'tool_calls'
  return plain
}

function readPart({ text, thought, thoughtSignature, functionCall, inlineData }: any, plain: Plain): void {
  plain[thought ? 'reasoning' : 'text'] += text ?? ''
  if (thoughtSignature) plain.signatures.push(thoughtSignature)
  if (functionCall) plain.calls.push(callOf(functionCall.name, functionCall.args))
  if (inlineData?.mimeType.startsWith('image/')) plain.images.push(digestOf(inlineData.data))
}

function readUsage(usage: any, plain: Plain): void {
  const { promptTokenCount: prompt = 0, toolUsePromptTokenCount: ofTools = 0 } = usage
  plain.prompt = prompt + ofTools
  plain.reasoned = usage.thoughtsTokenCount ?? 0
  plain.completion = (usage.candidatesTokenCount ?? 0) + plain.reasoned
  plain.cached = usage.cachedContentTokenCount ?? 0
}

const citedIn = ({ web, retrievedContext: file }: any) => web?.uri ?? file?.uri ?? file?.title ?? file?.fileSearchStore
