import type { IncomingMessage } from 'node:http'
import { type Attachment, attachmentKinds } from '#interns/contract/attachments.ts'
import type { AnswerQuestion, StartTurn, TurnCaller } from '#interns/contract/daemon-api.ts'
import type { RulesInForce } from '#interns/contract/rules/rule.ts'
import { type BudgetLimitName, budgetLimitNames, type TurnBudget } from '#interns/contract/turn-budget.ts'
import { Fault } from '#platform/core/fault.ts'
import { readPacedBody } from '#platform/net/bodies/paced-body.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'

/**
 * The largest JSON body. It is larger than any body of the chat routes, which the server passes on, and than the rules of a workspace
 * and an intern, of up to 1 MiB each.
 */
const maxBodyBytes = 3 * 1024 * 1024

/** The slowest rate of a JSON body. The server sends it from its memory, so a slower body comes from another client. */
const jsonPace = { bytesPerSecond: 32 * 1024, pauseMs: 30_000 }

/** Reads a body that is a JSON object. @throws Fault `invalid`, or `payload_too_large`. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const received = new ByteBuffer()
  for await (const chunk of readPacedBody(request, jsonPace)) {
    received.add(chunk)
    if (received.byteLength > maxBodyBytes) throw new Fault('payload_too_large', 'The body is too large.')
  }
  try {
    const body: unknown = JSON.parse(received.take().toString('utf8'))
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new Fault('invalid', 'The body is not a JSON object.')
}

/** Reads a new turn. @throws Fault `invalid` that names the field. */
export function readTurn(body: Record<string, unknown>): StartTurn {
  const { mode, sessionId } = body
  if (mode !== 'manual' && mode !== 'self-drive') throw new Fault('invalid', 'mode is manual or self-drive.')
  const session = sessionId !== undefined && { sessionId: readString(body, 'sessionId') }
  const attachments = readAttachments(body.attachments ?? [])
  // A prompt with attachments can be empty.
  const prompt = attachments.length > 0 && body.prompt === '' ? '' : readString(body, 'prompt')
  const budget = body.budget !== undefined && { budget: readBudget(body.budget) }
  const turns = body.turnsBefore !== undefined && { turnsBefore: readTurnsBefore(body.turnsBefore) }
  return { prompt, attachments, mode, ...session, ...budget, ...turns, ...readCaller(body) }
}

function readTurnsBefore(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number
  throw new Fault('invalid', 'turnsBefore must be an integer.')
}

/** Checks only the types, because the server validated the budget when it was set. */
function readBudget(value: unknown): TurnBudget {
  const { costUsd, costOf, seconds } = (value ?? {}) as TurnBudget
  const isValidCost = costUsd === undefined || (typeof costUsd === 'number' && budgetLimitNames.includes(costOf!))
  if (isValidCost && (seconds === undefined || typeof seconds === 'number')) return value as TurnBudget
  throw new Fault('invalid', 'A budget has costUsd with costOf, and seconds.')
}

/**
 * Reads the limit because of which a run is ended, and the maximum cost in USD of the request that the limit refused. Both are
 * undefined for a run that is cancelled for another reason.
 */
export function readExceededBudget(query: URLSearchParams): {
  exceededBudget: BudgetLimitName | undefined
  neededUsd: number | undefined
} {
  const exceededBudget = budgetLimitNames.find((limitName) => limitName === query.get('spent'))
  const neededUsd = Number(query.get('needed_usd') ?? Number.NaN)
  return { exceededBudget, neededUsd: exceededBudget && Number.isFinite(neededUsd) ? neededUsd : undefined }
}

function readAttachments(value: unknown): Attachment[] {
  if (!Array.isArray(value)) throw new Fault('invalid', 'attachments must be a list.')
  return value.map((attachment) => {
    const { kind, name, mimeType, data, part } = attachment ?? {}
    const isNamed = name === null || typeof name === 'string'
    const isText = typeof mimeType === 'string' && typeof data === 'string' && Number.isInteger(part)
    if (attachmentKinds.includes(kind) && isNamed && isText) return { kind, name, mimeType, data, part }
    throw new Fault('invalid', 'An attachment has kind, name, mimeType, data and part.')
  })
}

/** Reads the answer to a question. @throws Fault `invalid` that names the field. */
export function readAnswer(body: Record<string, unknown>): AnswerQuestion {
  return {
    sessionId: readString(body, 'sessionId'),
    questionId: readString(body, 'questionId'),
    // An empty answer is refused by its question, which names the valid ones.
    answer: body.answer === '' ? '' : readString(body, 'answer'),
    ...readCaller(body),
  }
}

/** Reads rules. Checks only the list, because the server validated the rules when they were set. */
export function readRules(body: Record<string, unknown>): RulesInForce {
  const { sets } = body
  if (Array.isArray(sets)) return { agent: readString(body, 'agent'), sets }
  throw new Fault('invalid', 'sets must be a list.')
}

export function readIdleMs({ idleMs }: Record<string, unknown>): number {
  if (typeof idleMs === 'number' && idleMs > 0) return idleMs
  throw new Fault('invalid', 'idleMs must be a number above 0.')
}

function readCaller({ by, activity, background }: Record<string, unknown>): TurnCaller {
  return {
    ...(typeof by === 'string' && { by }),
    ...(activity === true && { activity }),
    ...(background === true && { background }),
  }
}

function readString(body: Record<string, unknown>, key: string): string {
  const value = body[key]
  if (typeof value === 'string' && value) return value
  throw new Fault('invalid', `${key} must be a string that is not empty.`)
}
