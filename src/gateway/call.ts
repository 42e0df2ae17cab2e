import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { JsonSource } from '#platform/json/json-source.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import type { TurnLimits } from './admission/turn-limits.ts'
import type { Accesses } from './attempt/credentials.ts'
import type { Target } from './plan/plan.ts'
import type { Body, ClientProtocol, RequestHeaders } from './protocol/protocol.ts'
import type { KeptContent } from './record/kept-content.ts'
import type { RequestRecord } from './record/request-record.ts'

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
