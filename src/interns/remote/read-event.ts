import type { Usage } from '#chat/usage.ts'
import { Fault } from '#platform/core/fault.ts'
import { isObject } from '#platform/core/is-object.ts'
import {
  type Field,
  type PermissionChoice,
  type PermissionKind,
  permissionKinds,
  type Question,
} from '../contract/question.ts'
import type { RunReport } from '../contract/run.ts'
import { budgetLimitNames } from '../contract/turn-budget.ts'
import type { FailureReason, TurnEvent } from '../contract/turn-event.ts'
import { readAction } from '../rules/read-decisions.ts'
import { readActivity } from './read-transcript.ts'
import { idPattern } from './stored-text.ts'

type JsonObject = { [name: string]: unknown }

/** The longest accepted name or id. */
const maxIdentifierLength = 512
const failureReasons: readonly FailureReason[] = ['turn_failed', 'stream_severed', 'busy']
const fieldTypes: readonly Field['type'][] = ['string', 'number', 'integer', 'boolean', 'array']

/**
 * Parses a line of the event stream of an intern's daemon, and drops fields that are not in the contract. Written by hand and not
 * with Zod: the text of all interns passes through this function, and Zod collects every error of a value, so that a hostile line
 * with 100,000 invalid elements would block the main thread. `TurnEvent` describes the events.
 * @throws Fault `bad_gateway` whose message is for the intern's owner. The caller adds the subject "The response of the intern is
 * invalid:".
 */
export function readEvent(line: string): TurnEvent {
  const event = readObject(parseJson(line), 'the event')
  switch (event.type) {
    case 'text.added':
    case 'reasoning.added':
      return { type: event.type, text: readText(event, 'text') }
    case 'work.noticed':
    case 'decision.made':
      return { type: event.type }
    case 'activity.noticed': {
      const activity = readActivity(event.activity)
      if (activity) return { type: event.type, activity }
      throw new Fault('bad_gateway', 'activity is invalid')
    }
    case 'turn.started':
      return {
        type: event.type,
        runId: readId(event, 'runId'),
        sessionId: readId(event, 'sessionId'),
        model: readNameOrNull(event, 'model'),
      }
    case 'question.asked':
      return {
        type: event.type,
        question: readQuestion(event.question),
        deadlineAt: readNumber(event, 'deadlineAt'),
        ...(event.action !== undefined && { action: readAction(event.action) }),
      }
    case 'turn.finished':
      return { type: event.type, ...readReport(event) }
    case 'turn.failed': {
      const reason = readOneOf(event, 'reason', failureReasons)
      const message = readText(event, 'message')
      return { type: event.type, reason, message, retryable: readBoolean(event, 'retryable'), ...readReport(event) }
    }
    case 'run.ended':
      return {
        type: event.type,
        message: readText(event, 'message'),
        // `budget` is the name of the limit that ended the run.
        ...(event.budget !== undefined && { budget: readOneOf(event, 'budget', budgetLimitNames) }),
        ...readReport(event),
      }
    default:
      throw new Fault('bad_gateway', 'its type is unknown')
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Fault('bad_gateway', 'it is not JSON')
  }
}

function readQuestion(value: unknown): Question {
  const object = readObject(value, 'question')
  const id = readId(object, 'id')
  if (readOneOf(object, 'kind', ['permission', 'elicitation']) === 'elicitation')
    return {
      id,
      kind: 'elicitation',
      message: readText(object, 'message'),
      fields: readList(object, 'fields').map(readField),
    }
  // `options` has each kind once; `choices` has all options of the agent, of which several can have one kind.
  // The index is the name of an element in the error message.
  const options = readList(object, 'options').map((_, index, list) =>
    readOneOf<PermissionKind>(list, index, permissionKinds),
  )
  const operation = readTextOrNull(object, 'operation')
  const detail = readTextOrNull(object, 'detail')
  const permission = { id, kind: 'permission' as const, operation, detail, options }
  if (object.choices === undefined) return permission
  return { ...permission, choices: readList(object, 'choices').map(readChoice) }
}

