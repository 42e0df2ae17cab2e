import { parseJsonOr } from '#platform/core/parse-json.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { z } from '#platform/json/schema.ts'
import type { InternHealth } from '../contract/daemon-api.ts'
import type { PermissionDetails } from '../contract/question.ts'
import { Refusal, type RefusalKind, refusals } from '../contract/refusal.ts'
import type { LoggedDecision } from '../contract/rules/rule.ts'
import type { EntryPage, Milestone, SessionPage } from '../contract/transcript.ts'
import { DecisionsResponse } from '../rules/read-decisions.ts'
import type { InternLog } from './log.ts'
import { EntryPageResponse, MilestonesResponse, SessionPageResponse } from './read-transcript.ts'

/** The longest message of a refusal. */
const maxMessageLength = 10_000

/** The most paths and changes of a question. Limits the number of objects; the reader of the body limits its bytes. */
const maxListed = 10_000

const CancelResponse = z.object({ cancelled: z.boolean() })
/** `InternHealth` describes the fields. */
const HealthResponse = z.object({
  contract: z.number(),
  startedAt: z.number(),
  agent: z.enum(['stopped', 'starting', 'running']),
  agentName: z.string().max(maxMessageLength).nullable(),
  runs: z.number(),
  waiting: z.number(),
  resting: z.boolean().optional(),
})
const RefusalResponse = z.object({
  error: z.object({ kind: z.string(), message: z.string(), retryable: z.boolean().optional() }),
})

const PermissionDetailsResponse = z.object({
  question: z
    .object({
      detail: z.string().nullable(),
      command: z.string().nullable(),
      // Daemons of earlier versions do not send it.
      folder: z.string().nullable().default(null),
      paths: z.array(z.string()).max(maxListed),
      changes: z.array(z.object({ path: z.string(), diff: z.string() })).max(maxListed),
    })
    .nullable(),
})

const LogResponse = z.union([
  z.object({ text: z.string(), isCut: z.boolean() }),
  // `none` is the reason why there is no log.
  z.object({ none: z.string().max(maxMessageLength) }),
])

export const readLog = (body: string): InternLog => parseResponse(LogResponse, body)
export const readPermissionDetails = (body: string): PermissionDetails | undefined =>
  parseResponse(PermissionDetailsResponse, body).question ?? undefined
export const readSessions = (body: string): SessionPage => parseResponse(SessionPageResponse, body)
export const readEntries = (body: string): EntryPage => parseResponse(EntryPageResponse, body)
export const readMilestones = (body: string): Milestone[] => parseResponse(MilestonesResponse, body).milestones
export const readCancelled = (body: string): boolean => parseResponse(CancelResponse, body).cancelled
export const readHealth = (body: string): InternHealth => parseResponse(HealthResponse, body)

/** The response to a request to accept no more turns: 0 if the daemon agreed, otherwise the delay until the next request. */
const DrainResponse = z.object({ againAfterMs: z.number().min(0) })
export const readDrainRetryMs = (body: string): number => parseResponse(DrainResponse, body).againAfterMs

export const readDecisions = (body: string): LoggedDecision[] => parseResponse(DecisionsResponse, body).decisions

const RulesResponse = z.object({ judging: z.literal(true) })
/** @throws Refusal if the daemon does not confirm that it applies the rules. */
export const checkRulesAccepted = (body: string): void => void parseResponse(RulesResponse, body)

/** Reads the refusal from a daemon's response with a status other than 200. */
export function readRefusal(body: string, status: number): Refusal {
  const { success, data } = RefusalResponse.safeParse(parseJsonOr(body, undefined))
  if (!success) return new Refusal('intern_rejected', `The intern returned the unexpected status ${status}.`)
  const { kind, message: fullMessage, retryable } = data.error
  const message = fullMessage.slice(0, maxMessageLength)
  if (Object.hasOwn(refusals, kind)) return new Refusal(kind as RefusalKind, message, retryable)
  return new Refusal('intern_rejected', `The intern refused the request: ${message}`)
}

/**
 * Parses a body of a daemon, which an agent can control. The number of JSON values is limited, because a body of empty objects
 * would block the main thread for a second for each 16 MiB.
 * @throws Refusal for a body that does not match the schema, or has too many parts.
 */
export function parseResponse<Body>(schema: z.ZodType<Body>, body: string): Body {
  if (!new JsonParseQuota().take(body))
    throw new Refusal('intern_rejected', 'The response of the intern has too many parts.')
  const { success, data, error } = schema.safeParse(parseJsonOr(body, undefined))
  if (success) return data
  const { path, message } = error.issues[0]!
  throw new Refusal('intern_rejected', `The response of the intern is invalid: ${path.join('.')}: ${message}.`)
}
