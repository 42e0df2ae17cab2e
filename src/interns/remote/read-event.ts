import type { Usage } from '#chat/usage.ts'
import { Fault } from '#platform/core/fault.ts'
import {
  type Field,
  type PermissionChoice,
  type PermissionKind,
  permissionKinds,
  type Question,
} from '../contract/question.ts'
import type { TurnReport } from '../contract/run.ts'
import { budgetParts } from '../contract/turn-budget.ts'
import type { FailureReason, TurnEvent } from '../contract/turn-event.ts'
import { readAction } from '../rules/read-decisions.ts'
import { readActivity } from './read-transcript.ts'

type Fields = { [name: string]: unknown }

/** The longest accepted name. */
const maxNameLength = 512
const reasons: readonly FailureReason[] = ['turn_failed', 'stream_severed', 'busy']
const types: readonly Field['type'][] = ['string', 'number', 'integer', 'boolean', 'array']

/**
 * Parses a line of a daemon, and drops members that are not in the contract. Written by hand: all text of all interns passes here,
 * and a schema would report each of a hundred thousand errors. @throws Fault `bad_gateway` whose message is for the intern's owner.
 */
export function readEvent(line: string): TurnEvent {
  const event = fields(parse(line), 'the event')
  switch (event.type) {
    case 'text.added':
    case 'reasoning.added':
      return { type: event.type, text: text(event, 'text') }
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
        runId: name(event, 'runId'),
        sessionId: name(event, 'sessionId'),
        model: nameOrNull(event, 'model'),
      }
    case 'question.asked':
      return {
        type: event.type,
        question: question(event.question),
        deadlineAt: number(event, 'deadlineAt'),
        ...(event.action !== undefined && { action: readAction(event.action) }),
      }
    case 'turn.finished':
      return { type: event.type, ...report(event) }
    case 'turn.failed': {
      const reason = oneOf(event, 'reason', reasons)
      const message = text(event, 'message')
      return { type: event.type, reason, message, retryable: boolean(event, 'retryable'), ...report(event) }
    }
    case 'run.ended':
      return {
        type: event.type,
        message: text(event, 'message'),
        ...(event.budget !== undefined && { budget: oneOf(event, 'budget', budgetParts) }),
        ...report(event),
      }
    default:
      throw new Fault('bad_gateway', 'its type is unknown')
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Fault('bad_gateway', 'it is not JSON')
  }
}

function question(value: unknown): Question {
  const one = fields(value, 'question')
  const id = name(one, 'id')
  if (oneOf(one, 'kind', ['permission', 'elicitation']) === 'elicitation')
    return { id, kind: 'elicitation', message: text(one, 'message'), fields: list(one, 'fields').map(field) }
  const options = list(one, 'options').map((_, at, all) => oneOf<PermissionKind>(all, at, permissionKinds))
  const [operation, detail] = [textOrNull(one, 'operation'), textOrNull(one, 'detail')]
  const choices = one.choices !== undefined && { choices: list(one, 'choices').map(choice) }
  return { id, kind: 'permission', operation, detail, options, ...choices }
}

function choice(value: unknown): PermissionChoice {
  const one = fields(value, 'a choice')
  return { id: name(one, 'id'), kind: oneOf<PermissionKind>(one, 'kind', permissionKinds), name: text(one, 'name') }
}

function field(value: unknown): Field {
  const one = fields(value, 'a field')
  const described = { name: text(one, 'name'), type: oneOf(one, 'type', types), required: boolean(one, 'required') }
  if (one.options === undefined) return described
  return { ...described, options: list(one, 'options').map((_, at, all) => text(all, at)) }
}

function report(event: Fields): TurnReport {
  return {
    model: nameOrNull(event, 'model'),
    usage: event.usage === null ? null : usage(event.usage),
    ...(event.meteredSince !== undefined && { meteredSince: number(event, 'meteredSince') }),
  }
}

function usage(value: unknown): Usage {
  const reported = fields(value, 'usage')
  return {
    prompt_tokens: number(reported, 'prompt_tokens'),
    completion_tokens: number(reported, 'completion_tokens'),
    total_tokens: number(reported, 'total_tokens'),
    ...numbers(reported, ['cost']),
    ...(reported.prompt_tokens_details !== undefined && {
      prompt_tokens_details: numbers(fields(reported.prompt_tokens_details, 'prompt_tokens_details'), [
        'cached_tokens',
        'cache_write_tokens',
      ]),
    }),
    ...(reported.completion_tokens_details !== undefined && {
      completion_tokens_details: numbers(fields(reported.completion_tokens_details, 'completion_tokens_details'), [
        'reasoning_tokens',
      ]),
    }),
  }
}

function numbers<Name extends string>(from: Fields, names: Name[]): { [name in Name]?: number } {
  const found: { [name in Name]?: number } = {}
  for (const each of names) if (from[each] !== undefined) found[each] = number(from, each)
  return found
}

type From = Fields | unknown[]
const at = (from: From, key: string | number) => (from as Fields)[key]

function fields(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new Fault('bad_gateway', `${name} is not an object`)
}

function list(from: Fields, key: string): unknown[] {
  const value = from[key]
  if (Array.isArray(value)) return value
  throw new Fault('bad_gateway', `${key} is not a list`)
}

function text(from: From, key: string | number): string {
  const value = at(from, key)
  if (typeof value === 'string') return value
  throw new Fault('bad_gateway', `${key} is not a text`)
}

const textOrNull = (from: Fields, key: string) => (from[key] === null ? null : text(from, key))

function name(from: Fields, key: string): string {
  const value = text(from, key)
  if (value !== '' && value.length <= maxNameLength) return value
  throw new Fault('bad_gateway', `${key} does not have 1 to ${maxNameLength} characters`)
}

const nameOrNull = (from: Fields, key: string) => (from[key] === null ? null : name(from, key))

function number(from: Fields, key: string): number {
  const value = from[key]
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new Fault('bad_gateway', `${key} is not a number of at least 0`)
}

function boolean(from: Fields, key: string): boolean {
  const value = from[key]
  if (typeof value === 'boolean') return value
  throw new Fault('bad_gateway', `${key} is neither true nor false`)
}

function oneOf<Word extends string>(from: From, key: string | number, words: readonly Word[]): Word {
  const value = at(from, key)
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  throw new Fault('bad_gateway', `${key} is not one of ${words.join(', ')}`)
}