function readChoice(value: unknown): PermissionChoice {
  const object = readObject(value, 'a choice')
  return {
    // An id of the agent, which can have any characters. Ids of the daemon cannot.
    id: readName(object, 'id'),
    kind: readOneOf<PermissionKind>(object, 'kind', permissionKinds),
    name: readText(object, 'name'),
  }
}

function readField(value: unknown): Field {
  const object = readObject(value, 'a field')
  const field: Field = {
    name: readText(object, 'name'),
    type: readOneOf(object, 'type', fieldTypes),
    required: readBoolean(object, 'required'),
  }
  if (object.options !== undefined)
    field.options = readList(object, 'options').map((_, index, list) => readText(list, index))
  return field
}

function readReport(event: JsonObject): RunReport {
  return {
    model: readNameOrNull(event, 'model'),
    usage: event.usage === null ? null : readUsage(event.usage),
    // In milliseconds since the epoch.
    ...(event.meteredSince !== undefined && { meteredSince: readNumber(event, 'meteredSince') }),
  }
}

function readUsage(value: unknown): Usage {
  const usageObject = readObject(value, 'usage')
  const usage: Usage = {
    prompt_tokens: readNumber(usageObject, 'prompt_tokens'),
    completion_tokens: readNumber(usageObject, 'completion_tokens'),
    total_tokens: readNumber(usageObject, 'total_tokens'),
    ...readNumbers(usageObject, ['cost']),
  }
  if (usageObject.prompt_tokens_details !== undefined) {
    const details = readObject(usageObject.prompt_tokens_details, 'prompt_tokens_details')
    usage.prompt_tokens_details = readNumbers(details, ['cached_tokens', 'cache_write_tokens'])
  }
  if (usageObject.completion_tokens_details !== undefined) {
    const details = readObject(usageObject.completion_tokens_details, 'completion_tokens_details')
    usage.completion_tokens_details = readNumbers(details, ['reasoning_tokens'])
  }
  return usage
}

function readNumbers<Name extends string>(from: JsonObject, names: Name[]): { [name in Name]?: number } {
  const result: { [name in Name]?: number } = {}
  for (const name of names) if (from[name] !== undefined) result[name] = readNumber(from, name)
  return result
}

type JsonContainer = JsonObject | unknown[]
const valueAt = (from: JsonContainer, key: string | number) => (from as JsonObject)[key]

function readObject(value: unknown, name: string): JsonObject {
  if (isObject(value)) return value as JsonObject
  throw new Fault('bad_gateway', `${name} is not an object`)
}

function readList(from: JsonObject, key: string): unknown[] {
  const value = from[key]
  if (Array.isArray(value)) return value
  throw new Fault('bad_gateway', `${key} is not a list`)
}

function readText(from: JsonContainer, key: string | number): string {
  const value = valueAt(from, key)
  if (typeof value === 'string') return value
  throw new Fault('bad_gateway', `${key} is not a string`)
}

const readTextOrNull = (from: JsonObject, key: string) => (from[key] === null ? null : readText(from, key))

function readName(from: JsonObject, key: string): string {
  const value = readText(from, key)
  if (value !== '' && value.length <= maxIdentifierLength) return value
  throw new Fault('bad_gateway', `${key} does not have 1 to ${maxIdentifierLength} characters`)
}

function readId(from: JsonObject, key: string): string {
  const id = readName(from, key)
  if (idPattern.test(id)) return id
  throw new Fault('bad_gateway', `${key} has control characters`)
}

const readNameOrNull = (from: JsonObject, key: string) => (from[key] === null ? null : readName(from, key))

function readNumber(from: JsonObject, key: string): number {
  const value = from[key]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new Fault('bad_gateway', `${key} is not a number of at least 0`)
}

function readBoolean(from: JsonObject, key: string): boolean {
  const value = from[key]
  if (typeof value === 'boolean') return value
  throw new Fault('bad_gateway', `${key} is neither true nor false`)
}

function readOneOf<Word extends string>(from: JsonContainer, key: string | number, words: readonly Word[]): Word {
  const value = valueAt(from, key)
  const match = words.find((word) => word === value)
  if (match !== undefined) return match
  throw new Fault('bad_gateway', `${key} is not one of ${words.join(', ')}`)
}
