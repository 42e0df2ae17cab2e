import { type Protocol, protocols } from '#platform/core/vocabulary.ts'
import type { Gist } from './recorded-responses.ts'

export type UpstreamProtocol = Exclude<Protocol, 'demo'>

/** The content of a scripted response, independent of the protocol. */
export type ScriptedResponse = {
  text?: string
  calls?: { name: string; input: object }[]
  /** The source of the text. */
  source?: { url: string; title: string }
}

/** The facts about a provider's protocol that the tests need. */
export type ProviderFacts = {
  /** The path of its requests. */
  path: RegExp
  /** A model of its providers that reasons. */
  model: string
  /** The published description of its requests: TypeScript that declares the type `Described`. */
  described: string
  /** A whole response that reports these counts. Has two parameters if cached tokens are not a part of those of the prompt. */
  counting: (prompt: unknown, completion: unknown, cached?: unknown) => object
  /** The content of each recorded response beside `facts.ts`. One entry may stand for two forms of a response. */
  recorded: Record<string, Gist>
  /** Writes a response as an upstream does: one object, or the events of a stream. */
  encodeResponse: (response: ScriptedResponse, streamed: boolean) => object | object[]
  /** An error as the provider words it. */
  errorBody: (status: number, message: string) => object
  /** The end of a stream, if the protocol has a mark for it. */
  endMark?: string
  /** The results of tools in a request, in order. */
  toolResults: (body: any) => unknown[]
}

/** All protocols except that of the demo model, which no upstream implements. */
export const upstreamProtocols = protocols.filter((protocol) => protocol !== 'demo')

/** The facts about each protocol, from the folder of `providers/` with its name, which also has its recorded responses. */
export const providerFacts = Object.fromEntries(
  await Promise.all(
    upstreamProtocols.map(async (protocol) => [protocol, (await import(`./providers/${protocol}/facts.ts`)).facts]),
  ),
) as Record<UpstreamProtocol, ProviderFacts>

/**
 * The protocols whose servers tests also simulate in detail: strict ones, those that coding agents use, those that divide tool
 * calls in any way. For another protocol here, the compiler names the tables to extend.
 */
export const simulatedProtocols = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const
export type SimulatedProtocol = (typeof simulatedProtocols)[number]
