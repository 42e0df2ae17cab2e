import { existsSync, readFileSync } from 'node:fs'
import type { CompletionEvent, TokenCounts } from '#chat/events.ts'
import { isThoughtEnd, type Thought, type ThoughtMetadata } from '#chat/thoughts.ts'
import type { ProviderProtocol } from '#gateway/protocol/provider-protocol.ts'
import { SseReader } from '#platform/net/sse.ts'

const folder = new URL('./providers/', import.meta.url)

/** A response as an upstream sent it: `.sse` streamed, `.json` whole. */
export function fixture(name: string): Buffer {
  return readFileSync(new URL(name, folder))
}

export function hasFixture(name: string): boolean {
  return existsSync(new URL(name, folder))
}

/** The events in a recorded response. A stream arrives in pieces of seven bytes, which splits characters too. */
export function readEvents(providerProtocol: ProviderProtocol, name: string): CompletionEvent[] {
  const bytes = fixture(name)
  if (name.endsWith('.json')) return providerProtocol.readBody(JSON.parse(bytes.toString('utf8')))
  const sse = new SseReader()
  const read = providerProtocol.createReader()
  const events: CompletionEvent[] = []
  for (let start = 0; start < bytes.length; start += 7) {
    for (const event of sse.push(bytes.subarray(start, start + 7))) events.push(...read(event))
  }
  return events
}

/** The content of a response, independent of its division into pieces. Members without content are absent. */
export type Gist = {
  text?: string
  reasoning?: string
  refusal?: string
  calls?: string[]
  marks?: ThoughtMetadata[]
  finish?: string
  tokens?: TokenCounts
  error?: string
}

export function gistOf(events: CompletionEvent[]): Gist {
  const gist: Gist = {}
  const calls = new Map<number, string>()
  for (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal')
      gist[event.type] = (gist[event.type] ?? '') + event.text
    if (event.type === 'reasoning' && isThoughtEnd(event)) gist.marks = [...(gist.marks ?? []), metadataOf(event)]
    if (event.type === 'tool_call') calls.set(event.index, `${event.id} ${event.name} `)
    if (event.type === 'tool_arguments') calls.set(event.index, (calls.get(event.index) ?? '') + event.text)
    if (event.type === 'finish') gist.finish = `${event.reason} (${event.native})`
    if (event.type === 'usage') gist.tokens = event.tokens
    if (event.type === 'error') gist.error = `${event.status}: ${event.message}`
  }
  return calls.size > 0 ? { ...gist, calls: [...calls.values()] } : gist
}

function metadataOf({ text: _text, ...metadata }: Thought): ThoughtMetadata {
  const { type: _type, ...rest } = metadata as ThoughtMetadata & { type?: string }
  return rest
}
