import type { Caller } from '#accounts/caller.ts'
import type { Endpoint } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { JsonSource } from '#lib/json-source.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import type { ResponseStream } from '#lib/response-stream.ts'
import type { RevocableResponse } from '#lib/revocable-response.ts'
import type { Generation } from '#usage/generation.ts'
import type { Accesses } from './attempt/credentials.ts'
import type { Target } from './plan/plan.ts'
import type { TurnLimits } from './policy/turn-limits.ts'
import type { KeptContent } from './record/kept-content.ts'
import type { RequestRecord } from './record/request-record.ts'
import type { Body, ClientProtocol, RequestHeaders } from './translate/protocol.ts'

/** One request for a completion. */
export type CompletionCall = {
  caller: Caller
  client: ClientProtocol
  body: Body
  /** The bytes that the body was read from, where they are at hand. */
  source?: JsonSource | undefined
  headers: RequestHeaders
  requestId: string
  sessionId: string | undefined
  app: Generation['app']
  /** The span of the client that this belongs to, as its `traceparent` header says. */
  traceParent: string | undefined
  /** The host name the request came in by. */
  host: string | undefined
  response: ResponseStream
  /** What an intern's turns may still cost. */
  turns?: TurnLimits | undefined
}

/** A request on its way: what is asked, as the policy lets it out, and the account that is kept of it. */
export type CompletionContext = Omit<CompletionCall, 'response'> & {
  response: RevocableResponse
  /** Hears which endpoint is asked now. */
  asking: (target: Target) => void
  chat: ChatRequest
  /** Whether a spending limit counts the request. */
  limited: boolean
  /** Fields that the policy keeps from upstreams, since their cost is unknown. */
  heldBack: readonly string[]
  /** The estimated length of the prompt; defined if the request allows the prompt to be shortened. */
  promptTokens: number | undefined
  requestRecord: RequestRecord
  /** What is kept of what is asked and answered; undefined: nothing. */
  content: KeptContent | undefined
  accesses: Accesses
  /** The name of the circuit that an attempt at an endpoint belongs to. */
  circuitOf: (endpoint: Endpoint) => string
  /** Judges the request anew if rules have changed. @throws Fault as `judgeAgain` of a decision does. */
  judgeAgain: (target: Target) => Promise<void> | undefined
  /** Pays an attempt that is lost, and sets money aside for the endpoints that are left. @throws Fault as `reserve` does. */
  payAndReserve: (lost: { cost: PicoUsd; byok: boolean }, left: readonly Target[]) => Promise<void>
}
